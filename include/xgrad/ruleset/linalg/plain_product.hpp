// Defines the products by plain loops, for element types and layouts that BLAS does not take. Nothing is allocated.
// An element type needs +=, * and a default value that is zero.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/inline.hpp>
#include <xgrad/rule/strided.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg::plain {

template <class T>
constexpr void fill(vector_ref<T> y, T const& value) noexcept {
    for (std::ptrdiff_t i = 0; i < y.size; ++i) y[i] = value;
}

template <class T>
constexpr void fill(matrix_ref<T> y, T const& value) noexcept {
    for (std::ptrdiff_t i = 0; i < y.rows; ++i) plain::fill(y.row(i), value);
}

/// Whether to go through a matrix column by column: the elements of a column lie closer together, or there is only one.
template <class T>
constexpr bool by_columns(matrix_ref<T> a) noexcept {
    return a.cols <= 1 || (a.rows > 1 && a.row_stride * a.row_stride < a.col_stride * a.col_stride);
}

/// y = alpha x, or y += alpha x.
template <class T>
constexpr void axpy(T const alpha, vector_ref<T const> x, vector_ref<T> y, bool add) noexcept {
    auto const run = [&](auto sx, auto sy) {
        if (add)
            for (std::ptrdiff_t i = 0; i < y.size; ++i) y.data[i * sy] += alpha * x.data[i * sx];
        else
            for (std::ptrdiff_t i = 0; i < y.size; ++i) y.data[i * sy] = alpha * x.data[i * sx];
    };
    constexpr std::integral_constant<std::ptrdiff_t, 1> unit{};  // a loop that compilers vectorise
    if (x.stride == 1 && y.stride == 1) run(unit, unit);
    else run(x.stride, y.stride);
}

/// The sum of u[i] v[i]; the first product starts it, so that only an empty one needs a zero.
template <class T>
constexpr T inner(vector_ref<T const> u, vector_ref<T const> v) noexcept {
    if (u.size == 0) return T{};
    T sum = u[0] * v[0];
    for (std::ptrdiff_t i = 1; i < u.size; ++i) sum += u[i] * v[i];
    return sum;
}

/// y = u vᵀ, or y += u vᵀ.
template <class T>
constexpr void outer(vector_ref<T const> u, vector_ref<T const> v, matrix_ref<T> y, bool add) noexcept {
    if (by_columns(y)) {
        std::swap(u, v);
        y = transposed(y);
    }
    for (std::ptrdiff_t i = 0; i < y.rows; ++i) plain::axpy(u[i], v, y.row(i), add);
}

/// y = a b, or y += a b: rows of b added up, or inner products with its columns.
template <class T>
constexpr void product(matrix_ref<T const> a, matrix_ref<T const> b, matrix_ref<T> y, bool add) noexcept {
    if (by_columns(y)) {
        y = transposed(y);
        a = std::exchange(b, transposed(a));
        a = transposed(a);
    }
    if (a.cols == 0) {
        if (!add) plain::fill(y, T{});
    } else if (!by_columns(b)) {
        for (std::ptrdiff_t i = 0; i < y.rows; ++i)
            for (std::ptrdiff_t l = 0; l < a.cols; ++l) plain::axpy(a(i, l), b.row(l), y.row(i), add || l > 0);
    } else {
        for (std::ptrdiff_t i = 0; i < y.rows; ++i)
            for (std::ptrdiff_t j = 0; j < y.cols; ++j) {
                T const sum = plain::inner(a.row(i), b.col(j));
                if (add) y(i, j) += sum;
                else y(i, j) = sum;
            }
    }
}

/// y = a x, or y += a x: columns of a added up, or inner products with its rows.
template <class T>
constexpr void product(matrix_ref<T const> a, vector_ref<T const> x, vector_ref<T> y, bool add) noexcept {
    if (a.cols == 0) {
        if (!add) plain::fill(y, T{});
    } else if (by_columns(a)) {
        for (std::ptrdiff_t j = 0; j < a.cols; ++j) plain::axpy(x[j], a.col(j), y, add || j > 0);
    } else {
        for (std::ptrdiff_t i = 0; i < y.size; ++i) {
            T const sum = plain::inner(a.row(i), x);
            if (add) y[i] += sum;
            else y[i] = sum;
        }
    }
}

}  // namespace xgrad::linalg::plain
XGRAD_DETAIL_QUIET_END
