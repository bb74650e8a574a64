// A function of map on rows of arrays: what goes through their elements is called, not taken in wherever the function may be left.
#include <xgrad/linalg.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>
#include <xtensor/xtensor.hpp>

double sum_of_items(xt::xtensor<double, 3> const& matrices, xt::xtensor<double, 2> const& vectors) {
    auto item = [](auto const& m, auto const& v) -> xgrad::real {
        auto const x = dot(m, v);
        return sum(tanh(x) * v) + log(1.0 + sum(x * x));
    };
    return xgrad::value_and_gradient([item](auto const& m, auto const& v) { return sum(xgrad::map(item, xgrad::each(m), xgrad::each(v))); }, matrices, vectors)
        .value;
}
