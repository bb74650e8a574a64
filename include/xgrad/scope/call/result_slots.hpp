// Defines rule_call_base and the slots of a rule's result, in whose own memory its values are.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/scope/arguments/array_argument.hpp>
#include <xgrad/scope/call/operand_parts.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// `has_cotangent`: a contribution came to a part of the result.
struct rule_call_base : slot_base {
    void (*finish)(rule_call_base*) noexcept;
    std::size_t alive = 0;  // parts of the result that may still get contributions

    rule_call_base(context& c, void (*f)(rule_call_base*) noexcept) : finish(f) {
        owner = &c;
        settle = &settle_kept;
    }
    // Where values are kept: a pullback of a rule runs only once, so here it does not run.
    static void settle_kept(slot_base* s) noexcept {
        auto* call = static_cast<rule_call_base*>(s);
        if (!call->owner->ends(call)) return;
        call->owner->live -= call->alive;
        call->has_cotangent = false;
        call->finish(call);
    }
};

// The slot of one part of the result: its memory is the result's own.
template <class T, class R>
struct result_slot : slot<T, R> {
    rule_call_base* call = nullptr;
    // It is a part of the result of this call from now on.
    void enter(rule_call_base& c) noexcept {
        this->owner = c.owner;
        this->settle = &settle_part;
        this->released = true;
        call = &c;
        ++c.alive;
        ++c.owner->live;
    }
    static void settle_part(slot_base* s) noexcept {
        auto* call = static_cast<result_slot*>(s)->call;
        call->has_cotangent = call->has_cotangent || s->has_cotangent;
        --call->owner->live;
        if (--call->alive == 0) call->finish(call);
    }
};

struct to_result_slot {
    template <class P>
    static consteval auto find() {
        if constexpr (!differentiable<P>) return type_tag<no_tangent>{};
        else if constexpr (perturbable_number<P>) return type_tag<result_slot<P, rank_c<0>>>{};
        else if constexpr (array_argument<P>) return type_tag<result_slot<typename P::value_type, rank_c<rank_of<P>>>>{};
        else return type_tag<typename parts<P>::template rebind<to_result_slot>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

struct make_result_slot {
    template <class P>
    auto operator()(P const& y) const -> to_result_slot::type<P> {
        if constexpr (!differentiable<P> || perturbable_number<P> || array_argument<P>) return {};
        else return parts<P>::template make<to_result_slot::type<P>>(*this, y);
    }
};

struct bind_result_slot {
    rule_call_base* call;
    template <class S, class P, class D>
    void operator()(S& s, P& y, D& ybar) const {
        if constexpr (perturbable_number<P>) {
            s.value = y;
            s.enter(*call);
        } else if constexpr (array_argument<P>) {
            constexpr int R = rank_of<P>;
            s.shape = shape_of<R>(y);
            s.stride = strides_of<R>(y);
            if constexpr (P::static_layout == xt::layout_type::dynamic)
                if (!same_steps(s.shape, strides_of<R>(ybar), s.stride)) {
                    ybar = D(y.shape(), y.strides());
                    ybar.fill(typename P::value_type(0));
                }
            s.size = y.size();
            s.contiguous = is_contiguous(s.shape, s.stride);
            s.value = y.data();
            s.cotangent = ybar.data();
            s.enter(*call);
        } else if constexpr (differentiable<P>) parts<P>::each(*this, s, y, ybar);
    }
};

// What the caller gets: a variable for each part of the result.
struct make_result {
    template <class P, class S>
    auto operator()(P const& y, S& s) const -> to_variable::type<P> {
        if constexpr (!differentiable<P>) return y;
        else if constexpr (perturbable_number<P> || array_argument<P>) {
            using V = to_variable::type<P>;
            return V(typename V::ref_type(&s));
        } else return parts<P>::template make<to_variable::type<P>>(*this, y, s);
    }
};

// A cotangent as the call keeps it from that which a rule knows, and back, where it lies.
struct conjugate_part : operation {
    template <class T>
    void operator()(T& t) const noexcept {
        if constexpr (has_parts<T>) parts<T>::each(*this, t);
        else if constexpr (is_complex_number<T>) t = conjugate(t);
    }
};
struct asks_complex {
    template <class P>
    static constexpr bool of = is_complex_number<P>;
};
template <class T>
void conjugate_all(T& t) noexcept {
    if constexpr (somewhere_in<asks_complex, T>()) with_object_table<T>(conjugate_part{{}}, t);
}

// Numbers keep their cotangents in their slots.
struct read_cotangents {
    template <class S, class P, class D>
    void operator()(S& s, P const& y, D& ybar) const noexcept {
        if constexpr (perturbable_number<P>) ybar = s.cotangent;
        else if constexpr (differentiable<P> && !array_argument<P>) parts<P>::each(*this, s, y, ybar);
    }
};

}

}
XGRAD_DETAIL_QUIET_END
