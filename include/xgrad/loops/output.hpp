// Defines output_port<Y, L>, where what the steps of a scan give beside the state lies, stacked or summed.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/rows.hpp>
#include <xgrad/loops/transfer.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class Found, class Expected>
[[noreturn, gnu::cold, gnu::noinline]] void output_changes_shape(Found const& found, Expected const& expected) {
    throw std::invalid_argument("xgrad[E254]: scan(body, init, xs, params...) requires outputs of one shape in all steps, found " + found + " after " +
                                expected + ": give arrays of one shape, or add them up by summed(y)");
}

// Y is the plain type of one output, or summed of it.
template <class Y, class L>
struct output_port {
    static constexpr bool sums = false;
    using P = Y;
    using T = typename L::template type<typename variable_shape<Y>::element>;
    static constexpr int rank = variable_shape<Y>::rank::value;
    extents<rank> shape;
    std::size_t first = 0, n = 0, count = 1, i = 0;
    bool due = false;

    void set_steps(std::size_t steps) { n = steps; }
    void measure(extents<rank> const& s, state_layout& l) {
        shape = s;
        count = element_count(s);
        first = l.add(n * count * sizeof(T), 64);
    }
    static constexpr int rank_of_all = rank == dynamic_rank ? rank : rank + 1;
    extents<rank_of_all> shape_of_all() const { return shape_of_rows(n, shape); }
    memory_t<T> all(std::byte* p) const noexcept { return memory_in<T>(p + first, n * count); }
    XGRAD_DETAIL_INLINE memory_t<T> memory(std::byte* p) const noexcept { return all(p) + i * count; }
    void check(extents<rank> const& found) const {
        if constexpr (rank != 0)
            if (!(found == shape)) output_changes_shape(to_string(found), to_string(shape));
    }
    XGRAD_DETAIL_INLINE static void put(memory_t<T> to, std::size_t k, T const& v) { to[k] = v; }
};
template <class Y, class L>
struct output_port<summed<Y>, L> {
    static constexpr bool sums = true;
    using P = Y;
    using T = typename L::template type<typename variable_shape<Y>::element>;
    static constexpr int rank = variable_shape<Y>::rank::value;
    extents<rank> shape;
    std::size_t first = 0, count = 1, i = 0;
    bool due = false;

    void set_steps(std::size_t) {}
    void measure(extents<rank> const& s, state_layout& l) {
        shape = s;
        count = element_count(s);
        first = l.add(count * sizeof(T), 64);
    }
    static constexpr int rank_of_all = rank;
    extents<rank> shape_of_all() const { return shape; }
    memory_t<T> all(std::byte* p) const noexcept { return memory_in<T>(p + first, count); }
    XGRAD_DETAIL_INLINE memory_t<T> memory(std::byte* p) const noexcept { return all(p); }
    void check(extents<rank> const& found) const {
        if constexpr (rank != 0)
            if (!(found == shape)) output_changes_shape(to_string(found), to_string(shape));
    }
    XGRAD_DETAIL_INLINE static void put(memory_t<T> to, std::size_t k, T const& v) { to[k] = T(T(to[k]) + v); }
};

// What a body gives for an output, to its place among those of the other steps.
template <class Port, class R>
extents<Port::rank> shape_of_output(Port const&, R const& r) {
    if constexpr (Port::rank == 0) return {};
    else if constexpr (active<R>) return part_source(r).extent();
    else return shape_of<Port::rank>(r);
}
template <class Port, class R>
void write_output(context& c, Port const& port, R& r, std::byte* values) {
    using T = typename Port::T;
    auto const to = port.memory(values);
    port.check(shape_of_output(port, r));
    auto put = [to](std::size_t k, auto const& v) { Port::put(to, k, embed<T>(v)); };
    if constexpr (active<R>) {
        auto const debt = part_source(r);
        if (context* const o = debt.owner(); o && o != &c && !o->plain) throw captured_value();
        if constexpr (std::remove_cvref_t<decltype(debt)>::rank == 0) put(0, debt.forward());
        else for_each_element(debt.source(), [&put](std::size_t k, auto const& v) { put(k, typename R::value_type(v)); });  // of a dual, no reference
    } else if constexpr (Port::rank == 0) put(0, number_in(r));
    else for_each_element(as_constant_array<typename std::remove_cvref_t<R>::value_type>(r, plain_context()).source(), put);
}
template <class Port, class R>
void seed_output(Port const& port, R& r, std::byte* cotangents) {
    if constexpr (active<R>) {
        using V = typename R::value_type;
        using T = typename Port::T;
        if (!port.due) return;
        auto const debt = part_source(r);
        if constexpr (number_dual<T> && !number_dual<V>) return;  // a constant
        else if constexpr (Port::rank == 0) debt.add(static_cast<V>(T(port.memory(cotangents)[0])));
        else pull_back(debt, debt.extent(), memory_t<T const>(nullptr), port.memory(cotangents));
    }
}

// The plain type of an output, and the parts that a body gives beside the state: one, or a std::tuple of them.
template <class R>
struct plain_output { using type = state_t<R>; };
template <class R>
    requires std::is_arithmetic_v<R>
struct plain_output<R> { using type = std::conditional_t<std::is_integral_v<R>, double, R>; };
template <plain_array R>
struct plain_output<R> { using type = typename primal_of<std::remove_const_t<typename R::value_type>, rank_of<R>>::type; };
template <class R>
struct plain_output<summed<R>> { using type = summed<typename plain_output<R>::type>; };
template <class Y>
inline constexpr bool is_output = perturbable_number<Y>;
template <number_array Y>
inline constexpr bool is_output<Y> = true;
template <class Y>
inline constexpr bool is_output<summed<Y>> = is_output<Y>;
template <class R>
struct outputs_of {
    using types = type_list<typename plain_output<R>::type>;
    static constexpr bool is_tuple = false;
    template <class Q>
    static auto tie(Q& r) { return std::tie(r); }
};
template <class... R>
struct outputs_of<std::tuple<R...>> {
    using types = type_list<typename plain_output<std::remove_cvref_t<R>>::type...>;
    static constexpr bool is_tuple = true;
    template <class Q>
    static auto& tie(Q& r) { return r; }
};

// The slots of all outputs, and the variables that the caller gets.
template <class Port>
using output_slot_t = result_slot<typename Port::T, rank_c<Port::rank_of_all>>;
template <class Port>
using output_variable_t = variable<typename primal_of<typename Port::T, Port::rank_of_all>::type>;

template <class Port, class Slot>
void bind_output(rule_call_base& call, Port& port, Slot& s, std::byte* values, std::byte* cotangents) {
    if constexpr (Port::rank_of_all != 0) {
        s.shape = port.shape_of_all();
        s.stride = row_major_strides(s.shape);
        s.size = element_count(s.shape);
        s.value = port.all(values);
        s.cotangent = port.all(cotangents);
    } else s.value = typename Port::T(port.all(values)[0]);
    s.enter(call);
}

}
XGRAD_DETAIL_QUIET_END
