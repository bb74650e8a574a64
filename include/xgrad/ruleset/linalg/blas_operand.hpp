// Defines blas_matrix and blas_vector: an operand as a BLAS routine takes it, if it can be taken without a copy.
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <xgrad/rule/strided.hpp>
#include <xgrad/ruleset/linalg/blas_host.hpp>

namespace xgrad::linalg {

template <class T>
concept blas_real = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
concept blas_complex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// The element types that BLAS computes on.
template <class T>
concept blas_scalar = blas_real<T> || blas_complex<T>;

/// Whether an extent or a stride can be told to this BLAS. What cannot is computed by plain loops.
constexpr bool fits_blas_index(std::ptrdiff_t n) noexcept {
    return -std::numeric_limits<blas_index>::max() <= n && n <= std::numeric_limits<blas_index>::max();
}

/// A matrix in row-major storage, seen as it is or transposed.
template <class T>
struct blas_matrix {
    T* data = nullptr;
    blas_index ld = 0;  // 0: this layout has no unit stride, or rows that overlap
    cxxblas::Transpose trans = cxxblas::NoTrans;

    constexpr explicit operator bool() const noexcept { return ld != 0; }
};

/// As it is if the rows are contiguous, transposed if the columns are. An extent of one leaves its stride free.
template <class T>
constexpr blas_matrix<T> as_blas(matrix_ref<T> a) noexcept {
    auto const ld = [](std::ptrdiff_t n, std::ptrdiff_t m, std::ptrdiff_t outer, std::ptrdiff_t inner) -> blas_index {
        auto const least = std::max<std::ptrdiff_t>(1, m);
        auto const d = n <= 1 ? least : outer;
        return (m <= 1 || inner == 1) && d >= least && fits_blas_index(d) && fits_blas_index(n) ? static_cast<blas_index>(d) : 0;
    };
    if (auto const d = ld(a.rows, a.cols, a.row_stride, a.col_stride)) return {a.data, d, cxxblas::NoTrans};
    if (auto const d = ld(a.cols, a.rows, a.col_stride, a.row_stride)) return {a.data, d, cxxblas::Trans};
    return {};
}

template <class T>
struct blas_vector {
    T* data = nullptr;
    blas_index inc = 0;  // 0: a repeated element, which BLAS refuses

    constexpr explicit operator bool() const noexcept { return inc != 0; }
};

/// BLAS wants the lowest address of a vector that runs backwards.
template <class T>
constexpr blas_vector<T> as_blas(vector_ref<T> x) noexcept {
    if (!fits_blas_index(x.size) || !fits_blas_index(x.stride)) return {};
    if (x.size <= 1) return {x.data, 1};
    return {x.stride < 0 ? x.data + (x.size - 1) * x.stride : x.data, static_cast<blas_index>(x.stride)};
}

}  // namespace xgrad::linalg
