// Newton's steps in a map by a plain `while` on a variable: what packs of items leave over, and the pullbacks of what a variable takes, are called.
#include <cmath>

#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto anomaly(xt::xtensor<double, 1> const& mean, double eccentricity) {
    auto one = [](auto const& m, auto const& e) -> xgrad::real {
        xgrad::number_like<decltype(m)> x = m;
        while (std::abs(xgrad::primal(x - e * sin(x) - m)) > 1e-13) x = x - (x - e * sin(x) - m) / (1.0 - e * cos(x));
        return x * x;
    };
    return xgrad::gradient([&](auto const& m, auto const& e) { return sum(xgrad::map(one, xgrad::each(m), e)); }, mean, eccentricity);
}
