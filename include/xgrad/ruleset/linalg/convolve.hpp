// Defines the rule of convolve: a line with a line, as one multiple of the longer for each number of the shorter.
//
// y(i) = Σ a(j) b(i + o - j):  ā(j) = Σ ȳ(i) b(i + o - j), b̄ likewise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <xgrad/rule/multilinear.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/linalg/dense.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What of the sum of all products is kept: every place where the lines overlap, as many as the longer line has, or those where the shorter lies inside.
enum class convolution_part : unsigned char { full, same, valid };

namespace op {
struct convolve {
    convolution_part part = convolution_part::full;
};
}

namespace linalg {

// z(i) += u(j) v(t) for i + offset = j + t, whichever of the three is the result.
enum class convolution_result : unsigned char { sum, line };
template <class S>
void convolve_lines(convolution_result r, vector_ref<S> z, vector_ref<S const> u, vector_ref<S const> v, std::ptrdiff_t offset) noexcept {
    auto const cut = [](auto const& x, std::ptrdiff_t first, std::ptrdiff_t n) {
        return std::remove_cvref_t<decltype(x)>{x.data + first * x.stride, n, x.stride};
    };
    if (r == convolution_result::sum) {
        if (u.size < v.size) std::swap(u, v);
        for (std::ptrdiff_t t = 0; t < v.size; ++t) {
            auto const first = std::max<std::ptrdiff_t>(0, t - offset), last = std::min(z.size, u.size + t - offset);
            if (first < last) axpy<S>(v[t], cut(u, first + offset - t, last - first), cut(z, first, last - first));
        }
    } else if (z.size < v.size) {
        // z(j) is the inner product of u with a part of v
        for (std::ptrdiff_t j = 0; j < z.size; ++j) {
            auto const first = std::max<std::ptrdiff_t>(0, j - offset), last = std::min(u.size, v.size + j - offset);
            if (first < last) z[j] += inner(cut(u, first, last - first), cut(v, first + offset - j, last - first));
        }
    } else {
        for (std::ptrdiff_t t = 0; t < v.size; ++t) {
            auto const first = std::max<std::ptrdiff_t>(0, t - offset), last = std::min(u.size, z.size + t - offset);
            if (first < last) axpy<S>(v[t], cut(u, first, last - first), cut(z, first + offset - t, last - first));
        }
    }
}

}

template <> inline constexpr bool takes_complex<op::convolve> = true;
template <>
struct array_rule<op::convolve> {
    template <int A, int B>
    static constexpr int rank = A == dynamic_rank || B == dynamic_rank ? dynamic_rank : 1;
    template <int A, int B>
    static extents<rank<A, B>> shape(op::convolve const& o, extents<A> const& a, extents<B> const& b) {
        static_assert(
            (A == 1 || A == dynamic_rank) && (B == 1 || B == dynamic_rank),
            "xgrad[E113]: convolve(a, b) requires vectors (1 dimension), but an operand has others: flatten it by ravel(x), or take conv2d for images");
        if (a.rank() != 1 || b.rank() != 1 || a[0] == 0 || b[0] == 0)
            throw std::invalid_argument("xgrad[E206]: convolve(a, b) requires vectors of at least one element, found " + to_string(a) + " and " + to_string(b) +
                                        ": flatten them by ravel(x)");
        std::size_t const longer = std::max(a[0], b[0]), shorter = std::min(a[0], b[0]);
        extents<rank<A, B>> y{};
        y.set_rank(1);
        y[0] = o.part == convolution_part::full ? longer + shorter - 1 : o.part == convolution_part::same ? longer : longer - shorter + 1;
        return y;
    }
    template <class Y, class A, class B>
    static void value(op::convolve const& o, Y const& y, A const& a, B const& b) noexcept {
        run(linalg::convolution_result::sum, y, false, a, b, offset(o, a, b));
    }
    template <int I, class X, class Y, class A, class B>
    static void pullback(op::convolve const& o, X const& xbar, bool add, Y const& ybar, Y const&, A const& a, B const& b) noexcept {
        if constexpr (I == 0) run(linalg::convolution_result::line, xbar, add, ybar, b, offset(o, a, b));
        else run(linalg::convolution_result::line, xbar, add, ybar, a, offset(o, a, b));
    }

private:
    template <class A, class B>
    static std::ptrdiff_t offset(op::convolve const& o, A const& a, B const& b) noexcept {
        auto const shorter = static_cast<std::ptrdiff_t>(std::min(a.shape[0], b.shape[0]));
        return o.part == convolution_part::full ? 0 : o.part == convolution_part::same ? (shorter - 1) / 2 : shorter - 1;
    }
    template <class Z, class U, class V>
    static void run(linalg::convolution_result r, Z const& z, bool add, U const& u, V const& v, std::ptrdiff_t offset) noexcept {
        multilinear(z, add, u, v, [&](auto const& to, bool more, auto const& p, auto const& q) {
            using S = typename std::remove_cvref_t<decltype(to)>::value_type;
            auto const line = [](auto const& x) { return vector_ref<S const>{x.data, static_cast<std::ptrdiff_t>(x.shape[0]), x.stride[0]}; };
            vector_ref<S> const out{to.data, static_cast<std::ptrdiff_t>(to.shape[0]), to.stride[0]};
            if (!more) linalg::plain::fill(out, S(0));
            linalg::convolve_lines<S>(r, out, line(p), line(q), offset);
        });
    }
};

}
XGRAD_DETAIL_QUIET_END
