// Defines context: one gradient call: its memory, whether it goes backward, what is ready to be pulled, and what was delivered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/memory/arena.hpp>

namespace xgrad {

class context;

[[noreturn, gnu::cold, gnu::noinline]] inline void contexts_meet() {
    throw std::logic_error("xgrad[E214]: one expression requires active values of one gradient call, found values of two: pass the outer value as an argument "
                           "of the inner call, or use its primal");
}

// What every slot in the workspace begins with. `settle` runs the pullback if a contribution came, destroys the formula, and frees the slot.
struct slot_base {
    context* owner = nullptr;
    void (*settle)(slot_base*) noexcept = nullptr;
    slot_base* next = nullptr;
    std::uint32_t owed = 0;  // contributions that consumers may still make
    bool has_cotangent = false;        // a contribution came
    bool released = false;       // the name has left its scope: the last payment settles
    bool is_value = false;       // it has no formula: nothing is pulled, and nobody can tell it from another of the same value
    bool has_pass = false;       // it is deferred, and a pass goes through it
};

// What tells threads apart: an address that each has for itself.
inline void const* this_thread() noexcept {
    static constinit thread_local char const here = 0;
    return &here;
}

class context {
public:
    explicit context(bool holds_plain_values = false) : plain(holds_plain_values) {}

    arena memory;
    std::size_t live = 0;    // slots that are not settled
    // What begin sets lies together, so that one store does it.
    bool reverse = false;    // pullbacks run; otherwise values only
    bool plain;              // holds values that belong to no gradient call (variables made of numbers)
    bool runs_once = false;  // something in the call cannot be pulled again
    bool forward_only = false;  // a step of a loop whose cotangents nobody reads, and whose state has no memory for them
    // Of vjp: values stay when their names leave, and are pulled when they are asked to, each time.
    enum class keeping : unsigned char { nothing, forward, backward, end };
    keeping keeps = keeping::nothing;
    // Whether no value will be asked for its operands.
    XGRAD_DETAIL_INLINE bool takes_values_only() const noexcept { return !reverse && keeps == keeping::nothing; }
    int deliveries = 0;      // result objects that took part
    // In a debug build: the thread that began the call, and how many calls have begun here.
    void const* thread = nullptr;
    std::uint64_t calls = 0;

    // Where a declared result of duals leaves its value, whose own type has no room for tangents.
    template <class V>
    XGRAD_DETAIL_INLINE void deliver_to(V* p) noexcept {
        result_ = p;
        result_type_ = &type_of<V>;
        memory.mark();
    }
    template <class V>
    XGRAD_DETAIL_INLINE V& place_of_delivery() const {
        if (result_type_ != &type_of<V>) contexts_meet();
        return *static_cast<V*>(result_);
    }
    template <class V>
    void delivered(V const& v, bool add) const {
        V& r = place_of_delivery<V>();
        r = add ? V(r + v) : v;
    }

    // Templates, so that an include alone instantiates no vectors.

    // Storage that the author has promised to leave unchanged: constant(x) arguments are not copied.
    template <class = void>
    void assume_constant(void const* p, std::size_t bytes) {
        memory.mark();
        constants_.push_back({p, static_cast<std::byte const*>(p) + bytes});
    }
    template <class = void>
    bool is_assumed_constant(void const* p) const noexcept {
        return std::any_of(constants_.begin(), constants_.end(), [p](memory_range r) { return r.holds(p); });
    }

    // The memory, from here to there, that this call's active arguments have their elements in.
    template <class = void>
    void enter_array(void const* begin, void const* end) {
        memory.mark();
        arrays_.push_back({begin, end});
    }
    // The same in a record of the argument's own, which lasts as long as the call.
    struct entered_array {
        entered_array const* next;
        void const* begin;
        void const* end;
    };
    XGRAD_DETAIL_INLINE void enter_array(entered_array& e, void const* begin, void const* end) noexcept {
        memory.mark();
        e = {entered_, begin, end};
        entered_ = &e;
    }
    template <class = void>
    std::size_t arguments_at(void const* begin, void const* end) const noexcept {
        auto n = static_cast<std::size_t>(std::count_if(arrays_.begin(), arrays_.end(), [=](memory_range r) { return r.meets({begin, end}); }));
        for (auto const* e = entered_; e; e = e->next) n += memory_range{e->begin, e->end}.meets({begin, end});
        return n;
    }

    // Queues a value whose last debt is paid. The outermost payer runs the queue, so chains of any length need no stack.
    // By a call: it would be taken in wherever a debt may be paid.
    [[gnu::noinline]] void ready(slot_base* s) noexcept {
        if (keeps != keeping::nothing) [[unlikely]] return;
        s->next = std::exchange(queue_, s);
        if (draining_) return;
        draining_ = true;
        while (slot_base* q = queue_) {
            queue_ = q->next;
            q->settle(q);
        }
        draining_ = false;
    }

    // A value that stays. Each was made after what it was made of.
    void keep(slot_base* s) noexcept { s->next = std::exchange(kept_, s); }
    // Whether it is time for this one to be destroyed: not when a formula that is destroyed gives it up.
    bool ends(slot_base const* s) const noexcept { return keeps == keeping::end && s == settling_; }
    // Pulls all that were kept, the last first, or destroys them.
    void settle_kept(keeping phase) noexcept {
        keeps = phase;
        for (slot_base* s = kept_; s;) {
            slot_base* const before = s->next;
            settling_ = s;
            s->settle(s);
            s = before;
        }
        if (phase == keeping::end) kept_ = nullptr;
        keeps = phase == keeping::end ? keeping::nothing : keeping::forward;
    }

    XGRAD_DETAIL_INLINE void begin(bool go_backward, bool keep_values = false) noexcept {
        if (!memory.is_clear()) [[unlikely]] forget();  // first: what is set below is known to what follows
        reverse = go_backward;
        plain = false;
        runs_once = false;
        forward_only = false;
        keeps = keep_values ? keeping::forward : keeping::nothing;
        deliveries = 0;
#ifndef NDEBUG
        thread = this_thread();
        ++calls;
#endif
    }

    // What the call before has left: its memory, and its records.
    [[gnu::noinline]] void forget() noexcept {
        memory.reset();
        result_ = nullptr;
        result_type_ = nullptr;
        entered_ = nullptr;
        constants_.clear();
        arrays_.clear();
    }

private:
    slot_base* queue_ = nullptr;
    slot_base* kept_ = nullptr;
    slot_base* settling_ = nullptr;
    bool draining_ = false;
    context* below_ = nullptr;
    void* result_ = nullptr;
    char const* result_type_ = nullptr;
    entered_array const* entered_ = nullptr;
    template <class V>
    static constexpr char type_of = 0;
    struct memory_range {
        void const* begin;
        void const* end;
        bool holds(void const* p) const noexcept { return !std::less<>()(p, begin) && std::less<>()(p, end); }
        bool meets(memory_range o) const noexcept { return std::less<>()(begin, o.end) && std::less<>()(o.begin, end); }
    };
    std::vector<memory_range> constants_;
    std::vector<memory_range> arrays_;
    friend class context_stack;
};

// The call that this thread is in. Nothing is found by it: results are checked against it, so that none lands in another call.
inline constinit thread_local context* running_call = nullptr;

[[noreturn, gnu::cold, gnu::noinline]] inline void outlived() {
    throw std::logic_error(
        "xgrad[E213]: a gradient call requires that no active value outlives it, found one kept outside the function: return it, or keep its primal");
}

// In a debug build: throws where a value of the call is shared on another thread than the call's.
inline void check_thread([[maybe_unused]] context const& c) {
#ifndef NDEBUG
    if (!c.plain && c.thread != this_thread())
        throw std::logic_error(
            "xgrad[E215]: the values of a gradient call require the thread that made the call, found another: make one call in each thread, and add the "
                "gradients");
#endif
}

}
