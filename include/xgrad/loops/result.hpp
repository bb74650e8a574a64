// Defines what a loop gives: variables, whose slots have their values and cotangents in the loop's memory; and to which call a loop belongs.
#pragma once

#include <cstddef>
#include <tuple>

#include <xgrad/loops/step.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class V>
void find_loop_owner(context*& c, V const& v) {
    if constexpr (active<V>) {
        context* const mine = v.owner();
        if (!mine || mine == c || (c && mine->plain)) return;
        if (c && !c->plain) contexts_meet();
        c = mine;
    } else if constexpr (is_std_tuple<V>) detail::call_with([&c](auto const&... part) { (find_loop_owner(c, part), ...); }, v);
    else if constexpr (mirror<V>) for_each_field([&c](auto const& part) { find_loop_owner(c, part); }, v);
    else if constexpr (holds_active<V>) parts<V>::each([&c](auto const& part) { find_loop_owner(c, part); }, v);
}
// The call that the variables belong to, or that of plain values.
template <class V, class... W, class X>
context* owner_of_loop(V const& v, std::tuple<W...> const& all, X const& xs) {
    context* c = nullptr;
    find_loop_owner(c, v);
    find_loop_owner(c, xs);
    detail::call_with([&c](auto const&... w) { (find_loop_owner(c, w), ...); }, all);
    return c ? c : &plain_context();
}

// The slots of a result: the call is told when none of them can get a cotangent any more.
template <class State, class Slots>
void bind_loop_result(rule_call_base& call, State& state, Slots& slots, std::byte* values, std::byte* cotangents) {
    each_leaf(
        [&]<class Leaf, class Slot>(Leaf& leaf, Slot& s) {
            if constexpr (!Leaf::takes_cotangents) s = *reinterpret_cast<typename Leaf::primal const*>(values + leaf.at);
            else {
                if constexpr (requires { leaf.shape; }) {
                    s.shape = leaf.shape;
                    s.stride = row_major_strides(s.shape);
                    s.size = leaf.count;
                    s.value = leaf.memory(values);
                    s.cotangent = leaf.memory(cotangents);
                } else s.value = leaf.number(values);
                s.enter(call);
            }
        },
        state, slots);
}
template <class L, class Tree, class Slots>
auto make_loop_result(Tree& tree, Slots& s) -> loop_variable_t<typename Tree::primal, L> {
    using P = typename Tree::primal;
    using V = loop_variable_t<P, L>;
    if constexpr (!is_leaf<P>) return parts<P>::template make<V>([](auto& t, auto& part) { return make_loop_result<L>(t, part); }, tree.parts_here, s);
    else if constexpr (!Tree::takes_cotangents) return s;
    else return V(typename V::ref_type(&s));
}
// Says which parts a cotangent came to, and brings those of numbers to the others; whether there are any.
template <class State, class Slots>
bool read_loop_result(State& state, Slots& slots, std::byte* bar) noexcept {
    bool due = false;
    each_leaf(
        [&]<class Leaf, class Slot>(Leaf& leaf, Slot& s) {
            if constexpr (Leaf::takes_cotangents) {
                due = due || s.has_cotangent;
                leaf.due = s.has_cotangent;
                if constexpr (!requires { leaf.shape; }) leaf.number(bar) = s.cotangent;
            }
        },
        state, slots);
    return due;
}
// Before a result is pulled once more.
template <class State, class Slots>
void forget_loop_result(State& state, Slots& slots) noexcept {
    each_leaf(
        []<class Leaf, class Slot>(Leaf& leaf, Slot& s) {
            if constexpr (Leaf::takes_cotangents) {
                s.has_cotangent = false;
                if constexpr (!requires { leaf.shape; }) s.cotangent = typename Leaf::T(0);
            }
        },
        state, slots);
}

// By which explain calls them.
template <class Slots, class Name>
void name_slots(Slots const& s, Name const& name) {
    if constexpr (requires { s.has_cotangent; }) name(&s);
    else if constexpr (has_fields<Slots>) for_each_field([&name](auto const& part) { name_slots(part, name); }, s);
    else if constexpr (is_std_tuple<Slots>) detail::call_with([&name](auto const&... part) { (name_slots(part, name), ...); }, s);
}

}
XGRAD_DETAIL_QUIET_END
