// one_hot(x, ybar, i...): the cotangent of reading the element x(i...), an array that is zero but for that element.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <xgrad/tangent/deferred.hpp>
#include <xgrad/tangent/tangent_type.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

namespace xgrad {

namespace detail {

template <class X, class Y, std::size_t N>
struct one_hot_of {
    using xgrad_deferred = void;
    X const* x;
    Y ybar;
    std::array<std::size_t, N> at;

    [[nodiscard]] constexpr tangent_type_t<X> value() const {
        auto xbar = zero_tangent(*x);
        add_to(xbar);
        return xbar;
    }
    template <class T>
    constexpr void add_to(T& xbar) const {
        element(xbar, std::make_index_sequence<N>{}) += ybar;
    }

private:
    template <class T, std::size_t... I>
    constexpr decltype(auto) element(T& xbar, std::index_sequence<I...>) const {
        if constexpr (requires { xbar(at[I]...); })
            return xbar(at[I]...);
        else
            return (xbar[at[I]], ...);
    }
};

}  // namespace detail

// Refers to x, for its shape.
template <class X, class Y, class... I>
[[nodiscard]] constexpr detail::one_hot_of<X, Y, sizeof...(I)> one_hot(X const& x, Y ybar, I... i) {
    return {&x, ybar, {static_cast<std::size_t>(i)...}};
}

}  // namespace xgrad
