// Defines op::transpose, of small matrices whose shape is known at compile time: a copy of few elements, where a part would forget the shape.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct transpose {
    static constexpr char const* name = "transpose(x)";
};
}

// y(i, j) = x(j, i):  x̄(j, i) = ȳ(i, j)
template <>
struct array_rule<op::transpose> {
    template <int>
    static constexpr int rank = 2;
    static extents<2> shape(extents<2> const& x) { return {{x[1], x[0]}}; }
    template <class Y, class X>
    static void value(Y const& y, X const& x) noexcept {
        move(y, x, [](auto& to, auto const& from) { to = from; });
    }
    template <int, class G, class Y, class X>
    static void pullback(G const& xbar, bool add, Y const& ybar, Y const&, X const&) noexcept {
        if (add) move(xbar, ybar, [](auto& to, auto const& from) { to = to + from; });
        else move(xbar, ybar, [](auto& to, auto const& from) { to = from; });
    }

private:
    template <class Y, class X, class F>
    static void move(Y const& y, X const& x, F f) noexcept {
        for (std::size_t i = 0; i < y.shape[0]; ++i)
            for (std::size_t j = 0; j < y.shape[1]; ++j) {
                auto const k = static_cast<std::ptrdiff_t>(i), l = static_cast<std::ptrdiff_t>(j);
                f(y.data[k * y.stride[0] + l * y.stride[1]], x.data[l * x.stride[0] + k * x.stride[1]]);
            }
    }
};

template <std::floating_point T, std::size_t M, std::size_t N>
    requires(M * N - 1 < 16)
struct static_rule<op::transpose, T, static_extents<M, N>> {
    using shape_type = static_extents<N, M>;
    struct kept {};
    XGRAD_DETAIL_INLINE static std::true_type value(kept&, T* y, static_operands<T, 1> const& x) {
        detail::for_each_index<M * N>([&](std::size_t e) XGRAD_DETAIL_LAMBDA { y[e] = x[0][e % M * N + e / M]; });
        return {};
    }
    XGRAD_DETAIL_INLINE static void pullback(kept const&, T const* ybar, T const*, static_operands<T, 1> const&, static_targets<T, 1> const& xbar) noexcept {
        xbar.template give<0, M * N>([&](std::size_t e) XGRAD_DETAIL_LAMBDA { return ybar[e % N * M + e / N]; });
    }
};

}
XGRAD_DETAIL_QUIET_END
