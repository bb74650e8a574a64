// Defines check_orders: the derivatives along a tangent and of second order of a function of arrays, against differences of its gradient.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/hessian.hpp>
#include <xgrad/hvp.hpp>
#include <xgrad/jvp.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../../programs/against_differences.hpp"
#include "../../weighing.hpp"
#include "check_refusal.hpp"

namespace xgrad::test {

using programs::agree;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// Elements between -1 and 1 that have no pattern.
template <class A>
A filled(typename A::shape_type const& s, double seed = 0.2) {
    A a(s);
    for (auto& e : a) e = static_cast<typename A::value_type>(std::sin(7.1 * seed * seed + seed)), seed += 0.77;
    return a;
}
inline matrix product(matrix const& a, matrix const& b) { return dot(a, b); }
inline matrix transpose_of(matrix const& a) { return xt::transpose(a); }
// Far from singular, and not symmetric.
inline matrix regular(std::size_t n, double seed = 0.3) { return matrix(filled<matrix>({n, n}, seed) + 2.0 * xt::eye(n)); }
inline matrix definite(std::size_t n, double seed = 0.3) {
    matrix const b = filled<matrix>({n, n}, seed);
    return matrix(product(b, transpose_of(b)) + 0.5 * xt::eye(n));
}
inline matrix symmetric_part(matrix const& a) { return matrix(0.5 * (a + xt::transpose(a))); }
template <class A>
double weighed(A const& a) { return weighing{0}(a); }
template <class E>
auto weighed_active(E&& e) { return array_operation(weighing{0}, std::forward<E>(e)); }

inline bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1.0 + std::abs(a) + std::abs(b)); }

template <class F, class... X>
void check_orders(F const& f, X const&... x) {
    std::tuple<X...> const at(x...), tangent(filled<X>(x.shape(), 1.1 + static_cast<double>(x.size()))...);
    auto const gradient_at = [&](double h) {
        return std::apply([&](auto const&... t) { return gradient(f, X(x + h * t)...); }, tangent);
    };
    double const h = 1e-5;
    auto const g = gradient_at(0), above = gradient_at(h), below = gradient_at(-h);
    auto const along = [&](auto const& d) {
        double s = 0;
        [&]<std::size_t... I>(std::index_sequence<I...>) { ((s += xt::sum(std::get<I>(d) * std::get<I>(tangent))()), ...); }(std::index_sequence_for<X...>{});
        return s;
    };
    auto const one = jvp(f, at, tangent);
    BOOST_CHECK_MESSAGE(near(one.tangent, along(g), 1e-9), "jvp: " << one.tangent << ", the gradient says " << along(g));
    auto const two = hvp(f, at, tangent);
    BOOST_CHECK_MESSAGE(near(two.value, one.primal, 1e-12), "hvp: the value is " << two.value << ", not " << one.primal);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto compare = [&](auto const& product, auto const& gradient_there, auto const& gradient_here, auto const& a, auto const& b) {
            for (std::size_t i = 0; i < product.size(); ++i) {
                double const d = (a.flat(i) - b.flat(i)) / (2 * h);
                BOOST_CHECK_MESSAGE(near(product.flat(i), d, 1e-6), "hvp: element " << i << " is " << product.flat(i) << ", the differences say " << d);
                BOOST_CHECK(near(gradient_there.flat(i), gradient_here.flat(i), 1e-11));
            }
        };
        (compare(std::get<I>(two.product), std::get<I>(two.gradient), std::get<I>(g), std::get<I>(above), std::get<I>(below)), ...);
    }(std::index_sequence_for<X...>{});
    if constexpr (sizeof...(X) == 1) {
        auto const second = hessian(f, x...);
        auto const& t = std::get<0>(tangent);
        std::size_t const n = t.size();
        for (std::size_t i = 0; i < n; ++i) {
            double s = 0;
            for (std::size_t j = 0; j < n; ++j) s += second.flat(i * n + j) * t.flat(j);
            BOOST_CHECK_MESSAGE(near(s, std::get<0>(two.product).flat(i), 1e-9),
                                "hessian: row " << i << " gives " << s << ", hvp " << std::get<0>(two.product).flat(i));
        }
    }
}

}  // namespace xgrad::test
