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
// What the body gives, evaluated, to the next state.
template <class Leaf, class R>
void write_leaf(context& c, Leaf& leaf, R& r, std::byte* next) {
    if constexpr (!Leaf::takes_cotangents) leaf.put(static_cast<typename Leaf::primal>(r), next);
    else if constexpr (active<R>) {
        using T = typename Leaf::T;
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
    else if constexpr (active<R>) leaf.measure(part_source(r), l);
    else if constexpr (plain_array<R>) leaf.measure(as_constant_array<typename Leaf::T>(r, plain_context()), l);
    else leaf.measure(r, l);
}
// The cotangent of the next state, to what the body gives.
template <class Leaf, class R>
void seed_leaf(Leaf& leaf, R& r, std::byte* bar) {
    if constexpr (Leaf::takes_cotangents && active<R>) {
        using V = typename R::value_type;
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
