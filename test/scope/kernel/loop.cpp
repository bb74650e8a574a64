// The kernels on plain arrays in every layout: what they write, what they give back, and how exact their sums are.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

template <class T>
xt::xtensor<T, 2> filled(std::size_t m, std::size_t n) {
    auto x = xt::xtensor<T, 2>::from_shape({m, n});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(std::sin(0.3 * static_cast<double>(i) + 1));
    return x;
}

// x y + b, of which each operand lies as it likes; b along the rows, c down the columns. Its gradient is known.
template <class T>
void check_layouts(std::size_t m, std::size_t n) {
    auto const x = filled<T>(m, n), y = filled<T>(n, m), b = filled<T>(1, n), c = filled<T>(m, 1), w = filled<T>(m, 2 * n);
    auto const f = [](auto const& p, auto const& q, auto const& row, auto const& column, auto const& wide) {
        auto s = p * transpose(q) + row + column * view(wide, xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(wide.shape()[1]), 2));
        return sum(s * s);
    };
    auto const [xbar, ybar, bbar, cbar, wbar] = xgrad::gradient(f, x, y, b, c, w);
    xt::xtensor<T, 2> const v = xt::view(w, xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(2 * n), 2));
    xt::xtensor<T, 2> const r = T(2) * (x * xt::transpose(y) + b + c * v);
    auto const near = [](auto const& found, auto const& expected) {
        BOOST_REQUIRE(found.shape() == expected.shape());
        std::size_t right = 0;
        for (std::size_t i = 0; i < found.shape(0); ++i)
            for (std::size_t j = 0; j < found.shape(1); ++j) right += std::abs(found(i, j) - expected(i, j)) < T(sizeof(T) == 4 ? 1e-3 : 1e-11);
        BOOST_TEST(right == expected.size());
    };
    near(xbar, xt::xtensor<T, 2>(r * xt::transpose(y)));
    near(ybar, xt::xtensor<T, 2>(xt::transpose(xt::xtensor<T, 2>(r * x))));
    near(bbar, xt::xtensor<T, 2>(xt::sum(r, {0}, xt::keep_dims)));
    near(cbar, xt::xtensor<T, 2>(xt::sum(xt::xtensor<T, 2>(r * v), {1}, xt::keep_dims)));
    xt::xtensor<T, 2> expected = xt::zeros<T>({m, 2 * n});
    xt::view(expected, xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(2 * n), 2)) = r * c;
    near(wbar, expected);
}

// Along either axis.
template <class T>
void check_sums(std::size_t m, std::size_t n) {
    auto const x = filled<T>(m, n);
    for (int axis : {0, 1}) {
        auto const [value, gradient] = xgrad::value_and_gradient([axis](auto const& p) { auto q = sum(p * p, {axis}); return sum(q * q); }, x);
        xt::xtensor<T, 2> const s = xt::sum(xt::xtensor<T, 2>(x * x), {axis}, xt::keep_dims);
        T const expected = xt::sum(xt::xtensor<T, 2>(s * s))();
        BOOST_CHECK_SMALL(value - expected, T(sizeof(T) == 4 ? 1e-3 : 1e-10) * (1 + expected));
        xt::xtensor<T, 2> const xbar = T(4) * s * x;
        std::size_t right = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            right += std::abs(std::get<0>(gradient).data()[i] - xbar.data()[i]) < T(sizeof(T) == 4 ? 1e-3 : 1e-10) * (1 + std::abs(xbar.data()[i]));
        BOOST_TEST(right == x.size());
    }
}

}

BOOST_AUTO_TEST_CASE(of_every_layout) {
    for (std::size_t m : {1u, 2u, 7u, 16u})
        for (std::size_t n : {1u, 3u, 8u, 33u, 64u, 140u}) {
            check_layouts<double>(m, n);
            check_layouts<float>(m, n);
        }
    check_layouts<double>(3, 600);
}
BOOST_AUTO_TEST_CASE(along_axes) {
    for (std::size_t m : {1u, 2u, 9u})
        for (std::size_t n : {1u, 3u, 8u, 37u, 64u, 600u}) {
            check_sums<double>(m, n);
            check_sums<float>(m, n);
        }
}
// Beside a column whose element belongs to the same array: what comes to that is not lost where all of the array is assigned.
BOOST_AUTO_TEST_CASE(of_an_array_beside_its_elements) {
    for (std::size_t n : {1u, 3u, 8u, 20u, 200u}) {
        xt::xtensor<double, 1> const x = xt::ones<double>({n}) * 2.0;
        auto const [g] = xgrad::gradient([](auto const& p) { return sum(p(0) * p); }, x);
        for (std::size_t i = 0; i < n; ++i) BOOST_CHECK_CLOSE(g(i), (i == 0 ? 2.0 * static_cast<double>(n) : 0.0) + 2.0, 1e-12);
    }
}
// The last step of a row takes elements that the step before has taken: what is added to a cotangent, or comes to lie where it is computed from, comes once.
template <class T>
void check_rests(std::size_t m, std::size_t n) {
    auto const x = filled<T>(m, n + 2), b = filled<T>(1, n), c = filled<T>(m, 1);
    auto const f = [&](auto const& p, auto const& row, auto const& column) {
        auto const part = [&](std::ptrdiff_t j) { return view(p, xt::all(), xt::range(j, j + static_cast<std::ptrdiff_t>(n))); };
        auto left = part(0) * row + column;
        auto middle = sin(std::move(left)) * 2.0;
        auto right = exp(std::move(middle)) * part(2);
        auto along = sum(right * column, {0});
        return sum(right * row) + sum(along * along) + sum(sum(part(1) * right, {1}));
    };
    auto const [value, gradient] = xgrad::value_and_gradient(f, x, b, c);
    xt::xtensor<T, 2> xbar = xt::zeros<T>({m, n + 2}), bbar = xt::zeros<T>({std::size_t(1), n}), cbar = xt::zeros<T>({m, std::size_t(1)});
    xt::xtensor<T, 2> y = xt::zeros<T>({m, n});
    std::vector<T> along(n, T(0));
    T expected = 0;
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            y(i, j) = std::exp(2 * std::sin(x(i, j) * b(0, j) + c(i, 0))) * x(i, j + 2);
            along[j] += y(i, j) * c(i, 0);
            expected += y(i, j) * (b(0, j) + x(i, j + 1));
        }
    for (std::size_t j = 0; j < n; ++j) expected += along[j] * along[j];
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            T const ybar = b(0, j) + 2 * along[j] * c(i, 0) + x(i, j + 1);
            T const u = x(i, j) * b(0, j) + c(i, 0), ubar = ybar * y(i, j) * 2 * std::cos(u);
            xbar(i, j) += ubar * b(0, j);
            xbar(i, j + 1) += y(i, j);
            xbar(i, j + 2) += ybar * std::exp(2 * std::sin(u));
            bbar(0, j) += y(i, j) + ubar * x(i, j);
            cbar(i, 0) += ubar + 2 * along[j] * y(i, j);
        }
    auto const near = [](auto const& found, auto const& right) {
        double worst = 0, most = 1;
        for (std::size_t k = 0; k < right.size(); ++k) {
            double const apart = std::abs(static_cast<double>(found.data()[k]) - static_cast<double>(right.data()[k]));
            worst = apart <= worst ? worst : apart;
            most = std::max(most, std::abs(static_cast<double>(right.data()[k])));
        }
        return worst <= most * (sizeof(T) == 4 ? 1e-4 : 1e-12);
    };
    BOOST_TEST(std::abs(value - expected) <= (sizeof(T) == 4 ? T(1e-4) : T(1e-12)) * std::abs(expected));
    BOOST_TEST(near(std::get<0>(gradient), xbar), m << " x " << n);
    BOOST_TEST(near(std::get<1>(gradient), bbar), m << " x " << n);
    BOOST_TEST(near(std::get<2>(gradient), cbar), m << " x " << n);
}
BOOST_AUTO_TEST_CASE(of_rows_that_steps_do_not_fill) {
    for (std::size_t n : {9u, 36u, 100u, 131u, 257u, 260u, 300u, 515u, 1030u})
        for (std::size_t m : {1u, 2u, 5u}) {
            check_rests<double>(m, n);
            check_rests<float>(m, n);
        }
}
// The cotangent of what nobody else knows lies where that of the name does that it is an operand of, and each is read before it is written.
BOOST_AUTO_TEST_CASE(of_a_cotangent_that_lies_where_it_is_computed_from) {
    for (std::size_t n : {3u, 9u, 20u, 300u, 515u, 1030u, 9001u}) {
        xt::xtensor<double, 1> x = xt::zeros<double>({n});
        for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(0.3 * static_cast<double>(i) + 1);
        // of one operand, too
        auto const alone = std::get<0>(xgrad::gradient([](auto const& p) {
            auto y = sin(cumsum(p));
            return sum(y * y);
        }, x));
        auto const g = std::get<0>(xgrad::gradient([](auto const& p) {
            auto y = sin(cumsum(p) * p);
            return sum(y * y);
        }, x));
        double along = 0;
        std::vector<double> sums;
        for (std::size_t i = 0; i < n; ++i) sums.push_back(along += x(i));
        double sums_bar = 0, alone_bar = 0, worst = 0;
        for (std::size_t i = n; i-- > 0;) {
            double const z_bar = std::sin(2 * sums[i] * x(i));
            sums_bar += z_bar * x(i);
            alone_bar += std::sin(2 * sums[i]);
            double const apart = std::abs(g(i) - (sums_bar + z_bar * sums[i])) + std::abs(alone(i) - alone_bar);
            worst = apart <= worst ? worst : apart;
        }
        BOOST_TEST(worst < 1e-10, n << ": " << worst);
    }
}
// A name that moves into a bigger formula is part of its kernel again, and whoever else uses it contributes as well.
BOOST_AUTO_TEST_CASE(of_a_name_that_moves) {
    xt::xtensor<double, 1> const x{0.5, -1.0, 2.0, 3.0, -0.25};
    auto const [value, gradient] = xgrad::value_and_gradient(
        [](auto const& p) {
            auto t = p * p;
            auto total = sum(t);
            auto alias = t * 3.0;
            auto y = std::move(t) * p + alias;
            return sum(y) + total;
        },
        x);
    for (std::size_t i = 0; i < x.size(); ++i) BOOST_CHECK_CLOSE(std::get<0>(gradient)(i), 3 * x(i) * x(i) + 8 * x(i), 1e-12);
    BOOST_CHECK_CLOSE(value, xt::sum(x * x * x + 4.0 * x * x)(), 1e-12);
}
// Numbers are added as a tree: the error does not grow with their count.
BOOST_AUTO_TEST_CASE(exact_sums) {
    std::size_t const n = 10'000'000;
    xt::xtensor<float, 1> const x = xt::ones<float>({n}) * 0.1F;
    double const expected = static_cast<double>(n) * 0.1F;
    auto const [value, gradient] = xgrad::value_and_gradient([](auto const& p, auto const& s) { return sum(p * s); }, x, 1.0F);
    BOOST_CHECK_CLOSE(value, expected, 1e-4);
    BOOST_CHECK_CLOSE(std::get<1>(gradient), expected, 1e-4);
}
// Along axes, too, each number of the result.
template <class T>
void check_sums_along(std::vector<std::size_t> const& shape, std::vector<int> const& axes) {
    xt::xarray<T> x(shape);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = T(0.1F) * static_cast<T>(1 + i * i % 7);
    xt::xarray<double> const in_double = xt::cast<double>(x), expected = xt::sum(in_double, axes), squares = xt::sum(in_double * in_double, axes);
    xt::xarray<T> const weights = xt::xarray<T>(xt::ones<T>(expected.shape()));
    xt::xarray<T> sums, norms;
    auto const [value, gradient] = xgrad::value_and_gradient([&](auto const& a) {
        auto s = sum(a, axes);
        auto r = norm_l2(a * T(0x1p-100), axes);  // squares of floats are lost: by a second pass
        sums = xgrad::primal(s);
        norms = xgrad::primal(r);
        return sum(s * weights);
    }, x);
    double worst = std::abs(static_cast<double>(value) / xt::sum(expected)() - 1);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(sums.data()[i]) / expected.data()[i] - 1));
        worst = std::max(worst, std::abs(static_cast<double>(norms.data()[i]) / (std::sqrt(squares.data()[i]) * 0x1p-100) - 1));
    }
    BOOST_TEST(worst < (std::is_same_v<T, float> ? 1e-6 : 1e-13), axes.size() << " axes of " << x.dimension() << ": " << worst);
    BOOST_TEST(xt::all(xt::equal(std::get<0>(gradient), T(1))));
}
BOOST_AUTO_TEST_CASE(exact_sums_along_axes) {
    check_sums_along<float>({333'333, 3}, {0});
    check_sums_along<float>({3, 333'333}, {1});
    check_sums_along<float>({5, 20'000, 7}, {1});
    check_sums_along<float>({4, 300, 5, 70}, {1, 3});
    check_sums_along<float>({200, 129, 3}, {1});  // runs that end inside of a tile
    check_sums_along<double>({2, 5000, 3}, {1});
}

// A cotangent that is no number goes on; where there is none nothing does, whatever the derivative is.
BOOST_AUTO_TEST_CASE_TEMPLATE(cotangents_of_every_kind, T, decltype(std::tuple(1.0, 1.0F))) {
    using array = xt::xtensor<T, 1>;
    array x = array::from_shape({19}), seed = x;
    for (std::size_t i = 0; i < 19; ++i) {
        x(i) = i % 3 == 0 ? T(0) : static_cast<T>(1 + i);
        seed(i) = i % 4 == 0 ? std::numeric_limits<T>::quiet_NaN() : T(i % 4 == 1 ? 0 : 2);
    }
    auto [y, pull] = xgrad::vjp([](auto const& p) { return sqrt(p) * T(2) + p; }, x);
    auto const g = std::get<0>(pull(seed));
    for (std::size_t i = 0; i < 19; ++i) {
        if (i % 4 == 0) BOOST_TEST(std::isnan(g(i)));
        else if (i % 4 == 1) BOOST_TEST(g(i) == T(0));
        else BOOST_TEST((i % 3 == 0 ? std::isinf(g(i)) : std::abs(g(i) - (2 / std::sqrt(x(i)) + 2)) < T(1e-5)));
    }
}
