// Defines the products of so few numbers that a call of BLAS would take longer: what lies side by side goes by packs, the rest number by number.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/host.hpp>
#include <xgrad/rule/multiply_add.hpp>
#include <xgrad/rule/strided.hpp>
#include <xgrad/ruleset/linalg/blas_operand.hpp>
#include <xgrad/ruleset/linalg/plain_product.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg::brief {

// Operands come by reference: copies of what was just made, on the way to a call, would be waited for.

// The most elements of a matrix of which plain loops are done before a call of BLAS is, measured with OpenBLAS; and of vectors.
inline constexpr std::ptrdiff_t most = 256, most_of_vector = 32;
template <class T>
constexpr bool takes(matrix_ref<T> const& a) noexcept {
    return a.rows <= most && a.cols <= most && a.rows * a.cols <= most;
}

// Short vectors leave less to the numbers behind the last pack if packs are no longer than this.
#if XSIMD_WITH_AVX512F
using arch = xsimd::avx2;
#else
using arch = xsimd::default_arch;
#endif
template <class T>
struct pack_of { using type = T; };
template <blas_real T>
    requires requires { xsimd::batch<T, arch>::size; }
struct pack_of<T> { using type = xsimd::batch<T, arch>; };
template <class T>
using pack = typename pack_of<T>::type;
template <class T>
inline constexpr std::ptrdiff_t width = sizeof(pack<T>) / sizeof(T);
template <class T>
XGRAD_DETAIL_INLINE pack<T> load(T const* p) {
    if constexpr (width<T> == 1) return *p;
    else return pack<T>::load_unaligned(p);
}
// It becomes x, or x is added to it.
template <class T>
XGRAD_DETAIL_INLINE void give(T* p, pack<T> const& x, bool add) {
    pack<T> const y = add ? pack<T>(load(static_cast<T const*>(p)) + x) : x;
    if constexpr (width<T> == 1) *p = y;
    else y.store_unaligned(p);
}

// The next of a few numbers: a compiler that does not see how they are counted does not take them for many, and begins at once.
XGRAD_DETAIL_INLINE std::ptrdiff_t next(std::ptrdiff_t i) {
    asm("" : "+r"(i));
    return i + 1;
}

// y = alpha x, or y += alpha x, of neighbours.
template <class T>
XGRAD_DETAIL_INLINE void axpy(T const& alpha, T const* x, T* y, std::ptrdiff_t n, bool add) {
    constexpr std::ptrdiff_t w = width<T>;
    std::ptrdiff_t i = 0;
    if constexpr (w != 1) {
        pack<T> const by(alpha);
        for (; i + w <= n; i += w) give<T>(y + i, by * load(x + i), add);
    }
    for (; i < n; i = next(i)) y[i] = add ? y[i] + alpha * x[i] : alpha * x[i];
}
// The sum of x[i] y[i], of n > 0 neighbours.
template <class T>
XGRAD_DETAIL_INLINE T inner(T const* x, T const* y, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t w = width<T>;
    std::ptrdiff_t i = 1;
    T sum = x[0] * y[0];
    if constexpr (w != 1)
        if (n >= w) {
            pack<T> all = load(x) * load(y);
            for (i = w; i + w <= n; i += w) all = detail::multiply_add(load(x + i), load(y + i), all);
            alignas(64) T lane[w];
            all.store_aligned(lane);
            for (std::ptrdiff_t half = w / 2; half != 0; half /= 2)
                for (std::ptrdiff_t j = 0; j < half; ++j) lane[j] += lane[j + half];
            sum = lane[0];
        }
    for (; i < n; i = next(i)) sum += x[i] * y[i];
    return sum;
}

// Of vectors.
template <class T>
void axpy(T const& alpha, vector_ref<T const> const& x, vector_ref<T> const& y) noexcept {
    if (x.stride == 1 && y.stride == 1) axpy(alpha, x.data, y.data, y.size, true);
    else plain::axpy<T>(alpha, x, y, true);
}
template <class T>
T inner(vector_ref<T const> const& x, vector_ref<T const> const& y) noexcept {
    return x.stride == 1 && y.stride == 1 && x.size > 0 ? inner(x.data, y.data, x.size) : plain::inner<T>(x, y);
}
// y = u vᵀ, or y += u vᵀ.
template <class T>
void outer(vector_ref<T const> const& u, vector_ref<T const> const& v, matrix_ref<T> const& y, bool add) noexcept {
    if (y.col_stride == 1 && v.stride == 1)
        for (std::ptrdiff_t i = 0; i < y.rows; ++i) axpy(u[i], v.data, y.data + i * y.row_stride, y.cols, add);
    else if (y.row_stride == 1 && u.stride == 1)
        for (std::ptrdiff_t j = 0; j < y.cols; ++j) axpy(v[j], u.data, y.data + j * y.col_stride, y.rows, add);
    else plain::outer<T>(u, v, y, add);
}
// y = a x, or y += a x.
template <class T>
void product(matrix_ref<T const> const& a, vector_ref<T const> const& x, vector_ref<T> const& y, bool add) noexcept {
    constexpr std::ptrdiff_t w = width<T>;
    if (a.cols == 0 || (a.col_stride == 1 ? x.stride != 1 : a.row_stride != 1 || y.stride != 1)) return plain::product<T>(a, x, y, add);
    if (a.col_stride == 1) {
        for (std::ptrdiff_t i = 0; i < a.rows; ++i) {
            T const sum = inner(a.data + i * a.row_stride, x.data, a.cols);
            y[i] = add ? y[i] + sum : sum;
        }
        return;
    }
    std::ptrdiff_t i = 0;
    if constexpr (w != 1)
        for (; i + w <= a.rows; i += w) {
            T const* p = a.data + i;
            pack<T> sum = load(p) * pack<T>(x[0]), odd(T(0));
            std::ptrdiff_t j = 1;
            for (; j + 1 < a.cols; j += 2, p += 2 * a.col_stride) {
                sum = detail::multiply_add(load(p + a.col_stride), pack<T>(x[j]), sum);
                odd = detail::multiply_add(load(p + 2 * a.col_stride), pack<T>(x[j + 1]), odd);
            }
            if (j < a.cols) sum = detail::multiply_add(load(p + a.col_stride), pack<T>(x[j]), sum);
            give<T>(y.data + i, sum + odd, add);
        }
    for (; i < a.rows; i = next(i)) {
        T sum = a(i, 0) * x[0];
        for (std::ptrdiff_t j = 1; j < a.cols; j = next(j)) sum += a(i, j) * x[j];
        y[i] = add ? y[i] + sum : sum;
    }
}

}  // namespace xgrad::linalg::brief
XGRAD_DETAIL_QUIET_END
