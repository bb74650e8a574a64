// Complex numbers in the forward mode: every function of them by duals, and elementwise formulas by jvp and hvp.
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#include "complex_directions.hpp"

using namespace along_complex_directions;

namespace {

struct inner;
struct outer;
using once = xgrad::dual<number, 1, inner>;
using twice = xgrad::dual<once, 1, outer>;

}  // namespace

// As numbers: first and second derivatives along complex directions, by duals of duals, against differences of the plain function.
BOOST_AUTO_TEST_CASE(functions_of_duals) {
    number const z(0.7, -0.4), u(0.3, 0.9), v(-0.8, 0.35);
    auto const row = [&](char const* name, auto op) {
        double const h = 1e-4;
        auto const at = [&](double s, double t) { return number(op(z + h * (s * u + t * v))); };
        twice const y = op(twice(once(z, u), once(v)));
        close_to(name, y.primal.primal, at(0, 0), 1e-14);
        close_to(name, y.primal.tangent, (at(1, 0) - at(-1, 0)) / (2 * h), 2e-7);
        close_to(name, y.tangent.primal, (at(0, 1) - at(0, -1)) / (2 * h), 2e-7);
        close_to(name, y.tangent.tangent, (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h * h), 2e-6);
    };
    using std::abs, std::arg, std::real, std::imag;  // of plain numbers
#define ROW(NAME) row(#NAME, [](auto const& a) { return NAME(a); });
    ROW(exp)
    ROW(log) ROW(log10) ROW(sqrt) ROW(sin) ROW(cos) ROW(tan) ROW(asin) ROW(acos) ROW(atan) ROW(sinh) ROW(cosh) ROW(tanh) ROW(asinh) ROW(acosh) ROW(atanh)
        ROW(conj)
#undef ROW
            row("square", [](auto const& a) { return xgrad::op::square{}(a); });
    row("cube", [](auto const& a) { return xgrad::op::cube{}(a); });
    row("pow<5>", [](auto const& a) { return xgrad::op::power<std::integral_constant<std::size_t, 5>>{}(a); });
    row("-a", [](auto const& a) { return xgrad::op::negate{}(a); });
    row("abs", [](auto const& a) { return abs(a) * number(1, 2); });
    row("arg", [](auto const& a) { return arg(a) * number(1, 2); });
    row("real", [](auto const& a) { return real(a) * a; });
    row("imag", [](auto const& a) { return imag(a) * a; });
    row("norm", [](auto const& a) { return xgrad::op::squared_magnitude{}(a) * a; });
    row("pow", [](auto const& a) { return pow(a, 2.5) + pow(number(0.3, 0.4), a); });
    row("a / b", [](auto const& a) { return (a + 1.0) / (a * number(0, 1) - 0.3) + 2.0 / a; });
    // several directions at once, and numbers of other precisions
    xgrad::dual<number, 3, inner> w(number(1, 2));
    w.direction(1) = 1;
    w.direction(2) = number(0, 1);
    auto const y = exp(w) * real(w);
    number const e = std::exp(number(1, 2));
    for (std::size_t k = 0; k < 3; ++k) close_to("lanes", y.direction(k), std::array{number(), 2.0 * e, e * number(0, 1)}[k], 1e-14);
    xgrad::dual<std::complex<float>, 1, inner> const f(std::complex<float>(1, 2), std::complex<float>(1));
    static_assert(std::is_same_v<decltype(f * 2.0 + number(1, 2)), std::remove_const_t<decltype(f)>>);
    static_assert(std::is_same_v<xgrad::real_type_t<twice>, xgrad::dual<xgrad::dual<double, 1, inner>, 1, outer>>);
    BOOST_TEST(((f == f) && f != f * 2.0 && f == std::complex<float>(1, 2)));
}

BOOST_AUTO_TEST_CASE(elementwise_operations) {
    number const z(0.7, -0.4), w(-0.3, 1.1);
    line const many{z, w, number(1.2, 0.3)};
    check("scalars", [](auto const& a) { return both(exp(a) + log(a) * sqrt(a) - square(conj(-a))) + abs(a) + arg(a) * real(a) * imag(a) + norm_sq(a); }, z);
    check(
        "arrays",
        [](auto const& a) {
            return sum(both(exp(a) + log(a) * 2.0 + sqrt(a) * sin(a) + cosh(a) * tanh(a) - square(conj(a)))) + sum(abs(a) * arg(a) - real(a) * imag(a));
        },
        many);
    auto const all = [](auto const& a, auto const& b) { return both((a + b) * (a - b)) - both(a / b) + both(pow(a, b)); };
    check("numbers", all, z, w);
    check("with a real number", [&](auto const& a, auto const& b) { return all(a, b) + all(b, a); }, z, 0.6);
    check("real and complex arrays", [&](auto const& a, auto const& b) { return sum(all(a, b)); }, reals{0.4, 0.8, 1.5}, many);
    check("an array and a number", [&](auto const& a, auto const& b) { return sum(all(a, b)); }, many, number(0.2, 0.9));
    check("constants", [&](auto const& a, auto const& x) { return all(a, number(0.1, 0.5)) + all(2.5, a) + all(x, number(0.1, 0.5)); }, z, 0.8);
    // at the origin, where abs has no derivative
    BOOST_TEST(xgrad::jvp([](auto const& a) { return abs(a); }, std::tuple(number()), std::tuple(w)).tangent == 0);
}
