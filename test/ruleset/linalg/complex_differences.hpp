// Defines check(name, f, x...): the gradient of a real function of complex arrays against central differences in the real and the imaginary direction.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../../weighing.hpp"
#include "../complex_numbers.hpp"
#include "check_refusal.hpp"

namespace xgrad::test {

using complex_numbers::number;
using cvector = xt::xtensor<number, 1>;
using cmatrix = xt::xtensor<number, 2>;
using ctensor = xt::xtensor<number, 3>;

// Elements without a pattern.
template <class A = cmatrix>
A numbers(typename A::shape_type const& s, double seed = 0.2) {
    A a(s);
    for (auto& e : a) e = number(std::sin(7.1 * seed * seed + seed), std::cos(3.3 * seed * seed + 2 * seed)), seed += 0.77;
    return a;
}
inline cvector line(std::size_t n, double seed = 0.2) { return numbers<cvector>({n}, seed); }
// Far from singular.
inline cmatrix regular(std::size_t n, double seed = 0.3) { return cmatrix(numbers({n, n}, seed) + number(2.0, 1.0) * xt::eye<number>(n)); }

template <class A, class B>
cmatrix by_loops(A const& a, B const& b) {
    cmatrix y(std::array<std::size_t, 2>{a.shape(0), b.shape(1)});
    for (std::size_t i = 0; i < y.shape(0); ++i)
        for (std::size_t j = 0; j < y.shape(1); ++j) {
            y(i, j) = 0;
            for (std::size_t k = 0; k < a.shape(1); ++k) y(i, j) += a(i, k) * b(k, j);
        }
    return y;
}
inline cmatrix adjoint(cmatrix const& a) {
    cmatrix y(std::array<std::size_t, 2>{a.shape(1), a.shape(0)});
    for (std::size_t i = 0; i < a.shape(0); ++i)
        for (std::size_t j = 0; j < a.shape(1); ++j) y(j, i) = std::conj(a(i, j));
    return y;
}
inline cmatrix definite(std::size_t n, double seed = 0.3) {
    cmatrix const b = numbers({n, n}, seed);
    return cmatrix(by_loops(b, adjoint(b)) + 0.5 * xt::eye<number>(n));
}
inline cmatrix hermitian(std::size_t n, double seed = 0.3) {
    cmatrix const b = numbers({n, n}, seed);
    return cmatrix(0.5 * (b + adjoint(b)));
}
template <class A, class B>
bool close_to(A const& a, B const& b, double tolerance = 1e-10) {
    if (a.size() != b.size()) return false;
    auto q = b.begin();
    for (auto const& e : a)
        if (!(std::abs(number(e) - number(*q++)) <= tolerance * (1 + std::abs(number(e))))) return false;
    return true;
}

// Reduces complex numbers in a way that tells their parts, and all elements, apart.
template <class E>
auto both(E const& z) {
    return 1.5 * xt::real(z) - 0.7 * xt::imag(z);
}
template <class E>
auto weighed(E&& e) {
    return xt::real(array_operation(weighing{0}, std::forward<E>(e)));
}

template <class F, class... X>
void check(char const* name, F const& f, X... x) {
    auto const r = xgrad::value_and_gradient(f, x...);
    auto const value = [&] { return static_cast<double>(xgrad::value(f, x...)); };
    BOOST_TEST(std::abs(r.value - value()) <= 1e-12 * (1 + std::abs(r.value)), name << ": the value is " << r.value << ", not " << value());
    auto const agree = [&](auto& a, auto const& g) {
        BOOST_REQUIRE(a.size() == g.size());
        auto at = g.begin();
        for (auto& e : a) {
            auto const d = complex_numbers::difference(value, e), found = *at++;
            BOOST_TEST(std::abs(d - found) <= 5e-7 * (1 + std::abs(d)), name << ": found " << found << ", expected " << d);
        }
    };
    std::apply([&](auto const&... g) { (agree(x, g), ...); }, r.gradient);
}

}  // namespace xgrad::test
