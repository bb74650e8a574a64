// Defines rule_call: one application of a rule to active values: its operands, its result, whose parts are slots, and its pullback.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/rule/call_with.hpp>
#include <xgrad/rule/rule.hpp>
#include <xgrad/scope/call/result_slots.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// F is the function, U... the types of its operands as the user passed them.
template <class F, class... U>
class rule_call : detail::rule_call_base {
    template <class P>
    using operand_t = std::conditional_t<detail::holds_active<P>, detail::to_variable::type<detail::plain_t<P>>, no_tangent>;
    using Y = rule_value_t<F, detail::plain_t<U>...>;
    using index = std::index_sequence_for<U...>;

public:
    // Applies the rule to the operands; throws what it throws, and then nothing has changed.
    template <class... E>
    static detail::to_variable::type<Y> apply(E&&... e) {
        static_assert(differentiable<Y>);
        std::tuple<operand_t<U>...> operands{operand<U>(std::forward<E>(e))...};
        context* c = nullptr;
        detail::call_with([&c](auto const&... o) { (find_owner(c, o), ...); }, operands);
        if (!c) c = &plain_context();
        void* const room = c->memory.take(sizeof(rule_call));
        rule_call* call;
        try {
            call = new (room) rule_call(*c, std::move(operands), e...);
        } catch (...) {
            c->memory.give(room, sizeof(rule_call));
            throw;
        }
        detail::bind_result_slot{call}(call->slots_, call->result_.value, call->ybar_);
        auto y = detail::make_result{}(call->result_.value, call->slots_);
        c->runs_once = true;
        if (c->keeps != context::keeping::nothing) c->keep(call);
        // an empty result: nobody will ever settle it
        else if (call->alive == 0) run(call);
        return y;
    }

private:
    std::tuple<operand_t<U>...> operands_;
    std::array<std::size_t, sizeof...(U)> first_;  // the first operand that is the same active array
    std::tuple<detail::plain_t<U>...> x_;
    std::tuple<tangent_type_t<detail::plain_t<U>>...> xbar_;
    detail::rrule_result<F, detail::plain_t<U>...> result_;
    tangent_type_t<Y> ybar_;
    detail::to_result_slot::type<Y> slots_;

    template <class... E>
    rule_call(context& c, std::tuple<operand_t<U>...> operands, E const&... e)
        : rule_call_base(c, &run), operands_(std::move(operands)), first_(find_first(index{}, e...)), x_(primals(index{}, e...)),
          xbar_(detail::call_with([](auto const&... x) { return std::tuple(zero_tangent(x)...); }, x_)), result_(forward(index{})),
          ybar_(zero_tangent(result_.value)), slots_(detail::make_result_slot{}(result_.value)) {}

    template <class V, class E>
    static operand_t<V> operand(E&& e) {
        if constexpr (detail::holds_active<V>) return detail::take_operand{}(std::forward<E>(e));
        else return {};
    }
    template <class O>
    static void find_owner(context*& c, O const& o) {
        if constexpr (active<O>) {
            context* const mine = o.owner();
            if (!mine || mine == c || (c && mine->plain)) return;
            if (c && !c->plain) contexts_meet();
            c = mine;
        } else if constexpr (detail::holds_active<O>) parts<detail::plain_t<O>>::each([&c](auto const& part) { find_owner(c, part); }, o);
    }
    template <std::size_t... I, class... E>
    auto primals(std::index_sequence<I...>, E const&... e) const {
        return std::tuple<detail::plain_t<U>...>{primal<I>(e)...};
    }
    template <std::size_t I, class E>
    auto primal(E const& e) const {
        if constexpr (detail::holds_active<E>) return detail::take_primal{}(std::get<I>(operands_));
        else return e;
    }

    template <std::size_t... I, class... E>
    auto find_first(std::index_sequence<I...>, E const&... e) const {
        return std::array<std::size_t, sizeof...(U)>{find_first_of<I>(index{}, std::tie(e...))...};
    }
    template <std::size_t J, std::size_t... I, class E>
    std::size_t find_first_of(std::index_sequence<I...>, E const& e) const {
        std::size_t first = J;
        ((I < J && first == J && (is_same_array(std::get<I>(operands_), std::get<J>(operands_)) || is_same_stacked(std::get<I>(e), std::get<J>(e)))
              ? void(first = I)
              : void()),
         ...);
        return first;
    }
    // Of one on the stack each operand is a copy in the workspace.
    template <class A, class B>
    static bool is_same_stacked(A const& a, B const& b) {
        if constexpr (std::is_same_v<A, B> && detail::is_stacked_array<A>) return a.slot_at() == b.slot_at();
        else if constexpr (std::is_same_v<A, B> && detail::is_bound_argument<A>) return a.get() == b.get();
        else return false;
    }
    template <class A, class B>
    static bool is_same_array(A const& a, B const& b) {
        if constexpr (active<A> && std::is_same_v<A, B>) {
            if constexpr (A::rank != 0) return a.operand().get() == b.operand().get();
        }
        return false;
    }
    // The J-th of these, or the one that it is the same as.
    template <std::size_t J, std::size_t I = 0, class Tuple>
    auto& shared(Tuple& t) {
        if constexpr (I == J) return std::get<J>(t);
        else {
            if constexpr (std::is_same_v<std::tuple_element_t<I, Tuple>, std::tuple_element_t<J, Tuple>>)
                if (first_[J] == I) return std::get<I>(t);
            return shared<J, I + 1>(t);
        }
    }
    template <std::size_t... I>
    auto forward(std::index_sequence<I...>) {
        return rule<F>::rrule(codual<detail::plain_t<U>>(shared<I>(x_), fdata_of(shared<I>(xbar_)))...);
    }

    template <std::size_t... I>
    void pull(std::index_sequence<I...>) noexcept {
        detail::read_cotangents{}(slots_, result_.value, ybar_);
        detail::conjugate_all(ybar_);
        if constexpr (detail::have_rdata<detail::plain_t<U>...>) {
            auto const r = result_.pullback(std::as_const(ybar_));
            (add<I>(std::get<I>(r)), ...);
        } else {
            result_.pullback(std::as_const(ybar_));
            (add<I>(no_rdata{}), ...);
        }
    }
    template <std::size_t I, class R>
    void add(R const& r) noexcept {
        using O = std::tuple_element_t<I, std::tuple<operand_t<U>...>>;
        if constexpr (detail::holds_active<O>)
            if (first_[I] == I) {
                auto xbar = join(fdata_of(std::get<I>(xbar_)), r);
                detail::conjugate_all(xbar);
                detail::add_to_operand{}(std::get<I>(operands_), xbar);
            }
    }

    static void run(detail::rule_call_base* b) noexcept {
        auto* call = static_cast<rule_call*>(b);
        context* c = call->owner;
        if (call->has_cotangent && c->reverse) call->pull(index{});
        call->~rule_call();
        c->memory.give(call, sizeof(rule_call));
    }
};

}
XGRAD_DETAIL_QUIET_END
