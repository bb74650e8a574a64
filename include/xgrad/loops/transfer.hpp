// Defines what moves values and cotangents between the variables around a loop, its memory, and what its body gives.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/loops/port.hpp>
#include <xgrad/scope/call/call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Thrown with the call as it is written. These are templates, so that an include alone instantiates no operators.
template <class String>
[[noreturn, gnu::cold, gnu::noinline]] void captured_in_loop(String const& call) {
    throw std::logic_error("xgrad[E250]: " + call + " requires a function that computes with its own parameters, but it uses an active value that it has "
                           "captured: pass it as an argument, and take it by a parameter");
}
struct captured_value {};
template <class Found, class Expected>
[[noreturn, gnu::cold, gnu::noinline]] void state_changes_shape(Found const& found, Expected const& expected) {
    throw std::invalid_argument("xgrad[E251]: iterate(n, body, init, params...) requires a body that keeps the state's shape, found " + found + " after " +
                                expected + ": begin with an init of the shape that the body gives");
}

// A plain number, or the only element of a plain expression, as a sum is one.
template <class R>
auto number_in(R const& r) {
    if constexpr (plain_array<R>) {
        if (r.dimension() != 0) state_changes_shape(shape_text(r.shape()), to_string(extents<0>()));
        return std::remove_const_t<typename R::value_type>(*r.begin());
    } else return r;
}
template <class A, class G>
void for_each_element(A const& from, G g) {
    for_each_offset(from.shape, from.stride, [&](std::size_t i, std::ptrdiff_t at) { g(i, from.data[at]); });
}
template <class T, class A>
void copy_array(A const& from, memory_t<T> to) {
    if (is_contiguous(from.shape, from.stride)) copy_elements<T>(from.data, element_count(from.shape), to);
    else for_each_element(from, [&](std::size_t i, T const& v) { to[i] = v; });
}

// The shapes of v, or of the variables in it, and the bytes that they need.
template <class Port, class V>
std::size_t measure_leaves(Port& port, V const& v) {
    state_layout l;
    each_leaf([&l](auto& leaf, auto const& part) { leaf.measure(part, l); }, port, v);
    return l.size();
}
template <class Port, class V>
void copy_values(Port& port, V const& v, std::byte* to) {
    each_leaf(
        [to]<class Leaf>(Leaf& leaf, auto const& part) {
            if constexpr (!Leaf::takes_cotangents) leaf.put(part, to);
            else {
                auto const debt = part.operand();
                if constexpr (std::remove_cvref_t<decltype(debt)>::rank == 0) leaf.number(to) = debt.forward();
                else copy_array<typename Leaf::T>(debt.source(), leaf.memory(to));
            }
        },
        port, v);
}
template <class Leaf, int R>
void check_state_shape(Leaf const& leaf, extents<R> const& found) {
    if (!covers(leaf.shape, found)) state_changes_shape(to_string(found), to_string(leaf.shape));
}
// Whether a fresh formula, as what a body gives, may be computed where it goes, and pulled from where its cotangent is, without a slot in between.
template <class F>
inline constexpr bool computes_anywhere = false;
template <class Op, class... A>
    requires(formula<Op, A...>::rank != 0 && !has_static_shape<formula<Op, A...>> && !checks_finite)
inline constexpr bool computes_anywhere<formula<Op, A...>> =
    formula<Op, A...>::storage::keeps_operands && (elementwise_node<node<Op, A...>> || has_array_rule<Op>);
template <class T, int R>
struct place_of_array {
    extents<R> shape;
    strides<R> stride;
    std::size_t size;
    memory_t<T> value, cotangent;
};
// Its operands are evaluated. Throws as evaluating does.
template <class Leaf, class F>
auto place_in_state(context& c, Leaf const& leaf, F const& r, std::byte* value, std::byte* cotangent) {
    auto const& n = r.node_at();
    n.check();
    if (context* const o = n.owner(); o != &c && !o->plain) throw captured_value();
    n.prepare();
    auto const shape = n.extent();
    check_state_shape(leaf, shape);
    return place_of_array<typename F::value_type, F::rank>{shape, row_major_strides(shape), element_count(shape), leaf.memory(value), leaf.memory(cotangent)};
}
template <class Leaf, class R>
consteval bool is_computed_in_state() {
    if constexpr (!requires(Leaf& l) { l.shape; } || !computes_anywhere<std::remove_const_t<R>>) return false;
    else return std::is_same_v<typename R::value_type, typename Leaf::T>;
}
// What the body gives, evaluated, to the next state.
template <class Leaf, class R>
void write_leaf(context& c, Leaf& leaf, R& r, std::byte* next) {
    if constexpr (!Leaf::takes_cotangents) leaf.put(static_cast<typename Leaf::primal>(r), next);
    else if constexpr (active<R>) {
        using T = typename Leaf::T;
        if constexpr (is_computed_in_state<Leaf, R>())
            if (r.is_fresh()) {
                auto y = place_in_state(c, leaf, r, next, nullptr);
                return evaluate_slot(r.node_at(), y);
            }
        auto const debt = part_source(r);
        if (context* const o = debt.owner(); o && o != &c && !o->plain) throw captured_value();
        if constexpr (!requires { leaf.shape; }) {
            if constexpr (std::remove_cvref_t<decltype(debt)>::rank == 0) leaf.number(next) = embed<T>(debt.forward());
            else leaf.number(next) = only_element(r).forward();
        } else {
            check_state_shape(leaf, debt.extent());
            if constexpr (std::is_same_v<typename R::value_type, T>) copy_array<T>(debt.source(), leaf.memory(next));
            else for_each_element(debt.source(), [to = leaf.memory(next)](std::size_t i, auto const& v) { to[i] = embed<T>(v); });
        }
    } else if constexpr (!requires { leaf.shape; }) leaf.number(next) = embed<typename Leaf::T>(number_in(r));
    else {
        auto const a = as_constant_array<typename Leaf::T>(r, plain_context());
        check_state_shape(leaf, a.extent());
        copy_array<typename Leaf::T>(a.source(), leaf.memory(next));
    }
}
// The shape of what a function gives.
template <class Leaf, class R>
void measure_result(Leaf& leaf, R& r, state_layout& l) {
    if constexpr (!Leaf::takes_cotangents) leaf.measure(static_cast<typename Leaf::primal>(r), l);
    else if constexpr (is_computed_in_state<Leaf, R>()) leaf.measure(r, l);
    else if constexpr (active<R>) leaf.measure(part_source(r), l);
    else if constexpr (plain_array<R>) leaf.measure(as_constant_array<typename Leaf::T>(r, plain_context()), l);
    else leaf.measure(r, l);
}
// The cotangent of the next state, to what the body gives.
template <class Leaf, class R>
void seed_leaf(context& c, Leaf& leaf, R& r, std::byte* bar, std::byte* again) {
    if constexpr (Leaf::takes_cotangents && active<R>) {
        using V = typename R::value_type;
        if constexpr (is_computed_in_state<Leaf, R>())
            if (r.is_fresh()) {
                if (!leaf.due) return;
                using N = typename R::node_type;
                auto y = place_in_state(c, leaf, r, again, bar);
                if constexpr (N::pulls_without_value) y.value = y.cotangent;
                else evaluate_slot(r.node_at(), y);
                return pull_slot(r.node_at(), y);
            }
        auto const debt = part_source(r);
        if (!leaf.due) return;
        if constexpr (number_dual<typename Leaf::T> && !number_dual<V>) return;  // a constant
        else if constexpr (!requires { leaf.shape; } && R::rank == 0) debt.add(static_cast<V>(leaf.number(bar)));
        else if constexpr (!requires { leaf.shape; }) only_element(r).add(leaf.number(bar));
        else pull_back(debt, debt.extent(), memory_t<typename Leaf::T const>(nullptr), leaf.memory(bar));
    }
}
// total += g times what came to a parameter in one step.
template <class Leaf, class G>
void add_times(Leaf& leaf, G const& g, std::byte* came, std::byte* total) {
    if constexpr (Leaf::takes_cotangents) {
        if (!leaf.came()) return;
        leaf.leave(came);
        using T = typename Leaf::T;
        auto const from = leaf.memory(came), to = leaf.memory(total);
        for (std::size_t i = 0; i < leaf.size(); ++i) to[i] = leaf.due ? T(T(to[i]) + T(from[i]) * g) : T(T(from[i]) * g);
        leaf.due = true;
    }
}
// What came, on to the variables.
template <class Port, class V>
void give_leaves(Port& port, V const& v, std::byte* bar) noexcept {
    each_leaf(
        [&]<class Leaf>(Leaf& leaf, auto const& to) {
            if constexpr (Leaf::takes_cotangents) {
                if (!leaf.due) return;
                auto const debt = to.operand();
                if constexpr (std::remove_cvref_t<decltype(debt)>::rank == 0) debt.add(leaf.number(bar));
                else pull_back(debt, debt.extent(), memory_t<typename Leaf::T const>(nullptr), leaf.memory(bar));
            }
        },
        port, v);
}
}
XGRAD_DETAIL_QUIET_END
