// reduce_with(op, x, axes): reductions of one's own, by lines and element by element, of active arrays and of plain ones.
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <xgrad/boost_test.hpp>
#include <xgrad/xgrad.hpp>

namespace app {

// Σ w^k x[k] by Horner's rule: a line has an order.
struct polynomial_op {
    static constexpr char const* name = "polynomial(x, w)";
    double w;
};
// n Σ x, in one loop with what is below it.
struct counted_sum_op {
    static constexpr char const* name = "counted_sum(x)";
};

}

template <>
struct xgrad::line_rule<app::polynomial_op> {
    static constexpr bool reduces = true;
    static void check(app::polynomial_op, std::size_t n) {
        if (n == 0) throw std::invalid_argument("polynomial(x, w) requires a coefficient");
    }
    template <class T>
    static T value(app::polynomial_op o, line<T const> const& x) {
        T y(0);
        for (std::size_t k = x.size(); k-- > 0;) y = y * T(o.w) + x[k];
        return y;
    }
    template <class T>
    static void pullback(app::polynomial_op o, line<T> const& xbar, bool add, T const& ybar, T const&, line<T const> const& x) {
        T power = ybar;
        for (std::size_t k = 0; k < x.size(); ++k, power = power * T(o.w)) xbar.give(k, power, add);
    }
};

template <>
struct xgrad::reduction<app::counted_sum_op> {
    static constexpr bool linear = true;
    template <class T>
    static constexpr T identity() { return T(0); }
    static constexpr auto combine(auto const& a, auto const& b) { return a + b; }
    template <class T>
    static constexpr T finish(T const& s, std::size_t n) { return s * T(static_cast<double>(n)); }
    static constexpr auto partial(auto const&, auto const& x, std::size_t n) { return literal(x, static_cast<double>(n)); }
    static constexpr void check(std::size_t) {}
};

namespace {

auto const polynomial = [](auto const& x, auto const&... axes) { return xgrad::reduce_with(app::polynomial_op{2.0}, x, axes...); };
auto const counted_sum = [](auto&& x, auto const&... axes) { return xgrad::reduce_with(app::counted_sum_op{}, std::forward<decltype(x)>(x), axes...); };

using matrix = xt::xtensor<double, 2>;
matrix const m{{1, 2, 3}, {4, 5, 6}};

}

BOOST_AUTO_TEST_CASE(of_plain_arrays) {
    BOOST_TEST(polynomial(m) == 1 + 2 * (2 + 2 * (3 + 2 * (4 + 2 * (5 + 2 * 6)))));
    BOOST_TEST((polynomial(m, 1) == xt::xtensor<double, 1>{17, 38}));
    BOOST_TEST((polynomial(xt::xarray<double>(m), -2) == xt::xarray<double>{9, 12, 15}));
    BOOST_TEST((polynomial(m, 0, xt::keep_dims) == matrix{{9, 12, 15}}));
    BOOST_TEST(xgrad::reduce_with(app::polynomial_op{2.0}, m, {0, 1}) == polynomial(m));
    BOOST_TEST((counted_sum(m, 1) == xt::xtensor<double, 1>{18, 45}));
    BOOST_TEST(counted_sum(m) == 126);
    BOOST_TEST(counted_sum(m * 2.0) == 252);
    BOOST_TEST(counted_sum(xt::xtensor<int, 1>{1, 2}) == 6);
    BOOST_CHECK_THROW(polynomial(m, 2), std::invalid_argument);
    BOOST_CHECK_THROW(polynomial(xt::xtensor<double, 1>()), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(of_active_arrays) {
    XGRAD_CHECK_RULE([](auto const& x) { return polynomial(x); }, m);
    XGRAD_CHECK_RULE([](auto const& x) { return sum(polynomial(x, 0) * polynomial(x * x, 0)); }, xt::xarray<double>(m));
    XGRAD_CHECK_RULE([](auto const& x) { return sum(polynomial(transpose(x), 0, xt::keep_dims)); }, m);
    XGRAD_CHECK_RULE([](auto const& x) { return counted_sum(x * x); }, m);
    XGRAD_CHECK_RULE([](auto const& x) { return sum(xgrad::reduce_with(app::counted_sum_op{}, x, {1}) * polynomial(x, 1)); }, m);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return sum(polynomial(x, 5)); }, m), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return polynomial(x); }, xt::xtensor<double, 1>()), std::invalid_argument);
}
