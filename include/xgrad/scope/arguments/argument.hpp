// Defines argument<P, M, L>: the slots of one argument of a gradient call, and the handles by which the user's function sees it.
#pragma once

#include <memory>
#include <type_traits>

#include <xgrad/scope/arguments/array_argument.hpp>
#include <xgrad/scope/arguments/bind_context.hpp>
#include <xgrad/scope/arguments/pointer_argument.hpp>
#include <xgrad/scope/arguments/sequence_argument.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Something that has no derivative: it is passed on as it is.
template <class P, class M, class L>
    requires(!differentiable<P>)
struct argument<P, M, L> {
    P const* x = nullptr;

    template <class D>
    void bind(P const& primal, D*, bind_context const&) { x = std::addressof(primal); }
    template <class D>
    void finish(D*, gradient_memory) const noexcept {}
    void rearm() noexcept {}
    P const& handle() { return *x; }
};

template <perturbable_number P, class M, class L>
struct argument<P, M, L> {
    using T = typename L::template type<P>;
    slot<T, rank_c<0>> s;
    detail::leaf_place place;

    void bind(P const& x, P*, bind_context const& b) {
        s.owner = &b.call;
        s.value = T(x);
        s.cotangent = T(0);
        s.has_cotangent = false;
        if constexpr (L::are_dual) place = detail::bind_tangents<L, P>(s.value, *b.seeds);
    }
    void finish(P* dx, gradient_memory m) const noexcept {
        if constexpr (L::are_dual) {
            *dx = detail::conjugate(s.cotangent.primal);
            detail::finish_tangents<L, P>(s.cotangent, place);
        } else if (m == gradient_memory::own) *dx = detail::conjugate(s.cotangent);
        else if (s.has_cotangent) *dx += detail::conjugate(s.cotangent);
    }
    void rearm() noexcept {
        s.cotangent = T(0);
        s.has_cotangent = false;
    }
    handle_t<P, M, L> handle() {
        if constexpr (std::is_same_v<M, valued>) return valued_number<T>(s.value);
        else return input<T, rank_c<0>, M>(&s);
    }
};

// Structs, tuples, arrays of fixed size, and what holds other parts from call to call: optional, variant, maps, containers of one's own.
template <class P, class M, class L>
    requires(differentiable<P> && !perturbable_number<P> && !detail::number_array<P> && !detail::sequence<P> && !detail::array_of_parts<P> &&
             !detail::pointer_argument<P>)
struct argument<P, M, L> {
    using storage = typename parts<P>::template rebind<detail::to_argument<M, L>>;
    storage a{};

    template <class D>
    void bind(P const& x, D* dx, bind_context const& b) {
        if constexpr (!detail::fixed_form<P>)
            if (!detail::has_form_of(x, a)) a = parts<P>::template make<storage>([]<class X>(X const&) { return argument<X, M, L>(); }, x);
        if (dx) {
            if constexpr (!detail::fixed_form<P>) detail::give_form(x, *dx, b.memory);
            parts<P>::each(detail::bind_part{b}, x, a, *dx);
        } else parts<P>::each(detail::bind_part{b}, x, a);
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        if (dx) parts<P>::each([m](auto& part, auto& d) { part.finish(std::addressof(d), m); }, a, *dx);
    }
    void rearm() noexcept {
        parts<P>::each([](auto& part) { part.rearm(); }, a);
    }
    handle_t<P, M, L> handle() {
        return parts<P>::template make<handle_t<P, M, L>>([](auto& part) -> decltype(auto) { return part.handle(); }, a);
    }
};
}
XGRAD_DETAIL_QUIET_END
