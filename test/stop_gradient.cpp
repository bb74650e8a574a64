// stop_gradient: of numbers, arrays, structs and containers, in the default and in the scoped form of a function.
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/stop_gradient.hpp>
#include <xgrad/xgrad.hpp>

namespace {
struct pair {
    xt::xtensor<double, 1> a;
    double b = 0;
    int n = 0;
};
XGRAD_REFLECT(pair, a, b, n)
}

BOOST_AUTO_TEST_CASE(of_numbers_and_arrays) {
    auto const f = [](auto const& x) {
        static_assert(std::is_same_v<decltype(xgrad::stop_gradient(x)), double>);
        return x * xgrad::stop_gradient(x * x);
    };
    BOOST_TEST((xgrad::gradient(f, 3.0) == std::tuple(9.0)));
    auto const scoped = [](auto const& x) -> xgrad::real {
        auto y = x * x;
        return x * xgrad::stop_gradient(y);
    };
    BOOST_TEST((xgrad::gradient(scoped, 3.0) == std::tuple(9.0)));
    xt::xtensor<double, 2> const m{{1, 2}, {3, 4}};
    auto const [g] = xgrad::gradient(
        [](auto const& x) {
            auto const c = xgrad::stop_gradient(2.0 * transpose(x));
            static_assert(std::is_same_v<decltype(c), xt::xtensor<double, 2> const>);
            return sum(x * c);
        },
        m);
    BOOST_TEST((g == 2.0 * xt::transpose(m)));
    // what is all constant has no derivative
    BOOST_TEST((xgrad::gradient([](auto const& x) { return xgrad::stop_gradient(x); }, 3.0) == std::tuple(0.0)));
}

BOOST_AUTO_TEST_CASE(of_structs_and_containers) {
    pair const p{{1, 2}, 3, 4};
    auto const [g] = xgrad::gradient(
        [](auto const& x) {
            auto const c = xgrad::stop_gradient(x);
            static_assert(std::is_same_v<decltype(c), pair const>);
            BOOST_TEST(c.n == 4);
            return sum(x.a * c.a) * x.b * c.b;
        },
        p);
    BOOST_TEST((g.a == xt::xtensor<double, 1>{9, 18}));
    BOOST_TEST(g.b == 15.0);
    std::vector<double> const v{1, 2};
    auto const [dv] = xgrad::gradient([](auto const& x) { return x[0] * xgrad::stop_gradient(x)[1]; }, v);
    BOOST_TEST((dv == std::vector<double>{2, 0}));
}

BOOST_AUTO_TEST_CASE(of_plain_values) {
    xt::xtensor<double, 1> const x{1, 2};
    BOOST_TEST(&xgrad::stop_gradient(x) == &x);
    BOOST_TEST(xgrad::stop_gradient(2) == 2);
    static_assert(std::is_same_v<decltype(xgrad::stop_gradient(xt::xtensor<double, 1>{1, 2})), xt::xtensor<double, 1>>);
}
