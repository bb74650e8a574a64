// Defines weighing: an array reduced to a number in which each element has a part of its own, as one operation: a test compiles what it is about.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/ruleset/line.hpp>

namespace xgrad::test {

// Weights without a pattern; those of complex numbers have both parts.
template <class T>
struct weights {
    double last = 0.9;
    T next() {
        last = std::fmod(last * 1.7 + 0.4, 2.0);
        using S = scalar_of_t<T>;
        if constexpr (detail::is_complex_number<S>) return T(S(last, 1 - last * last));
        else return T(static_cast<S>(last));
    }
};

// Σ w x (1 + bend x), in row-major order.
struct weighing {
    double bend;

    template <class T>
    T bending() const { return T(static_cast<scalar_of_t<T>>(bend)); }
    template <class X>
    auto operator()(X const& x) const {
        using T = std::remove_cvref_t<decltype(*x.begin())>;
        T s(0);
        weights<T> w;
        for (auto const& v : x) s += w.next() * v * (T(1) + bending<T>() * v);
        return s;
    }
};

}

template <>
inline constexpr bool xgrad::takes_complex<xgrad::test::weighing> = true;
template <>
struct xgrad::array_rule<xgrad::test::weighing> {
    template <int>
    static constexpr int rank = 0;
    template <int R>
    static extents<0> shape(test::weighing, extents<R> const&) { return {}; }
    template <class T, int R>
    static void value(test::weighing o, array_ref<T, 0> const& y, array_ref<T const, R> const& x) noexcept {
        line_layout const places(~0u, x.shape, x.stride);
        line<T const> const in(x.data, places);
        test::weights<T> w;
        T s(0);
        for (std::size_t k = 0; k < in.size(); ++k) s = s + T(w.next() * in[k] * T(T(1) + o.bending<T>() * in[k]));
        *y.data = s;
    }
    template <int, class T, int R>
    static void pullback(test::weighing o, array_ref<T, R> const& xbar, bool add, array_ref<T const, 0> const& ybar, array_ref<T const, 0> const& /* y */,
                         array_ref<T const, R> const& x) noexcept {
        line_layout const places(~0u, x.shape, x.stride), places_of_bar(~0u, xbar.shape, xbar.stride);
        line<T const> const in(x.data, places);
        line<T> const bar(xbar.data, places_of_bar);
        test::weights<T> w;
        T const twice = o.bending<T>() + o.bending<T>(), g = T(*ybar.data);
        for (std::size_t k = 0; k < in.size(); ++k) bar.give(k, T(g * w.next() * T(T(1) + twice * in[k])), add);
    }
};
