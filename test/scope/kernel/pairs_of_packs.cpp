// Formulas of several long operations, whose kernels take two packs at once: rows of every length, so that pairs, single packs and rests meet.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

// y = max(tanh(x b) exp(-x), 0.1), and its derivatives.
template <class T>
struct element {
    T y, x, b;
    element(T x0, T b0) {
        T const t = std::tanh(x0 * b0), e = std::exp(-x0), v = t * e;
        bool const open = v > T(0.1F);
        y = open ? v : T(0.1F);
        x = open ? (1 - t * t) * b0 * e - v : T(0);
        b = open ? (1 - t * t) * x0 * e : T(0);
    }
};
auto const formula = [](auto const& x, auto const& b) { return maximum(tanh(x * b) * exp(-x), 0.1F); };
auto const total = [](auto const& x, auto const& b) { return sum(formula(x, b)); };
auto const named = [](auto const& x, auto const& b) {
    auto y = formula(x, b);
    auto z = exp(0.5F * log(y * y));
    return sum(y) + sum(z);
};

template <class T, class F>
void check(F const& f, T factor, std::size_t rows, std::size_t n) {
    auto x = xt::xtensor<T, 2>::from_shape({rows, n});
    auto b = xt::xtensor<T, 1>::from_shape({n});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i))) * 2;
    for (std::size_t j = 0; j < n; ++j) b(j) = static_cast<T>(std::cos(1.3 * static_cast<double>(j)) + 0.6);
    T value = 0, scale = 1, worst = 0;
    xt::xtensor<T, 2> xbar = x;
    xt::xtensor<T, 1> bbar = xt::zeros<T>({n});
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            element<T> const e(x(i, j), b(j));
            value += factor * e.y;
            xbar(i, j) = factor * e.x;
            bbar(j) += factor * e.b;
            scale = std::max({scale, std::abs(value), std::abs(bbar(j))});
        }
    auto const [y, gradient] = xgrad::value_and_gradient(f, x, b);
    auto const& [xg, bg] = gradient;
    worst = std::abs(y - value);
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(xg.data()[i] - xbar.data()[i]));
    for (std::size_t j = 0; j < n; ++j) worst = std::max(worst, std::abs(bg(j) - bbar(j)));
    BOOST_TEST(worst <= 64 * std::numeric_limits<T>::epsilon() * scale, rows << " rows of " << n << ": off by " << worst);
}

template <class T>
void check_directions(std::size_t rows, std::size_t n) {
    auto x = xt::xtensor<T, 2>::from_shape({rows, n}), xdot = x;
    auto b = xt::xtensor<T, 1>::from_shape({n}), bdot = b;
    for (std::size_t i = 0; i < x.size(); ++i) {
        x.data()[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i)));
        xdot.data()[i] = static_cast<T>(std::cos(0.3 * static_cast<double>(i)));
    }
    for (std::size_t j = 0; j < n; ++j) {
        b(j) = static_cast<T>(std::cos(1.3 * static_cast<double>(j)) + 2);
        bdot(j) = 1;
    }
    auto const f = [](auto const& u, auto const& v) { return sum(tanh(u * v) * exp(-u)); };
    auto const h = xgrad::hvp(f, std::tie(x, b), std::tie(xdot, bdot));
    T const step = std::cbrt(std::numeric_limits<T>::epsilon());
    xt::xtensor<T, 2> const x1 = x + step * xdot, x0 = x - step * xdot;
    xt::xtensor<T, 1> const b1 = b + step * bdot, b0 = b - step * bdot;
    auto const [xg1, bg1] = xgrad::gradient(f, x1, b1);
    auto const [xg0, bg0] = xgrad::gradient(f, x0, b0);
    auto const& [xh, bh] = h.product;
    T worst = 0, scale = 1;
    auto compare = [&](T found, T up, T down) {
        worst = std::max(worst, std::abs(found - (up - down) / (2 * step)));
        scale = std::max(scale, std::abs(found));
    };
    for (std::size_t i = 0; i < x.size(); ++i) compare(xh.data()[i], xg1.data()[i], xg0.data()[i]);
    for (std::size_t j = 0; j < n; ++j) compare(bh(j), bg1(j), bg0(j));
    BOOST_TEST(worst <= 50 * step * step * scale, rows << " rows of " << n << ": off by " << worst);
}

}

BOOST_AUTO_TEST_CASE(rows_of_every_length_agree_with_the_formula_element_by_element) {
    for (std::size_t n = 0; n <= 35; ++n)
        for (std::size_t const rows : {std::size_t{1}, std::size_t{3}}) {
            check<double>(total, 1, rows, n);
            check<float>(total, 1, rows, n);
            check<double>(named, 2, rows, n);
            check<float>(named, 2, rows, n);
        }
}
BOOST_AUTO_TEST_CASE(a_nan_stays_where_it_is) {
    xt::xtensor<double, 1> x = xt::linspace(0.1, 1.0, 37), b = x;
    x(17) = std::numeric_limits<double>::quiet_NaN();
    auto const [xg, bg] = xgrad::gradient([](auto const& u, auto const& v) { return sum(where(u > 0.0, tanh(u * v) * exp(-u), 0.0)); }, x, b);
    for (std::size_t i = 0; i < x.size(); ++i) {
        bool const is_zero = xg(i) == 0 && bg(i) == 0;
        BOOST_TEST(is_zero == (i == 17));
        BOOST_TEST(!std::isnan(xg(i)));
    }
}
BOOST_AUTO_TEST_CASE(second_derivatives_agree_with_differences) {
    for (std::size_t const n : {0, 1, 3, 4, 9, 16, 21, 35}) check_directions<double>(2, n);
}
