// Defines convolve(a, b) of lines and conv1d(x, w), conv2d(x, w) and conv3d(x, w) of lines, images and volumes with channels: convolutions as products.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/ruleset/linalg/convolution.hpp>
#include <xgrad/ruleset/linalg/convolve.hpp>

namespace xgrad {

// NumPy's modes; the first and the last are xtensor's own types.
namespace convolve_mode {
using xt::convolve_mode::full;
using xt::convolve_mode::valid;
struct same {};
}

namespace detail {
template <class M>
inline constexpr bool is_convolve_mode =
    std::is_same_v<M, convolve_mode::full> || std::is_same_v<M, convolve_mode::same> || std::is_same_v<M, convolve_mode::valid>;
}

// Σ a(j) b(i - j), as numpy.convolve: for every i where the lines overlap (full), for as many in the middle as the longer line has (same), or for those where
// the shorter lies inside of the longer (valid). Throws std::invalid_argument where one is empty.
template <class A, class B, class M>
    requires(algebraic<A> && algebraic<B> && detail::is_convolve_mode<M>)
auto convolve(A&& a, B&& b, M) {
    constexpr auto part = std::is_same_v<M, convolve_mode::full>   ? convolution_part::full
                          : std::is_same_v<M, convolve_mode::same> ? convolution_part::same
                                                                   : convolution_part::valid;
    return detail::algebra([]<class X, class Y>(X&& x, Y&& y) { return array_operation(op::convolve{part}, std::forward<X>(x), std::forward<Y>(y)); },
                           std::forward<A>(a), std::forward<B>(b));
}
template <algebraic A, algebraic B>
auto convolve(A&& a, B&& b) {
    return xgrad::convolve(std::forward<A>(a), std::forward<B>(b), convolve_mode::full{});
}

namespace detail {
template <std::size_t D>
constexpr std::array<std::size_t, D> ones() {
    std::array<std::size_t, D> a{};
    for (auto& n : a) n = 1;
    return a;
}
}

// A number for each of the D extents that a filter moves along, in the order of the shape.
template <std::size_t D>
struct conv_options {
    std::array<std::size_t, D> stride = detail::ones<D>();    // from one place of a filter to the next
    std::array<std::size_t, D> padding{};                     // zeros on both sides
    std::array<std::size_t, D> dilation = detail::ones<D>();  // from one number of a filter to the next, in x
    std::size_t groups = 1;                                   // of channels, each seen by its part of the filters only
    bool same = false;  // as much padding as makes y of x's extents, over the stride and rounded up; what is odd in it is behind
};
using conv1d_options = conv_options<1>;
using conv2d_options = conv_options<2>;
using conv3d_options = conv_options<3>;

namespace detail {
template <class X, class W, std::size_t D>
auto correlate(X&& x, W&& w, conv_options<D> const& options) {
    return algebra(
        [&options]<class A, class B>(A&& a, B&& b) {
            op::correlate<operation_element<A, B>, static_cast<int>(D)> o;
            for (std::size_t d = 0; d < D; ++d) {
                o.skipped[d] = options.stride[d] - 1;
                o.padding[d] = options.padding[d];
                o.gaps[d] = options.dilation[d] - 1;
            }
            o.groups = options.groups;
            o.same = options.same;
            return array_operation(o, std::forward<A>(a), std::forward<B>(b));
        },
        std::forward<X>(x), std::forward<W>(w));
}
}

// Images x (n, channels, height, width) seen through filters w (filters, channels / groups, height, width):
// y(n, f, i, j) = Σ x(n, c, i s₀ + k d₀ - p₀, j s₁ + l d₁ - p₁) w(f, c, k, l), of the shape
// (n, filters, ⌊(height + 2 p₀ - (filter height - 1) d₀ - 1) / s₀⌋ + 1, likewise), c over the channels of f's group. As in other libraries the filters are not
// turned round. A group of an image is one product of matrices, and each of its two cotangents another. Throws std::invalid_argument where shapes and options
// do not fit.
template <algebraic A, algebraic B>
auto conv2d(A&& x, B&& w, conv2d_options options = {}) {
    return detail::correlate(std::forward<A>(x), std::forward<B>(w), options);
}
// The same of lines (n, channels, length) and filters (filters, channels / groups, length), and of volumes (n, channels, depth, height, width). The errors are
// the same.
template <algebraic A, algebraic B>
auto conv1d(A&& x, B&& w, conv1d_options options = {}) {
    return detail::correlate(std::forward<A>(x), std::forward<B>(w), options);
}
template <algebraic A, algebraic B>
auto conv3d(A&& x, B&& w, conv3d_options options = {}) {
    return detail::correlate(std::forward<A>(x), std::forward<B>(w), options);
}

}
