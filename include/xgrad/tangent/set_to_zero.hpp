// set_to_zero(t): makes a tangent zero in place, keeping its memory and its shape.
#pragma once

#include <xgrad/tangent/fdata.hpp>
#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>

namespace xgrad {

namespace detail {

struct zero_in_place : operation {
    template <class T>
    constexpr void operator()([[maybe_unused]] T& t) const {
        if constexpr (is_shadow_ref<T>)
            (*this)(*t);
        else if constexpr (has_parts<T>)
            parts<T>::each(*this, t);
        else if constexpr (!absent<T>)
            t = T{};
    }
};

struct set_to_zero_fn {
    template <class T>
    constexpr T& operator()(T& t) const {
        with_object_table<T>(zero_in_place{}, t);
        return t;
    }
    template <class T>
    constexpr shadow_ref<T> operator()(shadow_ref<T> const& t) const {
        with_object_table<T>(zero_in_place{}, *t);
        return t;
    }
};

}  // namespace detail

inline constexpr detail::set_to_zero_fn set_to_zero{};

}  // namespace xgrad
