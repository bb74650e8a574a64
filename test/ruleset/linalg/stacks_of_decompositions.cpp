// Decompositions and exponentials of stacks of matrices: each is what it is alone, and so are its derivatives.
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

using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
namespace xg = xgrad;
constexpr xg::rule_checks in_calls{.plain = false};

cube stack(std::size_t m, std::size_t n, std::size_t k) {
    cube a = xt::zeros<double>({m, n, k});
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = std::sin(0.7 * static_cast<double>(i * i) + 0.4);
    return a;
}
void good(xg::rule_report const& report) { BOOST_TEST(static_cast<bool>(report), report.text()); }
matrix at(cube const& a, std::size_t k) { return xt::view(a, k); }
// Every part of f(a) is, for each matrix, that of f of the matrix.
template <class F>
void each_is_alone(F f, cube const& a) {
    auto const all = f(a);
    for (std::size_t k = 0; k < a.shape(0); ++k) {
        auto const one = f(at(a, k));
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            bool const agree = (xt::allclose(xt::view(std::get<I>(all), k), std::get<I>(one)) && ...);
            BOOST_TEST(agree);
        }(std::make_index_sequence<std::tuple_size_v<decltype(all)>>());
    }
}

}

BOOST_AUTO_TEST_CASE(values) {
    cube const square = stack(2, 3, 3);
    each_is_alone([](auto const& a) { return xg::eigh(a); }, square);
    each_is_alone([](auto const& a) { return std::tuple(xg::expm(a), xg::eigvalsh(a)); }, square);
    for (auto const& a : {stack(2, 4, 3), stack(2, 2, 3)}) {
        each_is_alone([](auto const& x) { return xg::svd(x); }, a);
        each_is_alone([](auto const& x) { return xg::qr(x); }, a);
        each_is_alone([](auto const& x) { return std::tuple(xg::svdvals(x)); }, a);
    }
    xt::xtensor<double, 4> const more = xt::view(square, xt::all(), xt::newaxis());
    auto const [w, v] = xg::eigh(more);
    BOOST_TEST((w.dimension() == 3u && v.dimension() == 4u && v.shape(1) == 1u));
    BOOST_TEST(std::get<0>(xg::svd(cube(xt::zeros<double>({0, 2, 3})))).shape(0) == 0u);
    BOOST_CHECK_THROW(xg::eigh(stack(2, 2, 3)), std::invalid_argument);
    BOOST_CHECK_THROW(xg::expm(stack(2, 2, 3)), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(derivatives_of_square_matrices) {
    cube const a = stack(2, 3, 3);
    good(xg::check_rule<in_calls>(
        [](auto const& x) {
            auto const [w, v] = xg::eigh(x);
            return sum(square(w)) + sum(square(v * v)) + sum(exp(xg::eigvalsh(x))) + sum(square(xg::expm(x)));
        },
        a));
}
BOOST_AUTO_TEST_CASE(derivatives_of_others) {
    for (auto const& a : {stack(2, 4, 3), stack(2, 2, 3)}) {
        good(xg::check_rule<in_calls>(
            [](auto const& x) {
                auto const [u, s, v] = xg::svd(x);
                auto const [q, r] = xg::qr(x);
                return sum(s * s) + sum(square(u * u)) + sum(square(v * v)) + sum(exp(xg::svdvals(x))) + sum(square(q * q)) + sum(exp(r));
            },
            a));
    }
}
BOOST_AUTO_TEST_CASE(complex_matrices_and_another_layout) {
    using complex = std::complex<double>;
    xt::xtensor<complex, 3> const z = stack(2, 3, 3) * complex(1.0, 0.0) + xt::flip(stack(2, 3, 3), 1) * complex(0.0, 0.5);
    auto const f = [](auto const& x) {
        auto const [w, v] = xg::eigh(x);
        return sum(w * w) + norm_sq(xg::expm(x)) + sum(exp(xg::svdvals(x)));
    };
    auto const [y, g] = xg::value_and_gradient(f, z);
    double sum = 0;
    for (std::size_t k = 0; k < 2; ++k) {
        auto const [y1, g1] = xg::value_and_gradient(f, xt::xtensor<complex, 2>(xt::view(z, k)));
        sum += y1;
        BOOST_TEST(xt::allclose(xt::abs(xt::view(std::get<0>(g), k) - std::get<0>(g1)), 0.0, 1e-10, 1e-10));
    }
    BOOST_TEST(y == sum, boost::test_tools::tolerance(1e-12));
    xt::xtensor<double, 3, xt::layout_type::column_major> const a = stack(2, 3, 3);
    auto const h = [](auto const& x) { return xgrad::sum(square(xg::expm(x))) + xgrad::sum(square(std::get<1>(xg::qr(x)))); };
    BOOST_TEST(xt::allclose(std::get<0>(xg::gradient(h, a)), std::get<0>(xg::gradient(h, cube(a)))));
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
