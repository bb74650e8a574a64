// Defines product, outer, inner and axpy on strided operands: one BLAS call wherever the layouts allow one, else plain loops; also where there is so little to
// do that a call takes longer.
//
// Each has the element type of its result; nothing is conjugated, allocated or thrown, and extents are assumed to match.
// Results must not overlap the operands or themselves. With add = false what the result held before is not read (NaN included).
// float, double and their complex types go to BLAS, others (long double, dual numbers) to plain loops.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/strided.hpp>
#include <xgrad/ruleset/linalg/blas_host.hpp>
#include <xgrad/ruleset/linalg/blas_operand.hpp>
#include <xgrad/ruleset/linalg/plain_product.hpp>
#include <xgrad/ruleset/linalg/short_product.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

// The same by BLAS, or by plain loops where it does not take the operands. Not inlined: what is short is spared their frames.
namespace by_library {

template <class T>
[[gnu::noinline]] T inner(vector_ref<T const> x, vector_ref<T const> y) noexcept {
    if constexpr (blas_scalar<T>)
        if (auto const p = as_blas(x), q = as_blas(y); p && q) {
            auto const n = static_cast<blas_index>(x.size);
            T sum{};
            if constexpr (blas_complex<T>) routine::dotu(n, p.data, p.inc, q.data, q.inc, sum);
            else routine::dot(n, p.data, p.inc, q.data, q.inc, sum);
            return sum;
        }
    return plain::inner(x, y);
}

template <class T>
[[gnu::noinline]] void axpy(T alpha, vector_ref<T const> x, vector_ref<T> y) noexcept {
    if constexpr (blas_scalar<T>)
        if (auto const p = as_blas(x); p)
            if (auto const q = as_blas(y); q)
                return routine::axpy(static_cast<blas_index>(y.size), alpha, p.data, p.inc, q.data, q.inc);
    plain::axpy<T>(alpha, x, y, true);
}

template <class T>
[[gnu::noinline]] void outer(vector_ref<T const> u, vector_ref<T const> v, matrix_ref<T> y, bool add) noexcept {
    if constexpr (blas_scalar<T>)
        if (add) {
            auto const c = as_blas(y);
            if (c.trans != cxxblas::NoTrans) return by_library::outer<T>(v, u, transposed(y), add);
            if (auto const p = as_blas(u), q = as_blas(v); c && p && q) {
                auto const m = static_cast<blas_index>(y.rows), n = static_cast<blas_index>(y.cols);
                if constexpr (blas_complex<T>)
                    return routine::geru(cxxblas::RowMajor, m, n, T(1), p.data, p.inc, q.data, q.inc, c.data, c.ld);
                else return routine::ger(cxxblas::RowMajor, m, n, T(1), p.data, p.inc, q.data, q.inc, c.data, c.ld);
            }
        }
    plain::outer<T>(u, v, y, add);
}

template <class T>
[[gnu::noinline]] void product(matrix_ref<T const> a, vector_ref<T const> x, vector_ref<T> y, bool add) noexcept {
    if constexpr (blas_scalar<T>)
        if (auto const p = as_blas(a); p && x.size > 0)
            if (auto const q = as_blas(x); q)
                if (auto const c = as_blas(y); c) {
                    auto m = static_cast<blas_index>(a.rows), n = static_cast<blas_index>(a.cols);
                    if (p.trans != cxxblas::NoTrans) std::swap(m, n);
                    return routine::gemv(cxxblas::RowMajor, p.trans, m, n, T(1), p.data, p.ld, q.data, q.inc, T(add), c.data, c.inc);
                }
    plain::product<T>(a, x, y, add);
}

}

/// The sum of u[i] v[i] (not conjugated).
template <class U, class V>
    requires std::same_as<std::remove_const_t<U>, std::remove_const_t<V>>
XGRAD_DETAIL_INLINE std::remove_const_t<U> inner(vector_ref<U> const& u, vector_ref<V> const& v) noexcept {
    using T = std::remove_const_t<U>;
    if (u.size <= brief::most_of_vector) return brief::inner<T>(u, v);
    return by_library::inner<T>(u, v);
}

/// y += alpha x.
template <class T>
XGRAD_DETAIL_INLINE void axpy(std::type_identity_t<T> alpha, vector_ref<std::type_identity_t<T> const> const& x, vector_ref<T> const& y) noexcept {
    if (y.size <= brief::most_of_vector) return brief::axpy<T>(alpha, x, y);
    by_library::axpy<T>(alpha, x, y);
}

/// y = u vᵀ, or y += u vᵀ by ger. The assignment is one pass of plain loops: ger would need a fill before it.
template <class T>
XGRAD_DETAIL_INLINE void outer(vector_ref<std::type_identity_t<T> const> const& u, vector_ref<std::type_identity_t<T> const> const& v, matrix_ref<T> const& y,
                               bool add) noexcept {
    if (y.rows == 0 || y.cols == 0) return;
    if (brief::takes(y)) return brief::outer<T>(u, v, y, add);
    by_library::outer<T>(u, v, y, add);
}

/// y = a x, or y += a x, by gemv.
template <class T>
XGRAD_DETAIL_INLINE void product(matrix_ref<std::type_identity_t<T> const> const& a, vector_ref<std::type_identity_t<T> const> const& x, vector_ref<T> const& y,
                                 bool add) noexcept {
    if (y.size == 0) return;
    if (brief::takes(a)) return brief::product<T>(a, x, y, add);
    by_library::product<T>(a, x, y, add);
}

/// y = x a, or y += x a, by gemv.
template <class T>
XGRAD_DETAIL_INLINE void product(vector_ref<std::type_identity_t<T> const> const& x, matrix_ref<std::type_identity_t<T> const> const& a, vector_ref<T> const& y,
                                 bool add) noexcept {
    product(transposed(a), x, y, add);
}

/// y = a b, or y += a b, by gemm; by gemv if a or b is a single row or column; by outer if only one product is added.
template <class T>
void product(matrix_ref<std::type_identity_t<T> const> const& a, matrix_ref<std::type_identity_t<T> const> const& b, matrix_ref<T> const& y,
             bool add) noexcept {
    if (y.rows == 0 || y.cols == 0) return;
    if (a.cols == 1) return outer(a.col(0), b.row(0), y, add);
    if (y.cols == 1) return product(a, b.col(0), y.col(0), add);
    if (y.rows == 1) return product(a.row(0), b, y.row(0), add);
    if constexpr (blas_scalar<T>)
        if (auto const c = as_blas(y); c && a.cols > 0) {
            if (c.trans != cxxblas::NoTrans) return product(transposed(b), transposed(a), transposed(y), add);
            if (auto const p = as_blas(a), q = as_blas(b); p && q) {
                auto const m = static_cast<blas_index>(y.rows), n = static_cast<blas_index>(y.cols), k = static_cast<blas_index>(a.cols);
                return routine::gemm(cxxblas::RowMajor, p.trans, q.trans, m, n, k, T(1), p.data, p.ld, q.data, q.ld, T(add), c.data, c.ld);
            }
        }
    plain::product<T>(a, b, y, add);
}

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
