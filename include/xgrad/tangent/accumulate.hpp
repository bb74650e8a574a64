// accumulate(xbar, t): xbar + t, added in place where xbar can be changed.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/tangent/clone.hpp>
#include <xgrad/tangent/deferred.hpp>
#include <xgrad/tangent/fdata.hpp>
#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>

namespace xgrad {

namespace detail {

struct accumulate_in_place : operation {
    template <class T, class U>
    constexpr void operator()(T& xbar, U const& t) const {
        if constexpr (is_shadow_ref<T>) {
            (*this)(xbar.get(), t);
        } else if constexpr (deferred<U>) {
            if constexpr (requires { t.add_to(xbar); })
                t.add_to(xbar);
            else
                (*this)(xbar, t.value());
        } else if constexpr (absent<T>) {
            static_assert(absent<U>, "xgrad[E003]: accumulate(xbar, t) requires two tangents of one type (xbar has no tangent, t is one)");
        } else if constexpr (has_parts<T>) {
            static_assert(std::is_same_v<T, U>, "xgrad[E003]: accumulate(xbar, t) requires two tangents of one type: take both from the same primal type");
            parts<T>::each(*this, xbar, t);
        } else {
            xbar += t;
        }
    }
};

// xbar + t where xbar is deferred as well.
template <class T, class U>
constexpr auto accumulate_values(T const& xbar, U const& t) {
    auto sum = xbar.value();
    with_object_table<decltype(sum)>(accumulate_in_place{}, sum, t);
    return sum;
}

// A function object, as xt::accumulate would be found for arrays.
struct accumulate_fn {
    // A changeable lvalue is changed and returned as a reference; anything else is added to by value.
    template <class T, class U>
        requires(!deferred<T>)
    constexpr T& operator()(T& xbar, U const& t) const {
        with_object_table<T>(accumulate_in_place{}, xbar, t);
        return xbar;
    }
    template <class T, class U>
        requires(!deferred<T>)
    [[nodiscard]] constexpr T operator()(T const& xbar, U const& t) const {
        T sum = clone(xbar);
        with_object_table<T>(accumulate_in_place{}, sum, t);
        return sum;
    }
    template <class T, class U>
        requires(!std::is_reference_v<T> && !std::is_const_v<T> && !is_shadow_ref<T> && !deferred<T>)
    [[nodiscard]] constexpr T operator()(T&& xbar, U const& t) const {
        with_object_table<T>(accumulate_in_place{}, xbar, t);
        return std::move(xbar);
    }
    template <deferred T, class U>
    [[nodiscard]] constexpr auto operator()(T const& xbar, U const& t) const {
        return accumulate_values(xbar, t);
    }
    // A shadow is added to wherever the reference to it stands.
    template <class T, class U>
    constexpr shadow_ref<T> operator()(shadow_ref<T> const& xbar, U const& t) const {
        with_object_table<T>(accumulate_in_place{}, xbar.get(), t);
        return xbar;
    }
};

}  // namespace detail

inline constexpr detail::accumulate_fn accumulate{};

}  // namespace xgrad
