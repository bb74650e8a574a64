// Defines vector_ref and matrix_ref: what a rule is given when it works on an array's memory, whatever its layout.
// They own nothing and know no operation. Strides are in elements and may be negative or zero; `data` is element 0 (0, 0).
// An extent of one may come with any stride (xtensor gives it 0).
#pragma once

#include <cstddef>
#include <type_traits>

namespace xgrad {

template <class T>
struct vector_ref {
    T* data = nullptr;
    std::ptrdiff_t size = 0;
    std::ptrdiff_t stride = 1;

    constexpr T& operator[](std::ptrdiff_t i) const noexcept { return data[i * stride]; }

    constexpr operator vector_ref<T const>() const noexcept
        requires(!std::is_const_v<T>)
    {
        return {data, size, stride};
    }
};

template <class T>
struct matrix_ref {
    T* data = nullptr;
    std::ptrdiff_t rows = 0;
    std::ptrdiff_t cols = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t col_stride = 1;

    constexpr T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) const noexcept { return data[i * row_stride + j * col_stride]; }

    constexpr vector_ref<T> row(std::ptrdiff_t i) const noexcept { return {data + i * row_stride, cols, col_stride}; }
    constexpr vector_ref<T> col(std::ptrdiff_t j) const noexcept { return {data + j * col_stride, rows, row_stride}; }

    constexpr operator matrix_ref<T const>() const noexcept
        requires(!std::is_const_v<T>)
    {
        return {data, rows, cols, row_stride, col_stride};
    }
};

template <class T>
constexpr matrix_ref<T> transposed(matrix_ref<T> a) noexcept {
    return {a.data, a.cols, a.rows, a.col_stride, a.row_stride};
}

}  // namespace xgrad
