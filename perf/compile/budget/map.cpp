// A function over items in lanes: rows by index and a shared number, by reverse mode.
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

double energy(xt::xtensor<double, 2> const& points, xt::xtensor<int, 1> const& from, xt::xtensor<int, 1> const& to, double stiffness) {
    auto const spring = [](auto const& p, auto const& q, auto const& k) -> xgrad::real {
        auto x = p(0) - q(0);
        auto y = p(1) - q(1);
        auto stretch = sqrt(x * x + y * y) - 1.0;
        return 0.5 * k * stretch * stretch;
    };
    auto const all = [&](auto const& x, auto const& k) { return sum(xgrad::map(spring, xgrad::pick<2>(x, from), xgrad::pick<2>(x, to), k)); };
    return xgrad::value_and_gradient(all, points, stiffness).value;
}
