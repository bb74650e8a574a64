// Defines the rule of the p-norm of all elements of an array, p known at run time.
//
// y = (Σ |x|^p)^(1/p):  x̄ = ȳ sign(x) (|x| / y)^(p-1); the largest (or smallest) |x| share ȳ where p is infinite; 0 where y is 0, and where p is 0.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <xgrad/ruleset/line.hpp>
#include <xgrad/ruleset/scalar/powers.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct vector_norm {
    double p = 2;
};
}

template <>
struct array_rule<op::vector_norm> {
    template <int X>
    static constexpr int rank = 0;
    template <int X>
    static extents<0> shape(op::vector_norm, extents<X> const&) { return {}; }

    template <class T, int X>
    static void value(op::vector_norm o, array_ref<T, 0> const& y, array_ref<T const, X> const& in) noexcept {
        line_layout const places(~0u, in.shape, in.stride);
        line<T const> const x(in.data, places);
        T largest = T(0), least = x.size() == 0 ? T(0) : absolute(x[0]), s = T(0);
        for (std::size_t k = 0; k < x.size(); ++k) {
            T const v = absolute(x[k]);
            if (!(v <= largest)) largest = v;
            if (!(v >= least)) least = v;
            if (o.p == 0) s = s + T(v == T(0) ? 0 : 1);
            if (o.p == 1) s = s + v;
        }
        // scaled by the largest element, or for p < 0 the smallest, so that nothing overflows on the way
        T const unit = o.p > 0 ? largest : least;
        if (std::isinf(o.p)) s = unit;
        else if (o.p != 0 && o.p != 1) {
            bool const ordinary = unit > T(0) && unit < T(std::numeric_limits<scalar_of_t<T>>::infinity());
            for (std::size_t k = 0; ordinary && k < x.size(); ++k) s = s + power(T(absolute(x[k]) / unit), o.p);
            s = ordinary ? T(unit * power(s, 1 / o.p)) : unit;
        }
        *y.data = s;
    }
    template <int, class T, int X>
    static void pullback(op::vector_norm o, array_ref<T, X> const& xbar, bool add, array_ref<T const, 0> const& ybar, array_ref<T const, 0> const& y,
                         array_ref<T const, X> const& in) noexcept {
        line_layout const places(~0u, in.shape, in.stride), places_of_bar(~0u, xbar.shape, xbar.stride);
        line<T const> const x(in.data, places);
        line<T> const bar(xbar.data, places_of_bar);
        T const g = T(*ybar.data), n = T(*y.data);
        bool const infinite = std::isinf(o.p);
        double ties = 0;
        for (std::size_t k = 0; infinite && k < x.size(); ++k) ties += absolute(x[k]) == n;
        for (std::size_t k = 0; k < x.size(); ++k) {
            T const v = x[k], a = absolute(v);
            T d = T(0);
            if (!(v == v)) d = v;
            else if (n == T(0) || o.p == 0) d = T(0);
            else if (o.p == 2) d = g * (a / n);
            else if (v == T(0)) d = T(0);
            else if (infinite) d = a == n ? T(g / T(ties)) : T(0);
            else if (o.p == 1) d = g;
            else d = g * power(T(a / n), o.p - 1);
            bar.give(k, v < T(0) ? T(-d) : d, add);
        }
    }

private:
    template <class T>
    static T absolute(T const& v) { return v < T(0) ? T(-v) : v; }
    template <class T>
    static T power(T const& v, double p) {
        if (p == 1) return v;
        if (p == 2) return v * v;
        if (p == 0.5) return op::sqrt{}(v);
        if (p > 0 && v == T(0)) return T(0);
        return op::pow{}(v, T(p));
    }
};

}
XGRAD_DETAIL_QUIET_END
