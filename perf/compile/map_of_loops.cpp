// A function of map with a loop in it, of as many steps as the item wants: the loop is called, and not taken in by the kernels of packs and of numbers.
#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>
#include <xtensor/xtensor.hpp>

double sum_of_roots(xt::xtensor<double, 1> const& m, double e) {
    // Newton's steps to the root of x^2 - c^2 - b
    auto root = [](auto const& a, auto const& d) -> xgrad::real {
        return xgrad::while_loop([](auto const& x, auto const& b, auto const& c) { return abs(x * x - c * c - b) > 1e-13; },
                                 [](auto const& x, auto const& b, auto const& c) { return 0.5 * (x + (c * c + b) / x); }, a + 1.0, a, d);
    };
    return xgrad::value_and_gradient([root](auto const& a, auto const& d) { return sum(xgrad::map(root, xgrad::each(a), d)); }, m, e).value;
}
