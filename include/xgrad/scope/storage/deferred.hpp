// Defines what a named array needs whose evaluation is deferred: until somebody asks for all of it, or a pass goes through it stretch by stretch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <xgrad/scope/memory/workspace.hpp>
#include <xgrad/scope/operand/constant.hpp>
#include <xgrad/scope/operand/input.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>
#include <xgrad/scope/operand/valued_number.hpp>
#include <xgrad/scope/storage/evaluate_slot.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class... A>
class formula;

namespace detail {

// A long array that is named, and used in operations element by element, need not lie in memory. If all that it is computed from lies flat, its slot has room
// for a stretch alone, and says how that is computed and pulled (memory/deferral.hpp). A pass that knows what it gives to each element as it reads it, such as
// the sum that a function returns, takes one stretch after the other: all names are computed there, then pulled, while they are in a cache. Whoever asks for
// more has it evaluated whole, as it would have been.

// Fewer elements stay in a cache anyway.
inline constexpr std::size_t least_deferred = 16 * longest_stretch;
// The most deferred names that another is computed from.
inline constexpr std::size_t most_behind = 8;

// Whether an operand's type lets it lie flat in a stretch: a number, a value in a slot, a constant, or an operation on such that throws nothing. An element of
// an array is no number: where it lies goes on with the array.
template <class A>
inline constexpr bool goes_in_stretches = A::rank == 0 && !A::is_active;
template <class T, int R, class M>
inline constexpr bool goes_in_stretches<slot_ref<T, rank_c<R>, M>> = R == 0 || std::is_floating_point_v<T>;
template <class T, class M>
inline constexpr bool goes_in_stretches<input<T, rank_c<0>, M>> = true;
template <class T>
inline constexpr bool goes_in_stretches<valued_number<T>> = true;
template <class T, int R, class Store>
inline constexpr bool goes_in_stretches<constant_array<T, R, Store>> = std::is_arithmetic_v<T>;
template <class N>
inline constexpr bool may_be_deferred = false;
template <class Op, class... A>
    requires elementwise_node<node<Op, A...>>
inline constexpr bool may_be_deferred<node<Op, A...>> = [] {
    using N = node<Op, A...>;
    if constexpr (N::rank == 0 || has_static_shape<N> || std::is_same_v<typename N::lifetime, in_common>) return false;
    else if constexpr (!std::is_floating_point_v<typename N::value_type> || checks_finite || operation_throws<Op> || (tree_throws<A> || ...)) return false;
    else return (goes_in_stretches<A> && ...);
}();
template <class Op, class... A>
inline constexpr bool goes_in_stretches<formula<Op, A...>> = formula<Op, A...>::rank == 0 || may_be_deferred<node<Op, A...>>;

// all(a, f): whether f holds of all that a kernel reads of an operand. A name that has moved in has a tree that nobody goes into.
template <class A>
struct kernel_leaves {
    template <class F>
    static bool all(A const& a, F const& f) {
        return f(a);
    }
};
template <class Op, class... A>
struct kernel_leaves<node<Op, A...>> {
    template <class F>
    static bool all(node<Op, A...> const& n, F const& f) {
        return n.each([&](auto const&... a) { return (kernel_leaves<A>::all(a, f) && ...); });
    }
};
template <class Op, class... A>
struct kernel_leaves<formula<Op, A...>> {
    template <class F>
    static bool all(formula<Op, A...> const& a, F const& f) {
        if constexpr (formula<Op, A...>::rank == 0) return f(a);
        else return a.is_fresh() && kernel_leaves<node<Op, A...>>::all(a.node_at(), f);
    }
};

// Enters what a kernel reads, in a space of this shape, where it lies flat in it. Numbers are evaluated, as they are before any kernel.
template <int R>
struct enter_stretches {
    extents<R> const& space;
    stretches& all;
    template <class A>
    bool operator()(A const& a) const {
        if constexpr (A::rank == 0) {
            a.materialise();
            return true;
        } else if constexpr (A::is_active) return enter(*a.get());
        else {
            auto const x = a.source();
            return covers(space, x.shape) && is_contiguous(x.shape, x.stride) && (all.has(&a) || all.add({&a, &advance<A>, nullptr, false}));
        }
    }

private:
    template <class Slot>
    bool enter(Slot& s) const {
        if (!s.contiguous || !covers(space, s.shape)) return false;
        if (all.has(&s)) return true;
        return s.deferred ? s.deferred->enter(&s, all) : all.add({&s, &advance_slot<Slot>, &s, s.has_cotangent});
    }
    template <class A>
    static void advance(void const* a, std::ptrdiff_t n) noexcept { static_cast<A const*>(a)->advance(n); }
    template <class Slot>
    static void advance_slot(void const* at, std::ptrdiff_t n) noexcept {
        auto& s = *const_cast<Slot*>(static_cast<Slot const*>(at));
        s.value = s.value + n;
        if (s.cotangent) s.cotangent = s.cotangent + n;
        if (s.filled != 0) s.filled -= static_cast<std::size_t>(n);
    }
};
// Whether a tree goes stretch by stretch: all that it reads lies flat, and there is not too much of it.
template <class Tree, int R>
[[gnu::noinline]] bool find_stretches(Tree const& tree, extents<R> const& space, stretches& all) {
    return kernel_leaves<Tree>::all(tree, enter_stretches<R>{space, all});
}

// A name whose slot is a Room, with its node in it.
template <class N, class Room>
struct deferred_name {
    using T = typename N::value_type;

    // Null where the node is to be evaluated at once.
    [[gnu::noinline]] static Room* make(N const& node, extents<N::rank> const& shape, context& c) {
        if (c.plain || c.forward_only || c.keeps != context::keeping::nothing) return nullptr;
        stretches all;
        if (!find_stretches(node, shape, all) || all.names() >= most_behind) return nullptr;
        auto* const p = static_cast<std::byte*>(__builtin_assume_aligned(c.memory.take(bytes(c.reverse)), 16));
        Room* const r = new (p) Room;
        r->shape = shape;
        r->stride = row_major_strides(shape);
        r->size = element_count(shape);
        r->value = memory_in<T>(p + Room::own_bytes(), longest_stretch);
        r->cotangent = c.reverse ? memory_in<T>(p + Room::own_bytes() + of_stretch, longest_stretch) : memory_t<T>(nullptr);
        r->deferred = &how;
        r->was_deferred = true;
        return r;
    }
    static std::size_t bytes(Room const& r) noexcept { return bytes(r.cotangent != nullptr) + (r.deferred ? 0 : bytes_of_arrays(r)); }
    static void give(Room* r, context& c) noexcept {
        bool const reverse = r->cotangent != nullptr;
        if (!r->deferred) c.memory.give(r->value, bytes_of_arrays(*r));
        c.memory.give(r, bytes(reverse));
    }

private:
    static constexpr std::size_t of_stretch = longest_stretch * sizeof(T);
    static std::size_t bytes(bool reverse) noexcept { return Room::own_bytes() + of_stretch * (reverse ? 2 : 1); }
    static std::size_t bytes_of_array(Room const& r) noexcept { return Room::array_bytes(r.size); }
    static std::size_t bytes_of_arrays(Room const& r) noexcept { return bytes_of_array(r) * (r.cotangent ? 2 : 1); }
    static Room& of(slot_base* s) noexcept { return *static_cast<Room*>(s); }

    static void evaluate(slot_base* s) {
        Room& r = of(s);
        if (!r.deferred) return;
        r.node.prepare();
        std::size_t const bytes = bytes_of_arrays(r);
        auto* const p = static_cast<std::byte*>(r.owner->memory.take(bytes));
        r.value = memory_in<T>(p, r.size);
        if (r.cotangent) r.cotangent = memory_in<T>(p + bytes_of_array(r), r.size);
        r.deferred = nullptr;
        if constexpr (is_explained<N>) hooks_of_explained<N>::begin();
        evaluate_slot(r.node, r);
        if (r.filled != 0 && r.cotangent) std::fill(r.cotangent + r.size, r.cotangent + r.filled, T(0));
        if constexpr (is_explained<N>) hooks_of_explained<N>::evaluated_whole(r, bytes);
    }
    static void produce(slot_base* s, std::size_t n) noexcept {
        Room& r = of(s);
        r.filled = evaluate_stretch<true>(r.node, r.shape, n, r.value);
        r.has_cotangent = false;
        // what is behind the end counts for nothing, and is a number
        if (r.cotangent && r.filled != 0) std::fill(r.cotangent + n, r.cotangent + r.filled, T(0));
    }
    static void pull(slot_base* s, std::size_t n) noexcept {
        Room& r = of(s);
        if (r.has_cotangent) pull_back_stretch(r.node, r.shape, n, memory_t<T const>(r.value), memory_t<T const>(r.cotangent), r.filled);
        r.has_cotangent = false;
    }
    static bool enter(slot_base* s, stretches& all) { return find_stretches(of(s).node, of(s).shape, all) && all.add(s, &how); }
    static constexpr deferral how{&evaluate, &produce, &pull, &enter};
};

}

}
XGRAD_DETAIL_QUIET_END
