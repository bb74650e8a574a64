// Kernels of rows of every length, beside operands that are one number for each of them: what these are divided by, and what they are given.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

template <class T>
using matrix = xt::xtensor<T, 2>;

template <class T>
matrix<T> filled(std::size_t m, std::size_t n, double phase) {
    auto x = matrix<T>::from_shape({m, n});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(1.5 + std::sin(0.7 * static_cast<double>(i) + phase));
    return x;
}
template <class T>
void check_near(matrix<T> const& found, matrix<double> const& expected, char const* what) {
    BOOST_REQUIRE(found.shape() == expected.shape());
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(found.data()[i]) - expected.data()[i]) / (1 + std::abs(expected.data()[i])));
    BOOST_TEST(worst < (sizeof(T) == 4 ? 2e-5 : 1e-13), what << " of " << found.shape(0) << " x " << found.shape(1) << ": " << worst);
}
// f of p (m x n), c and d (m x 1), and its gradients, known by a formula.
template <class T, class F, class G>
void check(std::size_t m, std::size_t n, char const* what, F f, G gradients) {
    auto const p = filled<T>(m, n, 0.0), c = filled<T>(m, 1, 1.0), d = filled<T>(m, 1, 2.0);
    auto const [pbar, cbar, dbar] = xgrad::gradient(f, p, c, d);
    matrix<double> const x = xt::cast<double>(p), a = xt::cast<double>(c), b = xt::cast<double>(d);
    auto const [px, ca, db] = gradients(x, a, b);
    check_near<T>(pbar, px, what);
    check_near<T>(cbar, ca, what);
    check_near<T>(dbar, db, what);
}
constexpr auto along_rows = [](auto const& e) { return matrix<double>(xt::sum(e, {1}, xt::keep_dims)); };

template <class T>
void check_rows(std::size_t m, std::size_t n) {
    auto const count = static_cast<double>(n);
    check<T>(
        m, n, "a quotient", [](auto const& p, auto const& c, auto const& d) { return sum(square(p / c) * d); },
        [](auto const& p, auto const& c, auto const& d) {
            return std::tuple(matrix<double>(2.0 * p * d / (c * c)), matrix<double>(-2.0 * along_rows(p * p) * d / (c * c * c)),
                              matrix<double>(along_rows(p * p) / (c * c)));
        });
    check<T>(
        m, n, "a quotient of a row's expression", [](auto const& p, auto const& c, auto const& d) { return sum(square(p / (c + d * 2.0))); },
        [](auto const& p, auto const& c, auto const& d) {
            matrix<double> const b = c + 2.0 * d, bbar = -2.0 * along_rows(p * p) / (b * b * b);
            return std::tuple(matrix<double>(2.0 * p / (b * b)), bbar, matrix<double>(2.0 * bbar));
        });
    check<T>(
        m, n, "several uses in turn", [](auto const& p, auto const& c, auto const& d) { return sum(p * (c * c) + d); },
        [=](auto const& p, auto const& c, auto const& d) {
            return std::tuple(matrix<double>(0.0 * p + c * c), matrix<double>(2.0 * c * along_rows(p)), matrix<double>(0.0 * d + count));
        });
    check<T>(
        m, n, "uses between others", [](auto const& p, auto const& c, auto const& d) { return sum((c * p + d) * (c / p) + d * c); },
        [=](auto const& p, auto const& c, auto const& d) {
            return std::tuple(matrix<double>(-c * d / (p * p)), matrix<double>(2.0 * count * c + d * along_rows(1.0 / p) + count * d),
                              matrix<double>(c * along_rows(1.0 / p) + count * c));
        });
    check<T>(
        m, n, "rows alone",
        [](auto const& p, auto const& c, auto const& d) { return sum(xgrad::broadcast(c * d, p.shape()) * xgrad::broadcast(c, p.shape())); },
        [=](auto const& p, auto const& c, auto const& d) {
            return std::tuple(matrix<double>(0.0 * p), matrix<double>(2.0 * count * c * d), matrix<double>(count * c * c));
        });
    check<T>(
        m, n, "sums along them", [](auto const& p, auto const& c, auto const& d) {
            auto e = p - 0.5 * mean(p, {1}, xt::keep_dims);
            return sum(square(sum(e / c, {1}, xt::keep_dims) + sum(p, {1}, xt::keep_dims) * d));
        },
        [](auto const& p, auto const& c, auto const& d) {
            matrix<double> const s = along_rows(p), slope = 0.5 / c + d;
            return std::tuple(matrix<double>(0.0 * p + 2.0 * s * slope * slope), matrix<double>(-s * s * slope / (c * c)), matrix<double>(2.0 * s * s * slope));
        });
}

}

BOOST_AUTO_TEST_CASE(of_every_length) {
    for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 10u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 127u, 128u, 130u, 256u, 300u})
        for (std::size_t m : {1u, 2u, 9u, 70u}) {
            check_rows<double>(m, n);
            check_rows<float>(m, n);
        }
    check_rows<double>(3, 9000);
}
// As it is divided by, whatever the number of the row is: to a unit in the last place, and by the same infinities.
BOOST_AUTO_TEST_CASE(of_numbers_of_every_kind) {
    using limits = std::numeric_limits<double>;
    for (std::size_t n : {5u, 64u, 200u}) {
        matrix<double> c{{1.0}, {3.0}, {-7.0}, {0.0}, {-0.0}, {limits::infinity()}, {limits::quiet_NaN()}, {limits::denorm_min()}, {limits::min()},
                         {limits::max()}};
        matrix<double> p = filled<double>(c.size(), n, 0.5);
        for (std::size_t i = 0; i < c.size(); ++i) p(i, 1) = 0.0, p(i, 2) = limits::infinity(), p(i, 3) = 1e-310;
        auto [y, pull] = xgrad::vjp([](auto const& x, auto const& row) { return x / row; }, p, c);
        auto const g = std::get<0>(pull(matrix<double>(xt::ones<double>(p.shape()))));
        for (std::size_t i = 0; i < c.size(); ++i)
            for (std::size_t j = 0; j < n; ++j) {
                auto const is_as = [](double found, double expected) {
                    if (std::isnan(expected)) return std::isnan(found);
                    return found == expected || std::abs(found - expected) <= 2 * limits::epsilon() * std::abs(expected) + limits::denorm_min();
                };
                BOOST_TEST(is_as(y(i, j), p(i, j) / c(i, 0)), p(i, j) << " / " << c(i, 0) << " is " << y(i, j));
                BOOST_TEST(is_as(g(i, j), 1.0 / c(i, 0)), "1 / " << c(i, 0) << " is " << g(i, j));
            }
    }
}
// Where nothing comes back nothing goes on, though a row's derivative is infinite.
BOOST_AUTO_TEST_CASE(of_cotangents_that_are_nothing) {
    for (std::size_t n : {3u, 64u, 150u}) {
        matrix<double> const p = filled<double>(4, n, 0.0), c = xt::zeros<double>({std::size_t(4), std::size_t(1)});
        auto [y, pull] = xgrad::vjp([](auto const& x, auto const& row) { return x * sqrt(row); }, p, c);
        matrix<double> seed = xt::zeros<double>(p.shape());
        seed(2, n / 2) = 1.0;
        auto const g = std::get<1>(pull(seed));
        for (std::size_t i = 0; i < 4; ++i) BOOST_TEST((i == 2 ? std::isinf(g(i, 0)) : g(i, 0) == 0.0));
    }
}
// Between two other axes, in both orders of memory, and of second order.
BOOST_AUTO_TEST_CASE(of_more_axes) {
    for (std::size_t n : {1u, 3u, 10u, 64u, 130u}) {
        xt::xtensor<double, 3> p = xt::xtensor<double, 3>::from_shape({5, n, 3}), c = xt::xtensor<double, 3>::from_shape({5, 1, 3});
        for (std::size_t i = 0; i < p.size(); ++i) p.data()[i] = 2.0 + std::sin(static_cast<double>(i));
        for (std::size_t i = 0; i < c.size(); ++i) c.data()[i] = 2.0 + std::cos(static_cast<double>(i));
        xt::xtensor<double, 3, xt::layout_type::column_major> const q = p, e = c;
        auto const f = [](auto const& x, auto const& row) { return sum(square(x / row)); };
        auto const [pbar, cbar] = xgrad::gradient(f, p, c);
        auto const [qbar, ebar] = xgrad::gradient(f, q, e);
        xt::xtensor<double, 3> const expected = 2.0 * p / (c * c), of_rows = -2.0 * xt::sum(p * p, {1}, xt::keep_dims) / (c * c * c);
        BOOST_TEST(xt::allclose(pbar, expected, 1e-13));
        BOOST_TEST(xt::allclose(cbar, of_rows, 1e-13));
        BOOST_TEST(xt::allclose(qbar, expected, 1e-13));
        BOOST_TEST(xt::allclose(ebar, of_rows, 1e-13));
        // along c alone Σ (p / c)² has the second derivatives 6 p² / c⁴
        auto const [value, slope, product] = xgrad::hvp([&](auto const& row) { return sum(square(p / row)); }, std::tuple(c), std::tuple(c));
        BOOST_TEST(xt::allclose(std::get<0>(product), 6.0 * xt::sum(p * p, {1}, xt::keep_dims) / (c * c * c), 1e-13));
    }
}
// Largest elements and products of rows.
BOOST_AUTO_TEST_CASE(reduced_by_other_rules) {
    for (std::size_t n : {1u, 2u, 5u, 8u, 12u, 33u}) {
        auto const p = filled<double>(20, n, 0.0);
        auto const [pbar] = xgrad::gradient([](auto const& x) { return sum(prod(x, {1})) + sum(square(amax(x * 1.0, {1}))); }, p);
        for (std::size_t i = 0; i < 20; ++i) {
            double product = 1, most = 0;
            for (std::size_t j = 0; j < n; ++j) product *= p(i, j), most = std::max(most, p(i, j));
            for (std::size_t j = 0; j < n; ++j) {
                double const expected = product / p(i, j) + (p(i, j) == most ? 2 * most : 0);
                BOOST_TEST(std::abs(pbar(i, j) - expected) < 1e-12 * (1 + std::abs(product)));
            }
        }
    }
}
