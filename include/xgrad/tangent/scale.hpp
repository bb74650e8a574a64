// scale(a, t): the tangent a t, for a real number a.
#pragma once

#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/parts_of_pointer.hpp>
#include <xgrad/tangent/real_type.hpp>

namespace xgrad {

namespace detail {

template <class A>
struct make_scaled : operation {
    A a;
    template <class T>
    constexpr T operator()(T const& t) const {
        if constexpr (absent<T>)
            return t;
        else if constexpr (has_parts<T>)
            return parts<T>::template make<T>(*this, t);
        else
            return static_cast<real_type_t<T>>(a) * t;
    }
};

struct scale_fn {
    template <class A, class T>
    [[nodiscard]] constexpr T operator()(A a, T const& t) const {
        return with_object_table<T>(make_scaled<A>{{}, a}, t);
    }
};

}  // namespace detail

inline constexpr detail::scale_fn scale{};

}  // namespace xgrad
