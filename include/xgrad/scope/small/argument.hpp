// Defines argument<P> of small arrays of static shape in row-major order: of which handles know the shape by their type.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>

#include <xgrad/scope/arguments/bind_context.hpp>
#include <xgrad/scope/small/slot.hpp>
#include <xgrad/scope/small/variable.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
template <class P, class M, class L>
    requires(!L::are_dual && !std::is_same_v<M, explained> && has_static_shape<variable_shape<P>>)
struct known_shape<P, M, L> {
    using shape_type = typename variable_shape<P>::shape_type;
};

// An argument that is a number, or a small array of static shape.
template <class P, class M, class L>
    requires(!L::are_dual && number_array<P>)
inline constexpr bool is_small_argument<P, M, L> = has_static_shape<known_shape<P, M, L>>;
}

// Of a known shape in row-major order. In a function with a declared result its slot is here, so that the compiler can see through it.
template <detail::number_array P, class M, class L>
    requires(!detail::is_rank_zero<P> && has_static_shape<detail::known_shape<P, M, L>> && is_stacked<M>)
struct argument<P, M, L> {
    using T = detail::array_element_t<P>;
    using R = typename detail::known_shape<P, M, L>::shape_type;
    bound_slot<T, R> s;

    XGRAD_DETAIL_INLINE void bind(P const& x, P* dx, bind_context const& b) {
        s.owner = &b.call;
        s.value = const_cast<T*>(x.data());
        s.cotangent = dx ? dx->data() : nullptr;
        s.has_cotangent = b.memory == gradient_memory::add;
        if (!b.is_on_stack) b.call.enter_array(s.value, s.value + R::size);
    }
    XGRAD_DETAIL_INLINE void finish(P* dx, gradient_memory m) noexcept {
        if (dx && m == gradient_memory::own && !s.has_cotangent) std::fill_n(dx->data(), R::size, T(0));
    }
    void rearm() noexcept { s.has_cotangent = false; }
    XGRAD_DETAIL_INLINE input<T, R, M> handle() { return input<T, R, M>(&s); }
};

template <detail::number_array P, class M, class L>
    requires(!detail::is_rank_zero<P> && has_static_shape<detail::known_shape<P, M, L>> && !is_stacked<M>)
struct argument<P, M, L> {
    using T = detail::array_element_t<P>;
    using R = typename detail::known_shape<P, M, L>::shape_type;
    // in the call's workspace, as below
    struct room : slot<T, rank_c<R::value>> {
        context::entered_array memory;
    };
    room* s_ = nullptr;

    XGRAD_DETAIL_INLINE void bind(P const& x, P* dx, bind_context const& b) {
        auto& s = *(s_ = new (b.call.memory.take(sizeof(room))) room);
        s.owner = &b.call;
        s.value = const_cast<T*>(x.data());
        s.cotangent = dx ? dx->data() : nullptr;
        s.shape = R::shape;
        s.stride = R::stride;
        s.size = R::size;
        s.has_cotangent = b.memory == gradient_memory::add;
        b.call.enter_array(s.memory, s.value, s.value + R::size);
    }
    XGRAD_DETAIL_INLINE void finish(P* dx, gradient_memory m) noexcept {
        if (dx && m == gradient_memory::own && !s_->has_cotangent) std::fill_n(dx->data(), R::size, T(0));
    }
    void rearm() noexcept { s_->has_cotangent = false; }
    XGRAD_DETAIL_INLINE input<T, R, M> handle() { return input<T, R, M>(s_); }
};

}
XGRAD_DETAIL_QUIET_END
#endif
