// Defines rule_call: one application of a rule to active values: its operands, its result, whose parts are slots, and its pullback.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/rule/rule.hpp>
#include <xgrad/scope/arguments/argument.hpp>
#include <xgrad/scope/call/variable.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

struct to_variable {
    template <class P>
    static consteval auto find() {
        if constexpr (!differentiable<P>) return type_tag<P>{};
        else if constexpr (perturbable_number<P>) return type_tag<variable<P>>{};
        else if constexpr (array_argument<P>) return type_tag<variable<typename primal_of<typename P::value_type, rank_of<P>>::type>>{};
        else return type_tag<typename parts<P>::template rebind<to_variable>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

// A struct of handles or of variables, by the function that made the mirror.
template <class Fn>
inline constexpr bool makes_active = std::is_same_v<Fn, to_variable>;
template <class M, class L>
inline constexpr bool makes_active<to_handle<M, L>> = true;

struct is_active_part {
    template <class U>
    static consteval bool find() {
        if constexpr (mirror<U>) return makes_active<mirror_function_t<U>>;
        else return active<U>;
    }
    template <class U>
    static constexpr bool of = find<U>();
};
template <class U>
inline constexpr bool holds_active = somewhere_in<is_active_part, U>();

// The plain type of what may hold active values.
struct to_primal {
    template <class U>
    static consteval auto find() {
        if constexpr (active<U>) return type_tag<primal_t<U>>{};
        else if constexpr (!holds_active<U>) return type_tag<U>{};
        else if constexpr (mirror<U>) return type_tag<mirrored_t<U>>{};
        else return find_form(type_tag<U>{});
    }
    template <class U>
    static consteval auto find_form(type_tag<U>) { return type_tag<typename parts<U>::template rebind<to_primal>>{}; }
    // how a vector's handles are seen
    template <class H>
    static consteval auto find_form(type_tag<std::span<H const>>) { return type_tag<std::vector<typename decltype(find<H>())::type>>{}; }
    template <class U>
    using type = typename decltype(find<std::remove_cvref_t<U>>())::type;
};
template <class U>
using plain_t = to_primal::type<U>;

// A debt to each active part, the newest version of an array.
struct take_operand {
    template <class U>
    auto operator()(U&& u) const -> to_variable::type<plain_t<U>> {
        using P = plain_t<U>;
        if constexpr (active<U>) return variable<P>(std::forward<U>(u));
        else if constexpr (holds_active<std::remove_cvref_t<U>>) return parts<P>::template make<to_variable::type<P>>(*this, u);
        else return constant(u);
    }

private:
    // A plain operand beside active ones.
    template <class P>
    static auto constant(P const& x) -> to_variable::type<P> {
        if constexpr (!differentiable<P>) return x;
        else if constexpr (perturbable_number<P> || array_argument<P>) return to_variable::type<P>(x);
        else return parts<P>::template make<to_variable::type<P>>(take_operand{}, x);
    }
};

// The plain value of an operand, for the rule alone: it may change it.
struct take_primal {
    template <class V>
    auto operator()(V const& v) const {
        if constexpr (active<V>) {
            auto const debt = v.operand();
            if constexpr (V::rank == 0) return debt.forward();
            else return primal_copy(debt.source());
        } else if constexpr (holds_active<V>) return parts<plain_t<V>>::template make<plain_t<V>>(*this, v);
        else return v;
    }
};

// Adds a tangent to the slots of an operand.
struct add_to_operand {
    template <class V, class D>
    void operator()(V const& v, D const& d) const noexcept {
        if constexpr (active<V>) add(v.operand(), d);
        else if constexpr (!absent<D>) parts<plain_t<V>>::each(*this, v, d);
    }

private:
    template <class Ref, class D>
    static void add(Ref const& r, D const& d) noexcept {
        if constexpr (Ref::rank == 0) r.add(d);
        else pull_back(r, r.extent(), static_cast<typename Ref::value_type const*>(nullptr), d.data());
    }
};

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
            enter(s);
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
            enter(s);
        } else if constexpr (differentiable<P>) parts<P>::each(*this, s, y, ybar);
    }

private:
    template <class T, class R>
    void enter(result_slot<T, R>& s) const noexcept {
        s.owner = call->owner;
        s.settle = &result_slot<T, R>::settle_part;
        s.released = true;
        s.call = call;
        ++call->alive;
        ++call->owner->live;
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
        std::apply([&c](auto const&... o) { (find_owner(c, o), ...); }, operands);
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
        : rule_call_base(c, &run), operands_(std::move(operands)), first_(find_first(index{}, e...)), x_(primals(index{}, e...)), xbar_(std::apply([](auto const&... x) { return std::tuple(zero_tangent(x)...); }, x_)),
          result_(forward(index{})), ybar_(zero_tangent(result_.value)), slots_(detail::make_result_slot{}(result_.value)) {}

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
        ((I < J && first == J && (is_same_array(std::get<I>(operands_), std::get<J>(operands_)) || is_same_stacked(std::get<I>(e), std::get<J>(e))) ? void(first = I) : void()), ...);
        return first;
    }
    // Of one on the stack each operand is a copy in the workspace.
    template <class A, class B>
    static bool is_same_stacked(A const& a, B const& b) {
        if constexpr (std::is_same_v<A, B> && detail::is_stacked_array<A>) return a.slot_at() == b.slot_at();
        else if constexpr (std::is_same_v<A, B> && detail::is_stacked_argument<A>) return a.get() == b.get();
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
