// Stacks of matrices: each is what it is alone, and so are its derivatives; axes that broadcast, layouts, empty stacks and what is refused.
#include <cmath>
#include <complex>
#include <cstddef>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/check_rule.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#if defined(HAVE_CBLAS)

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
namespace xg = xgrad;

// m matrices of n rows, regular, symmetric and positive definite.
cube stack(std::size_t m, std::size_t n) {
    cube a = xt::zeros<double>({m, n, n});
    for (std::size_t k = 0; k < m; ++k)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) a(k, i, j) = std::cos(static_cast<double>(k + i * j)) * 0.3 + (i == j ? static_cast<double>(2 + k) : 0);
    return a;
}
cube columns(std::size_t m, std::size_t n, std::size_t k) {
    cube b = xt::zeros<double>({m, n, k});
    for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = std::sin(1.7 * static_cast<double>(i) + 0.4);
    return b;
}
void good(xg::rule_report const& report) { BOOST_TEST(static_cast<bool>(report), report.text()); }
matrix at(cube const& a, std::size_t k) { return xt::view(a, k); }

}

BOOST_AUTO_TEST_CASE(each_is_what_it_is_alone) {
    for (std::size_t n : {2, 6}) {
        cube const a = stack(3, n), b = columns(3, n, 2);
        vector const v = xt::view(b, 0, xt::all(), 0);
        cube const x = xg::solve(a, b), i = xg::inv(a), l = xg::cholesky(a), one = xg::solve(at(a, 1), b);
        matrix const y = xg::solve(a, v);
        vector const d = xg::det(a);
        auto const [sign, logarithm] = xg::slogdet(cube(-a));
        for (std::size_t k = 0; k < 3; ++k) {
            BOOST_TEST(xt::allclose(at(x, k), xg::solve(at(a, k), at(b, k))));
            BOOST_TEST(xt::allclose(at(one, k), xg::solve(at(a, 1), at(b, k))));
            BOOST_TEST(xt::allclose(vector(xt::view(y, k)), xg::solve(at(a, k), v)));
            BOOST_TEST(xt::allclose(at(i, k), xg::inv(at(a, k))));
            BOOST_TEST(xt::allclose(at(l, k), xg::cholesky(at(a, k))));
            BOOST_TEST(d(k) == xg::det(at(a, k)), boost::test_tools::tolerance(1e-12));
            BOOST_TEST(sign(k) == (n % 2 == 0 ? 1.0 : -1.0));
            BOOST_TEST(logarithm(k) == std::log(xg::det(at(a, k))), boost::test_tools::tolerance(1e-12));
        }
        // of dynamic rank, with two axes before, one of which is broadcast
        xt::xarray<double> many = a, few = xt::view(b, xt::newaxis());
        many.reshape({3, 1, n, n});
        xt::xarray<double> const all = xg::solve(many, few);
        BOOST_TEST((all.dimension() == 4 && all.shape(0) == 3 && all.shape(1) == 3));
        BOOST_TEST(xt::allclose(matrix(xt::view(all, 2, 1)), xg::solve(at(a, 2), at(b, 1))));
        BOOST_TEST(xt::allclose(xg::inv(many), xt::xarray<double>(xt::view(i, xt::all(), xt::newaxis()))));
    }
}
BOOST_AUTO_TEST_CASE(derivatives) {
    for (std::size_t n : {2, 5}) {
        cube const a = stack(2, n), b = columns(2, n, 2);
        vector const v = xt::view(b, 0, xt::all(), 0);
        good(xg::check_rule([](auto const& A, auto const& B) { return sum(square(xg::solve(A, B))); }, a, b));
        good(xg::check_rule([](auto const& A, auto const& B) { return sum(square(xg::solve(A, B))) + sum(A); }, at(a, 0), b));
        good(xg::check_rule([](auto const& A, auto const& x) { return sum(square(xg::solve(A, x))); }, a, v));
        // beside a plain one
        good(xg::check_rule([&](auto const& A) { return sum(square(xg::solve(A, b))) + sum(square(xg::solve(a, A))) + sum(square(xg::matmul(A, b))); }, a));
        good(xg::check_rule([](auto const& A) {
            auto const i = xg::inv(A);
            return sum(i * A * A) + sum(square(xg::det(A))) + sum(exp(0.1 * std::get<1>(xg::slogdet(A)))) + sum(square(xg::cholesky(A)));
        }, a));
    }
}
BOOST_AUTO_TEST_CASE(layouts_and_complex_numbers) {
    cube const a = stack(3, 3);
    auto const f = [](auto const& A) { return sum(square(xg::inv(transpose(A, {2, 0, 1})))); };
    auto const by_one = [](auto const& A) {
        auto total = xg::number_like<decltype(sum(A))>(0.0);
        for (std::size_t k = 0; k < 3; ++k) total = total + sum(square(xg::inv(transpose(view(A, xt::all(), xt::all(), k)))));
        return total;
    };
    cube const turned = xt::transpose(a, {1, 2, 0});
    auto const expected = xg::value_and_gradient(by_one, turned), found = xg::value_and_gradient(f, turned);
    BOOST_TEST(found.value == expected.value, boost::test_tools::tolerance(1e-13));
    BOOST_TEST(xt::allclose(std::get<0>(found.gradient), std::get<0>(expected.gradient)));
    // column-major, and a result that adds to what is there
    xt::xtensor<double, 3, xt::layout_type::column_major> const columns_first = turned;
    BOOST_TEST(xt::allclose(std::get<0>(xg::gradient([&](auto const& A) { return f(A) + sum(A); }, columns_first)), std::get<0>(expected.gradient) + 1.0));

    using complex = std::complex<double>;
    xt::xtensor<complex, 3> const z = a * complex(1.0, 0.2), w = columns(3, 3, 2) * complex(0.3, -1.0);
    auto const g = [](auto const& A, auto const& B) { return norm_sq(xg::solve(A, B)) + norm_sq(xg::det(A)) + norm_sq(xg::inv(A)); };
    good(xg::check_rule<xg::rule_checks{.plain = false}>(g, z, w));
}
BOOST_AUTO_TEST_CASE(none_and_bad_input) {
    cube const none = xt::zeros<double>({0, 2, 2});
    BOOST_TEST(cube(xg::inv(none)).shape(0) == 0u);
    BOOST_TEST(std::get<0>(xg::gradient([](auto const& A) { return sum(xg::det(A)); }, none)).size() == 0u);
    cube bad = stack(3, 2);
    xt::view(bad, 1) = 1.0;
    BOOST_CHECK_THROW(xg::inv(bad), std::runtime_error);
    BOOST_CHECK_THROW(xg::cholesky(cube(-stack(2, 3))), std::runtime_error);
    BOOST_CHECK_THROW(xg::inv(columns(2, 2, 3)), std::invalid_argument);
    BOOST_CHECK_THROW(xg::solve(stack(2, 2), columns(3, 2, 1)), std::invalid_argument);
    BOOST_CHECK_THROW(xg::solve(stack(2, 2), columns(2, 3, 1)), std::invalid_argument);
    BOOST_CHECK_THROW(xg::det(xt::xarray<double>(stack(2, 2))), std::invalid_argument);
    BOOST_CHECK_THROW(xg::inv(xt::xarray<double>({1.0})), std::invalid_argument);
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
