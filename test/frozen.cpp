// frozen<T>: a field without a derivative, in plain code, under differentiation and for optimisers.
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/frozen.hpp>
#include <xgrad/flatten.hpp>
#include <xgrad/xgrad.hpp>

namespace {
struct model {
    xt::xtensor<double, 1> weights;
    xgrad::frozen<xt::xtensor<double, 1>> scales;
    xgrad::frozen<double> rate = 1;
    double bias = 0;
};
XGRAD_REFLECT(model, weights, scales, rate, bias)

auto const f = [](auto const& m) { return sum(m.weights * m.weights * *m.scales) * *m.rate + m.bias * static_cast<double>(m.scales->size()); };
}

BOOST_AUTO_TEST_CASE(a_field) {
    model m{{1, 2}, xt::xtensor<double, 1>{3, 4}, 5.0, 6.0};
    static_assert(!xgrad::differentiable<xgrad::frozen<double>> && xgrad::differentiable<model>);
    auto const r = xgrad::value_and_gradient(f, m);
    auto const& dm = std::get<0>(r.gradient);
    static_assert(xgrad::absent<decltype(dm.scales)> && xgrad::absent<decltype(dm.rate)>);
    BOOST_TEST(r.value == (3 + 16) * 5 + 12.0);
    BOOST_TEST((dm.weights == xt::xtensor<double, 1>{30, 80}));
    BOOST_TEST(dm.bias == 2.0);
    BOOST_TEST(xgrad::count_numbers(m) == 3u);
    BOOST_TEST((xgrad::flattened(m, dm) == xt::xtensor<double, 1>{30, 80, 2}));
    xgrad::for_each_leaf([](auto& x, auto const& dx) { x -= 0.1 * dx; }, m, dm);
    BOOST_TEST((m.weights == xt::xtensor<double, 1>{-2, -6}));
    BOOST_TEST(*m.rate == 5.0);
    auto const doubled = xgrad::map_leaves([](auto const& x) { return 2 * x; }, m);
    BOOST_TEST((*doubled.scales)(1) == 4.0);
    m.rate = 7;
    *m.scales = xt::zeros<double>({2});
    BOOST_TEST(xgrad::value(f, m) == m.bias * 2);
}

BOOST_AUTO_TEST_CASE(elsewhere) {
    std::vector<xgrad::frozen<double>> const all{1.0, 2.0};
    BOOST_TEST(
        (xgrad::gradient([](auto const& x, auto const& v) { return x * *v[0] * *v[1]; }, 3.0, xgrad::constant(all)) == std::tuple(2.0, xgrad::no_tangent{})));
}
