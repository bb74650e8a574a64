// Arrays of complex numbers in the forward mode: jvp, and hvp, of sums, norms and products.
#include <complex>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "complex_directions.hpp"

using namespace along_complex_directions;

BOOST_AUTO_TEST_CASE(arrays) {
    matrix const a{{number(1, 2), number(0.3, -1), number(-0.2, 0.1)}, {number(0.5, 0.5), number(-1, 0.2), number(2, -0.3)}};
    line const b{number(0.1, 0.2), number(-0.4, 0.9), number(0.6, -0.5)};
    check("broadcasting", [](auto const& u, auto const& v) { return sum(both(u * v + v / (u + 3.0))); }, a, b);
    check<false>("sums along axes", [](auto const& u) { return sum(both(square(sum(u, {1})))) + both(mean(u)) + both(sum(mean(u, {0}) * number(0, 2))); }, a);
    check<false>("names", [](auto const& u) { auto v = exp(u); auto w = v * u; return sum(abs(w + conj(v))); }, a);
    check("norms", [](auto const& u) { return norm_l2(u) + norm_sq(u) + norm_l1(u) + norm_linf(u) + norm_lp(u, 3.0) + sum(norm_l2(u, {0})); }, a);
    check("products", [](auto const& u) { return both(prod(u)) + sum(both(cumsum(u, 0) * cumprod(u, 1))) + sum(both(diff(u, 1, 1))); }, a);
    check("variables", [](auto const& u) { xgrad::variable s = u(0) * u(1); for (std::size_t i = 0; i < 3; ++i) s = s * u(i) + 1.0; return both(s); }, b);
    check(
        "declared",
        [](auto const& u, auto const& v) -> xgrad::real {
            auto p = u * v;
            return abs(p * p + u) + real(v * conj(u));
        },
        number(0.3, 0.4), number(-1, 2));
    // real arguments that go through complex numbers
    check(
        "phases", [](auto const& t) { return abs(sum(exp(number(0, 1) * t))) + sum(real(exp(number(0.1, 2) * t) * number(0.3, 0.4))); }, reals{0.3, 1.2, 2.0});
}

BOOST_AUTO_TEST_CASE(products_of_matrices) {
    auto const f = [](auto const& a, auto const& b) { return sum(abs(dot(a, b))) + sum(both(dot(transpose(b), transpose(a)))); };
    check("small", f, matrix_of(2, 3, 0.3), matrix_of(3, 2, 0.7));
    check<false>("by BLAS", f, matrix_of(7, 9, 0.3), matrix_of(9, 8, 0.7));
    line const k{number(1, 2), number(-1, 0.5)};
    check(
        "vdot", [&](auto const& a, auto const& b) { return both(xgrad::vdot(a, b)) + both(xgrad::vdot(k, a)) + both(xgrad::vdot(a, k)); },
        line(k * number(0.5, 1)), line{number(2, 1), number(0.3, -0.2)});
    check(
        "of a vector", [](auto const& a, auto const& b) { return sum(abs(dot(a, b))) + both(dot(b, b)); }, matrix_of(7, 9, 0.3),
        line(xt::view(matrix_of(9, 1, 0.1), xt::all(), 0)));
}
