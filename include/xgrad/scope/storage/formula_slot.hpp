// Defines formula_slot<N>: the slot of a counted formula, whose node is in it: how it is evaluated, and settled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/scope/memory/workspace.hpp>
#include <xgrad/scope/storage/check_finite.hpp>
#include <xgrad/scope/storage/deferred.hpp>
#include <xgrad/scope/storage/evaluate_slot.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// A slot and, behind it, the formula whose value it holds, and the memory of an array and of its cotangent: one piece of memory, reserved before it is needed.
// An array that is deferred has memory for a stretch.
template <class N>
struct formula_slot : slot<typename N::value_type, rank_c<N::rank>> {
    using T = typename N::value_type;
    static constexpr bool scalar = N::rank == 0, fixed = has_static_shape<N>, may_defer = detail::may_be_deferred<N>;
    static constexpr bool has_whole_packs = !scalar && !fixed;  // by array_bytes
    [[no_unique_address]] detail::kept_with_t<N> kept;
    union {
        N node;
    };
    formula_slot() {}
    ~formula_slot() {}

    // few numbers are nowhere near the end of a cache line
    static constexpr std::size_t unit = [] {
        if constexpr (fixed) return shape_or_rank_t<N>::size * sizeof(T) <= 32 ? 16 : 64;
        else return scalar ? 16 : 64;
    }();
    // packs lie as they have to in blocks that are not small
    static constexpr std::size_t own_bytes() noexcept {
        constexpr bool small = alignof(formula_slot) <= 16;
        return scalar && small ? sizeof(formula_slot) : std::max(small ? std::size_t{0} : std::size_t{320}, (sizeof(formula_slot) + unit - 1) / unit * unit);
    }
    static constexpr std::size_t array_bytes(std::size_t size) noexcept { return (size * sizeof(T) + unit - 1) / unit * unit; }
    XGRAD_DETAIL_INLINE static std::size_t bytes_of(formula_slot const& r) noexcept {
        if constexpr (scalar) return own_bytes();
        else if constexpr (fixed) return own_bytes() + array_bytes(shape_or_rank_t<N>::size) * 2;
        else {
            if constexpr (may_defer)
                if (r.was_deferred) return deferral_type::bytes(r);
            return own_bytes() + array_bytes(r.size) * (r.cotangent ? 2 : 1);
        }
    }

    // An array. Defers: it may be deferred, and the node is prepared if it is not. Throws what evaluating throws, and then there is no slot.
    template <bool Defers>
    XGRAD_DETAIL_INLINE static formula_slot* evaluate(N const& n, context& c) {
        auto const shape = n.extent();
        std::size_t const size = element_count(shape);
        if constexpr (Defers) {
            if (size >= detail::least_deferred)
                if (formula_slot* const r = deferral_type::make(n, shape, c)) return r;
            n.prepare();
        }
        bool const reverse = fixed || c.reverse || c.plain;
        std::size_t const bytes = own_bytes() + array_bytes(size) * (reverse ? 2 : 1);
        auto* p = static_cast<std::byte*>(__builtin_assume_aligned(c.memory.take(bytes), 16));
        formula_slot* r = new (p) formula_slot;
        r->shape = shape;
        r->stride = row_major_strides(shape);
        r->size = size;
        r->value = detail::memory_in<T>(p + own_bytes(), size);
        r->cotangent = reverse ? detail::memory_in<T>(p + own_bytes() + array_bytes(size), size) : memory_t<T>(nullptr);
        if constexpr (!std::is_trivially_default_constructible_v<T> && !number_dual<T>) {
            std::uninitialized_default_construct_n(r->value, size);
            if (reverse) std::uninitialized_default_construct_n(r->cotangent, size);
        }
        try {
            detail::evaluate_slot(n, *r);
        } catch (...) {
            c.memory.give(r, bytes);
            throw;
        }
        if (r->filled != 0 && reverse) std::memset(p + bytes - unit, 0, unit);
        return r;
    }
    // By a call: a map would take it in wherever a value may leave its scope.
    [[gnu::noinline]] static void settle_all(slot_base* s) noexcept {
        auto* r = static_cast<formula_slot*>(s);
        context* c = r->owner;
        if constexpr (detail::is_valued<N>) {  // nothing goes backward, and no pullback is compiled
        } else if (c->keeps != context::keeping::nothing) [[unlikely]] {
            if (c->keeps == context::keeping::backward) {
                if (r->has_cotangent) pull(r);
                r->has_cotangent = false;
                if constexpr (scalar) r->cotangent = T(0);
            }
            if (!c->ends(r)) return;
        } else if (r->has_cotangent && c->reverse) pull(r);
        r->node.~N();
        std::size_t const bytes = bytes_of(*r);
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::settled(*r, bytes);
        --c->live;
        if constexpr (may_defer)
            if (r->was_deferred) return deferral_type::give(r, *c);
        c->memory.give(r, bytes);
    }
    // Of one that has given its operands up.
    static void settle_value(slot_base* s) noexcept {
        auto* r = static_cast<formula_slot*>(s);
        --r->owner->live;
        r->owner->memory.give(r, bytes_of(*r));
    }

private:
    using deferral_type = detail::deferred_name<N, formula_slot>;
    static XGRAD_DETAIL_INLINE void pull(formula_slot* r) noexcept {
        if constexpr (checks_finite && scalar) detail::check_finite_cotangent<N>([&](std::size_t) { return r->cotangent; }, extents<0>());
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::begin();
        if constexpr (scalar) r->node.pull(r->cotangent, r->value);
        else detail::pull_slot(r->node, *r);
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::pulled(*r);
    }
};

}
XGRAD_DETAIL_QUIET_END
