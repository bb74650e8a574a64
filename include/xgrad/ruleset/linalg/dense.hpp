// Defines dense<T>: a matrix in memory, T a number or a dual, and what rules of linear algebra do with it element by element and by products.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/multilinear.hpp>
#include <xgrad/ruleset/linalg/product.hpp>
#include <xgrad/tangent/real_type.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

// T may be const.
template <class T>
using dense = array_ref<T, 2>;

template <class T>
dense<T> dense_at(memory_t<T> p, std::size_t rows, std::size_t cols) noexcept {
    return {p, {{rows, cols}}, {{static_cast<std::ptrdiff_t>(cols), 1}}};
}
template <class T>
dense<T const> constant(dense<T> const& a) noexcept {
    return {a.data, a.shape, a.stride};
}
template <class T>
dense<T> transposed(dense<T> const& a) noexcept {
    return {a.data, {{a.shape[1], a.shape[0]}}, {{a.stride[1], a.stride[0]}}};
}
template <class T>
dense<T> submatrix(dense<T> const& a, std::size_t i, std::size_t j, std::size_t rows, std::size_t cols) noexcept {
    return {a.data + (static_cast<std::ptrdiff_t>(i) * a.stride[0] + static_cast<std::ptrdiff_t>(j) * a.stride[1]), {{rows, cols}}, a.stride};
}
// A vector is a column.
template <class T, int R>
dense<T> as_matrix(array_ref<T, R> const& a) noexcept {
    if (a.shape.rank() == 1) return {a.data, {{a.shape[0], 1}}, {{a.stride[0], 1}}};
    if constexpr (R != 1) return {a.data, {{a.shape[0], a.shape[1]}}, {{a.stride[0], a.stride[1]}}};
    else return {};
}
template <class T>
    requires(!number_dual<T>)
matrix_ref<T> matrix(dense<T> const& a) noexcept {
    return {a.data, static_cast<std::ptrdiff_t>(a.shape[0]), static_cast<std::ptrdiff_t>(a.shape[1]), a.stride[0], a.stride[1]};
}
// The floating-point numbers under all tangents.
template <class T, int R>
auto bottom_part(array_ref<T, R> const& a) noexcept {
    if constexpr (number_dual<T>) return bottom_part(xgrad::detail::primal_part(a));
    else return a;
}

// Whether the numbers of T, under all tangents, are complex, and the real numbers in them.
template <class T>
inline constexpr bool is_complex = xgrad::detail::is_complex_number<scalar_of_t<std::remove_const_t<T>>>;
template <class T>
using real_scalar_t = real_type_t<scalar_of_t<std::remove_const_t<T>>>;

// conj(x), and the real part of x as an x, both with their tangents. A real number stays as it is.
template <class T>
T conjugated(T const& x) {
    if constexpr (!is_complex<T>) return x;
    else if constexpr (number_dual<T>) {
        T y(conjugated(typename T::primal_type(x.primal)));
        for (std::size_t k = 0; k < T::count; ++k) y.direction(k) = conjugated(typename T::primal_type(x.direction(k)));
        return y;
    } else return std::conj(x);
}
template <class T>
T real_only(T const& x) {
    if constexpr (!is_complex<T>) return x;
    else if constexpr (number_dual<T>) {
        T y(real_only(typename T::primal_type(x.primal)));
        for (std::size_t k = 0; k < T::count; ++k) y.direction(k) = real_only(typename T::primal_type(x.direction(k)));
        return y;
    } else return T(x.real());
}
// i times the imaginary part of x.
template <class T>
T imaginary_only(T const& x) {
    return x - real_only(x);
}

// ---- element by element; f takes the place's indices

template <class T>
auto entry(dense<T> const& a, std::size_t i, std::size_t j) {
    return std::remove_const_t<T>(a.data[static_cast<std::ptrdiff_t>(i) * a.stride[0] + static_cast<std::ptrdiff_t>(j) * a.stride[1]]);
}
template <class T>
void set(dense<T> const& a, std::size_t i, std::size_t j, T const& x) {
    a.data[static_cast<std::ptrdiff_t>(i) * a.stride[0] + static_cast<std::ptrdiff_t>(j) * a.stride[1]] = x;
}
// y = f(x), or y += f(x).
template <class T, class X, class F>
void map(dense<T> y, bool add, dense<X> x, F f) noexcept {
    if (std::abs(y.stride[0]) < std::abs(y.stride[1]) && y.shape[0] > 1) y = transposed(y), x = transposed(x);
    auto const run = [&](auto sy, auto sx) {
        for (std::size_t i = 0; i < y.shape[0]; ++i) {
            auto const p = y.data + static_cast<std::ptrdiff_t>(i) * y.stride[0];
            auto const q = x.data + static_cast<std::ptrdiff_t>(i) * x.stride[0];
            auto const n = static_cast<std::ptrdiff_t>(y.shape[1]);
            if (add)
                for (std::ptrdiff_t j = 0; j < n; ++j) p[j * sy] = T(T(p[j * sy]) + f(T(std::remove_const_t<X>(q[j * sx]))));
            else
                for (std::ptrdiff_t j = 0; j < n; ++j) p[j * sy] = T(f(T(std::remove_const_t<X>(q[j * sx]))));
        }
    };
    constexpr std::integral_constant<std::ptrdiff_t, 1> unit{};
    if (y.stride[1] == 1 && x.stride[1] == 1) run(unit, unit);
    else run(y.stride[1], x.stride[1]);
}
template <class T, class X>
void copy(dense<T> const& y, dense<X> const& x) noexcept {
    map(y, false, x, [](auto const& v) { return v; });
}
template <class T, class X>
void give(dense<T> const& y, bool add, dense<X> const& x) noexcept {
    map(y, add, x, [](auto const& v) { return v; });
}
template <class T>
void negate(dense<T> const& y) noexcept {
    map(y, false, y, [](auto const& v) { return -v; });
}
template <class T>
void fill(dense<T> const& y, T const& x) noexcept {
    map(y, false, y, [&](auto const&) { return x; });
}
// y = conj(y), and y = conj(x).
template <class T>
void conjugate_all(dense<T> const& y) noexcept {
    if constexpr (is_complex<T>) map(y, false, y, [](auto const& v) { return conjugated(v); });
}
template <class T, class X>
void copy_conjugated(dense<T> const& y, dense<X> const& x) noexcept {
    map(y, false, x, [](auto const& v) { return conjugated(v); });
}
template <class T>
void set_identity(dense<T> const& y) noexcept {
    fill(y, T(0));
    for (std::size_t i = 0; i < std::min(y.shape[0], y.shape[1]); ++i) set(y, i, i, T(1));
}
template <class T>
void clear_above_diagonal(dense<T> const& y) noexcept {
    for (std::size_t i = 0; i < y.shape[0]; ++i)
        for (std::size_t j = i + 1; j < y.shape[1]; ++j) set(y, i, j, T(0));
}
// f(i, j, rows, columns) for the tiles of the lower triangle: a row and a column of a large matrix stay near.
inline constexpr std::size_t tile_size = 16;
template <class F>
void each_lower_tile(std::size_t n, F f) {
    for (std::size_t i = 0; i < n; i += tile_size)
        for (std::size_t j = 0; j <= i; j += tile_size) f(i, j, std::min(tile_size, n - i), std::min(tile_size, n - j));
}
// f(i, j) for the lower triangle.
template <class F>
void each_lower(std::size_t n, F f) {
    each_lower_tile(n, [&](std::size_t i0, std::size_t j0, std::size_t rows, std::size_t columns) {
        for (std::size_t i = i0; i < i0 + rows; ++i)
            for (std::size_t j = j0; j < j0 + columns && j <= i; ++j) f(i, j);
    });
}
// The symmetric part of a, and of complex numbers the Hermitian one: of what lies there already where y is a.
template <class T, class X>
void symmetric_part(dense<T> const& y, dense<X> const& a) noexcept {
    each_lower(y.shape[0], [&](std::size_t i, std::size_t j) {
        T const u = T(entry(a, i, j)), v = T(entry(a, j, i)), s = i == j ? real_only(u) : T((u + conjugated(v)) * T(0.5));
        set(y, i, j, s);
        set(y, j, i, conjugated(s));
    });
}
// The upper triangle becomes the lower one's mirror image, of complex numbers conjugated, with a real diagonal.
template <class T>
void mirror_lower(dense<T> const& y) noexcept {
    each_lower(y.shape[0], [&](std::size_t i, std::size_t j) { set(y, j, i, i == j ? real_only(entry(y, i, i)) : conjugated(entry(y, i, j))); });
}
// tr(a b).
template <class P>
P trace_of_product(dense<P const> const& a, dense<P const> const& b) noexcept {
    P s = P(0);
    for (std::size_t i = 0; i < a.shape[0]; ++i)
        for (std::size_t j = 0; j < a.shape[1]; ++j) s = s + entry(a, i, j) * entry(b, j, i);
    return s;
}
template <class T>
bool is_finite_number(T const& x) noexcept {
    using R = real_type_t<T>;
    if constexpr (is_complex<T>) return is_finite_number(x.real()) && is_finite_number(x.imag());
    else return std::abs(x) <= std::numeric_limits<R>::max();
}
template <class T>
bool is_finite(dense<T> a) noexcept {
    if (std::abs(a.stride[0]) < std::abs(a.stride[1])) a = transposed(a);
    unsigned bad = 0;
    for (std::size_t i = 0; i < a.shape[0]; ++i)
        for (std::size_t j = 0; j < a.shape[1]; ++j) bad |= !is_finite_number(entry(a, i, j));
    return bad == 0;
}

// ---- products

// y = a b, or y += a b; a and b of y's elements, or of the numbers in them.
template <class T, class A, class B>
void multiply(dense<T> const& y, bool add, dense<A> const& a, dense<B> const& b) noexcept {
    multilinear(y, add, a, b, [](auto const& z, bool more, auto const& u, auto const& v) {
        using S = typename std::remove_cvref_t<decltype(z)>::value_type;
        product<S>(matrix(u), matrix(v), matrix(z), more);
    });
}
// y -= a b.
template <class T, class A, class B>
void subtract_product(dense<T> const& y, dense<A> const& a, dense<B> const& b) noexcept {
    negate(y);
    multiply(y, true, a, b);
    negate(y);
}

// ---- what a rule keeps from its value for its pullbacks

// Takes arrays one after the other from the memory that a rule is given, or, where there is none yet, counts what it takes.
class scratch_room {
public:
    scratch_room() = default;
    explicit scratch_room(std::ptrdiff_t* p) : base_(reinterpret_cast<std::byte*>(p)) {}

    template <class T>
    memory_t<T> take(std::size_t n) noexcept {
        auto* const p = base_ ? base_ + used_ : nullptr;
        used_ += (n * sizeof(T) + 63) / 64 * 64;
        if (!p) return memory_t<T>(nullptr);
        return xgrad::detail::memory_in<T>(p, n);
    }
    template <class T>
    dense<T> take_matrix(std::size_t rows, std::size_t cols) noexcept {
        return dense_at<T>(take<T>(rows * cols), rows, cols);
    }
    // In units of what the engine allocates.
    std::size_t size() const noexcept { return used_ / sizeof(std::ptrdiff_t); }

private:
    std::byte* base_ = nullptr;
    std::size_t used_ = 0;
};

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
