// Defines convolve(a, b) of lines and conv2d(x, w) of images: convolutions as products.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/ruleset/linalg/convolution.hpp>

namespace xgrad {

// NumPy's modes; the first and the last are xtensor's own types.
namespace convolve_mode {
using xt::convolve_mode::full;
using xt::convolve_mode::valid;
struct same {};
}

namespace detail {
template <class M>
inline constexpr bool is_convolve_mode = std::is_same_v<M, convolve_mode::full> || std::is_same_v<M, convolve_mode::same> || std::is_same_v<M, convolve_mode::valid>;
}

// Σ a(j) b(i - j), as numpy.convolve: for every i where the lines overlap (full), for as many in the middle as the longer line has (same), or for those where
// the shorter lies inside of the longer (valid). Throws std::invalid_argument where one is empty.
template <class A, class B, class M>
    requires(algebraic<A> && algebraic<B> && detail::is_convolve_mode<M>)
auto convolve(A&& a, B&& b, M) {
    constexpr auto part = std::is_same_v<M, convolve_mode::full> ? convolution_part::full : std::is_same_v<M, convolve_mode::same> ? convolution_part::same : convolution_part::valid;
    return detail::algebra([]<class X, class Y>(X&& x, Y&& y) { return array_operation(op::convolve{part}, std::forward<X>(x), std::forward<Y>(y)); }, std::forward<A>(a), std::forward<B>(b));
}
template <algebraic A, algebraic B>
auto convolve(A&& a, B&& b) {
    return xgrad::convolve(std::forward<A>(a), std::forward<B>(b), convolve_mode::full{});
}

struct conv2d_options {
    std::array<std::size_t, 2> stride{1, 1};   // from one place of the filters to the next: down, and to the right
    std::array<std::size_t, 2> padding{0, 0};  // zeros above and below, left and right
};

// Images x (n, channels, height, width) seen through filters w (filters, channels, height, width): y(n, f, i, j) = Σ x(n, c, i s₀ + k - p₀, j s₁ + l - p₁) w(f, c, k, l), of the
// shape (n, filters, ⌊(height + 2 p₀ - filter height) / s₀⌋ + 1, likewise). As in other libraries the filters are not turned round. An image is one product of
// matrices, and each of its two cotangents another.
template <algebraic A, algebraic B>
auto conv2d(A&& x, B&& w, conv2d_options options = {}) {
    return detail::algebra(
        [options]<class X, class W>(X&& a, W&& b) {
            return array_operation(op::conv2d<detail::operation_element<X, W>>{{options.stride[0] - 1, options.stride[1] - 1}, options.padding}, std::forward<X>(a), std::forward<W>(b));
        },
        std::forward<A>(x), std::forward<B>(w));
}

}
