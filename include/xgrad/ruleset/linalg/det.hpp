// Defines the rules of det and slogdet: one LU factorisation, kept for the pullback.
//
// d = det A:  Ā = d̄ d A⁻ᵀ;  l = log|det A|:  Ā = l̄ A⁻ᵀ   (Giles 2008, 2.2.5). Of a singular matrix d A⁻ᵀ is the matrix of cofactors: zero pivots are
// replaced by numbers so small that it is right to rounding, and its own derivatives are those of the cofactors. Of matrices of up to 4×4 cofactors are written
// out.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <xgrad/ruleset/linalg/few_rules.hpp>
#include <xgrad/ruleset/linalg/singular_cofactors.hpp>
#include <xgrad/ruleset/linalg/solve.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class T>
struct det {
    static constexpr bool may_throw = true;
};
// log|det A| and the sign of det A; of complex numbers log det A up to whole turns, and a number without a meaning.
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
    kept_for_det(scratch_room& room, std::size_t n)
        : lu(room, n), inverse(room.take_matrix<T>(n, n)), t(room.take_matrix<T>(n, n)), work(room.take<S>(32 * n)) {}
};
// Of duals of numbers, for a matrix that is singular or nearly so, cofactors and their derivatives beside it.
template <class T>
inline constexpr bool is_dual_of_numbers = false;
template <number_dual T>
inline constexpr bool is_dual_of_numbers<T> = blas_scalar<typename T::primal_type>;
template <class T>
struct kept_for_cofactors {
    explicit kept_for_cofactors(scratch_room&, std::size_t) {}
};
template <class T>
    requires is_dual_of_numbers<T>
struct kept_for_cofactors<T> {
    bool* used;
    cofactors_by_svd<scalar_of_t<T>> by_values;
    kept_for_cofactors(scratch_room& room, std::size_t n) : used(room.take<bool>(1)), by_values(room, n) {}
};
template <class S>
bool is_nearly_singular(lu_factors<S> const& lu, real_type_t<S> tolerance) noexcept {
    using R = real_type_t<S>;
    R least = std::numeric_limits<R>::max(), largest = R(0);
    for (std::size_t i = 0; i < lu.size(); ++i) {
        least = std::min(least, std::abs(lu.pivot(i)));
        largest = std::max(largest, std::abs(lu.pivot(i)));
    }
    return lu.size() != 0 && least <= largest * tolerance;
}

// The determinant by the pivots, with its tangents, or by Log its logarithm, of real numbers that of its absolute value; y and t are memory of a's size.
template <bool Log, class S, class A, class Y>
auto determinant(lu_factors<S> const& lu, dense<A> const& a, dense<Y> const& y, dense<Y> const& t, S* work) noexcept {
    if constexpr (!number_dual<A>) {
        S d = Log ? S(0) : lu.permutation_sign();
        if constexpr (Log && is_complex<S>) d = std::log(lu.permutation_sign());
        for (std::size_t i = 0; i < lu.size(); ++i) {
            if constexpr (!Log) d = d * lu.pivot(i);
            else if constexpr (is_complex<S>) d = d + std::log(lu.pivot(i));
            else d = d + std::log(std::abs(lu.pivot(i)));
        }
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

template <class T> inline constexpr bool takes_complex<op::det<T>> = true;
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
        if (linalg::is_few(a[0])) return 0;
        linalg::scratch_room room;
        kept(room, a[0]);
        return room.size();
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        using namespace linalg;
        auto const m = as_matrix(a);
        if (is_few(m.shape[0])) {
            T const d = with_few(m.shape[0], [&](auto n) {
                few_numbers<T, n()> c;
                return determinant_of_few(load_few<n()>(m).e, c);
            });
            if (!is_finite_number(bottom_number(d))) linalg::detail::require_finite("det(A)", m);
            *y.data = d;
            return;
        }
        scratch_room room(s);
        kept const k(room, m.shape[0]);
        bool const singular = k.det.lu.factorise("det(A)", m) != 0;
        if constexpr (is_dual_of_numbers<T>) {
            *k.cofactors.used = singular || is_nearly_singular(k.det.lu, real_scalar_t<T>(1e-3));
            if (*k.cofactors.used) {
                k.cofactors.by_values.decompose("det(A)", linalg::detail::primal_part(m));
                auto const c = linalg::detail::primal_part(k.det.inverse);
                k.cofactors.by_values.value(c);
                T d(singular ? scalar_of_t<T>(0) : linalg::determinant<false>(k.det.lu, linalg::detail::primal_part(m), c, c, k.det.work));
                for (std::size_t i = 0; i < T::count; ++i)
                    d.direction(i) = trace_of_product(linalg::constant(transposed(c)), linalg::detail::direction_part(m, i));
                *y.data = d;
                return;
            }
        } else if constexpr (number_dual<T>) {
            if (singular || is_nearly_singular(k.det.lu, static_cast<real_scalar_t<T>>(m.shape[0]) * std::numeric_limits<real_scalar_t<T>>::epsilon()))
                throw std::domain_error(
                    "xgrad[E210]: det(A) requires an invertible matrix A of more than 4 rows where third derivatives, or nested ones of the forward mode, are "
                    "computed, found " +
                    to_string(m.shape) + " of less rank: add a small multiple of the identity");
        }
        if (singular) replace_zero_pivots(k.det.lu);
        *y.data = T(linalg::determinant<false>(k.det.lu, m, k.det.inverse, k.det.t, k.det.work));
        if (singular) *y.data = T(0);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        using namespace linalg;
        auto const m = as_matrix(a);
        auto const out = as_matrix(xbar);
        T const g = T(*ybar.data);
        if (is_few(m.shape[0]))
            return with_few(m.shape[0], [&](auto n) {
                few_numbers<T, n()> c;
                (void)determinant_of_few(load_few<n()>(m).e, c);
                give_few<n()>(out, add, [&](std::size_t i, std::size_t j) { return g * c(i, j); });
            });
        scratch_room room(s);
        kept const k(room, m.shape[0]);
        if constexpr (is_dual_of_numbers<T>)
            if (*k.cofactors.used) {
                k.cofactors.by_values.value(linalg::detail::primal_part(k.det.inverse));
                for (std::size_t i = 0; i < T::count; ++i)
                    k.cofactors.by_values.along(linalg::detail::direction_part(k.det.inverse, i), linalg::detail::direction_part(m, i));
                return map(out, add, k.det.inverse, [&](auto const& v) { return g * v; });
            }
        T const c = g * T(linalg::determinant<false>(k.det.lu, m, k.det.inverse, k.det.t, k.det.work));
        invert_with(k.det.lu, m, k.det.inverse, k.det.t, k.det.work);
        map(out, add, transposed(k.det.inverse), [&](auto const& v) { return c * v; });
    }

private:
    struct kept {
        linalg::kept_for_det<T> det;
        [[no_unique_address]] linalg::kept_for_cofactors<T> cofactors;
        kept(linalg::scratch_room& room, std::size_t n) : det(room, n), cofactors(room, n) {}
    };
    template <class S>
    static void replace_zero_pivots(linalg::lu_factors<S> const& lu) noexcept {
        using R = real_type_t<S>;
        R largest = R(0);
        for (std::size_t i = 0; i < lu.size(); ++i) largest = std::max(largest, std::abs(lu.pivot(i)));
        R const small = (largest > R(0) ? largest : R(1)) * (std::is_same_v<R, float> ? R(1e-12) : R(1e-24));
        for (std::size_t i = 0; i < lu.size(); ++i)
            if (lu.pivot(i) == S(0)) lu.pivot(i) = S(small);
    }
};

template <class T> inline constexpr bool takes_complex<op::slogdet<T>> = true;
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
        if constexpr (linalg::blas_real<T>)
            if (linalg::is_few(m.shape[0])) {
                // what is kept is A⁻ᵀ, and whether it is
                T const d = linalg::with_few(m.shape[0], [&](auto n) {
                    constexpr std::size_t N = n();
                    auto const x = linalg::load_few<N>(m);
                    linalg::few_numbers<T, N> c;
                    T const r = linalg::cofactors(x, c);
                    if (!linalg::is_well_scaled(x, r)) return T(0);
                    for (std::size_t i = 0; i < N * N; ++i) k.t.data[i] = c.e[i] / r;
                    return r;
                });
                k.work[0] = d;
                if (d != T(0)) {
                    y.data[0] = std::log(std::abs(d));
                    y.data[y.stride[0]] = d < T(0) ? T(-1) : T(1);
                    return;
                }
            }
        if (auto const info = k.lu.factorise("slogdet(A)", m); info != 0) linalg::detail::singular("slogdet(A)", to_string(m.shape), "getrf", info);
        y.data[0] = T(linalg::determinant<true>(k.lu, m, k.inverse, k.t, k.work));
        auto sign = k.lu.permutation_sign();
        if constexpr (!linalg::is_complex<T>)
            for (std::size_t i = 0; i < m.shape[0]; ++i) sign = k.lu.pivot(i) < 0 ? -sign : sign;
        y.data[y.stride[0]] = T(sign);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        linalg::scratch_room room(s);
        auto const m = linalg::as_matrix(a);
        linalg::kept_for_det<T> const k(room, m.shape[0]);
        T const c = T(ybar.data[0]);
        if constexpr (linalg::blas_real<T>)
            if (linalg::is_few(m.shape[0]) && k.work[0] != T(0)) return linalg::map(linalg::as_matrix(xbar), add, k.t, [&](auto const& v) { return c * v; });
        linalg::invert_with(k.lu, m, k.inverse, k.t, k.work);
        linalg::map(linalg::as_matrix(xbar), add, linalg::transposed(k.inverse), [&](auto const& v) { return c * v; });
    }
};

}
XGRAD_DETAIL_QUIET_END
