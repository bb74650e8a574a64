// Defines the rules of det and slogdet: one LU factorisation, kept for the pullback.
//
// d = det A:  Ā = d̄ d A⁻ᵀ;  l = log|det A|:  Ā = l̄ A⁻ᵀ   (Giles 2008, 2.2.5). Of a singular matrix d A⁻ᵀ is the matrix of cofactors: zero pivots are
// replaced by numbers so small that it is right to rounding.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <xgrad/ruleset/linalg/solve.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class T>
struct det {
    static constexpr bool may_throw = true;
};
// log|det A| and the sign of det A.
template <class T>
struct slogdet {
    static constexpr bool may_throw = true;
};
}

namespace linalg {

// What det and slogdet keep.
template <class T>
struct kept_for_det {
    using S = scalar_of_t<T>;
    lu_factors<S> lu;
    dense<T> inverse, t;
    S* work;
    kept_for_det(scratch_room& room, std::size_t n) : lu(room, n), inverse(room.take_matrix<T>(n, n)), t(room.take_matrix<T>(n, n)), work(room.take<S>(32 * n)) {}
};

// The determinant by the pivots (or by Log the logarithm of its absolute value), with its tangents; y and t are memory of a's size.
template <bool Log, class S, class A, class Y>
auto determinant(lu_factors<S> const& lu, dense<A> const& a, dense<Y> const& y, dense<Y> const& t, S* work) noexcept {
    if constexpr (!number_dual<A>) {
        S d = Log ? S(0) : lu.permutation_sign();
        for (std::size_t i = 0; i < lu.size(); ++i) d = Log ? d + std::log(std::abs(lu.pivot(i))) : d * lu.pivot(i);
        return d;
    } else {
        using D = std::remove_const_t<A>;
        using P = typename D::primal_type;
        auto const ap = detail::primal_part(a);
        auto const yp = detail::primal_part(y);
        P const d = determinant<Log>(lu, ap, yp, detail::primal_part(t), work);
        invert_with(lu, ap, yp, detail::primal_part(t), work);
        D r(d);
        for (std::size_t k = 0; k < D::count; ++k) {
            P const trace = trace_of_product(constant(yp), detail::direction_part(a, k));
            if constexpr (Log) r.direction(k) = trace;
            else r.direction(k) = d * trace;
        }
        return r;
    }
}

}

template <class T>
struct array_rule<op::det<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A>
    static constexpr int rank = 0;
    template <int A>
    static extents<0> shape(extents<A> const& a) {
        linalg::shape_of_square("det(A)", a);
        return {};
    }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room room;
        linalg::kept_for_det<T>(room, a[0]);
        return room.size();
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        auto const m = linalg::as_matrix(a);
        linalg::kept_for_det<T> const k(room, m.shape[0]);
        bool const singular = k.lu.factorise("det(A)", m) != 0;
        if (singular) {
            if constexpr (number_dual<T>)
                throw std::domain_error("xgrad: det(A) requires an invertible matrix A where second derivatives or tangents are computed, found " + to_string(m.shape) +
                                        " of less rank: take det by its cofactors, or add a small multiple of the identity");
            replace_zero_pivots(k.lu);
        }
        *y.data = T(linalg::determinant<false>(k.lu, m, k.inverse, k.t, k.work));
        if (singular) *y.data = T(0);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        linalg::scratch_room room(s);
        auto const m = linalg::as_matrix(a);
        linalg::kept_for_det<T> const k(room, m.shape[0]);
        T const c = T(*ybar.data) * T(linalg::determinant<false>(k.lu, m, k.inverse, k.t, k.work));
        linalg::invert_with(k.lu, m, k.inverse, k.t, k.work);
        linalg::map(linalg::as_matrix(xbar), add, linalg::transposed(k.inverse), [&](auto const& v) { return c * v; });
    }

private:
    template <class S>
    static void replace_zero_pivots(linalg::lu_factors<S> const& lu) noexcept {
        S largest = S(0);
        for (std::size_t i = 0; i < lu.size(); ++i) largest = std::max(largest, std::abs(lu.pivot(i)));
        S const small = (largest > S(0) ? largest : S(1)) * (std::is_same_v<S, float> ? S(1e-12) : S(1e-24));
        for (std::size_t i = 0; i < lu.size(); ++i)
            if (lu.pivot(i) == S(0)) lu.pivot(i) = small;
    }
};

template <class T>
struct array_rule<op::slogdet<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A>
    static constexpr int rank = 1;
    template <int A>
    static extents<1> shape(extents<A> const& a) {
        linalg::shape_of_square("slogdet(A)", a);
        return {{2}};
    }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room room;
        linalg::kept_for_det<T>(room, a[0]);
        return room.size();
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        auto const m = linalg::as_matrix(a);
        linalg::kept_for_det<T> const k(room, m.shape[0]);
        if (auto const info = k.lu.factorise("slogdet(A)", m); info != 0) linalg::detail::singular("slogdet(A)", to_string(m.shape), "getrf", info);
        y.data[0] = T(linalg::determinant<true>(k.lu, m, k.inverse, k.t, k.work));
        auto sign = k.lu.permutation_sign();
        for (std::size_t i = 0; i < m.shape[0]; ++i) sign = k.lu.pivot(i) < 0 ? -sign : sign;
        y.data[y.stride[0]] = T(sign);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        linalg::scratch_room room(s);
        auto const m = linalg::as_matrix(a);
        linalg::kept_for_det<T> const k(room, m.shape[0]);
        T const c = T(ybar.data[0]);
        linalg::invert_with(k.lu, m, k.inverse, k.t, k.work);
        linalg::map(linalg::as_matrix(xbar), add, linalg::transposed(k.inverse), [&](auto const& v) { return c * v; });
    }
};

}
XGRAD_DETAIL_QUIET_END
