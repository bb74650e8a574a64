// Defines context: one gradient call: its memory, whether it goes backward, what is ready to be pulled, and what was delivered.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/arena.hpp>

namespace xgrad {

class context;

[[noreturn, gnu::cold, gnu::noinline]] inline void contexts_meet() {
    throw std::logic_error(
        "xgrad: one expression requires active values of one gradient call, found values of two: pass the outer value as an argument of the inner call, or use its primal");
}

// What every slot in the workspace begins with. `settle` runs the pullback if a contribution came, destroys the formula, and frees the slot.
struct slot_base {
    context* owner = nullptr;
    void (*settle)(slot_base*) noexcept = nullptr;
    slot_base* next = nullptr;
    std::uint32_t owed = 0;  // contributions that consumers may still make
    bool has = false;        // a contribution came
    bool left = false;       // the name has left its scope: the last payment settles
};

class context {
public:
    explicit context(bool holds_plain_values = false) : plain(holds_plain_values) {}

    arena memory;
    std::size_t live = 0;    // slots that are not settled
    bool reverse = false;    // pullbacks run; otherwise values only
    bool plain;              // holds values that belong to no gradient call (variables made of numbers)
    int deliveries = 0;      // result objects that took part
    // Of vjp: values stay when their names leave, and are pulled when they are asked to, each time.
    enum class keeping : unsigned char { nothing, forward, backward, end };
    keeping keeps = keeping::nothing;
    bool runs_once = false;  // something in the call cannot be pulled again
    std::thread::id thread;  // the one that began the call, in a debug build

    // Where a declared result of duals leaves its value, whose own type has no room for tangents.
    template <class V>
    void deliver_to(V* p) noexcept {
        result_ = p;
        result_type_ = &type_of<V>;
    }
    template <class V>
    void delivered(V const& v, bool add) const {
        if (result_type_ != &type_of<V>) contexts_meet();
        V& r = *static_cast<V*>(result_);
        r = add ? V(r + v) : v;
    }

    // Storage that the author has promised to leave unchanged: constant(x) arguments are not copied.
    void promise(void const* p, std::size_t bytes) { promised_.emplace_back(static_cast<std::byte const*>(p), bytes); }
    bool is_promised(void const* p) const noexcept {
        for (auto const& [b, n] : promised_)
            if (p >= b && p < b + n) return true;
        return false;
    }

    // The memory, from here to there, that this call's active arguments have their elements in.
    void enter_array(void const* begin, void const* end) { arrays_.emplace_back(begin, end); }
    std::size_t arguments_at(void const* begin, void const* end) const noexcept {
        return static_cast<std::size_t>(std::count_if(arrays_.begin(), arrays_.end(), [=](auto const& a) { return std::less<>()(a.first, end) && std::less<>()(begin, a.second); }));
    }

    // Queues a value whose last debt is paid. The outermost payer runs the queue, so chains of any length need no stack.
    void ready(slot_base* s) noexcept {
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

    void begin(bool go_backward, bool keep_values = false) noexcept {
        reverse = go_backward;
        keeps = keep_values ? keeping::forward : keeping::nothing;
        runs_once = false;
#ifndef NDEBUG
        thread = std::this_thread::get_id();
#endif
        deliveries = 0;
        result_ = nullptr;
        result_type_ = nullptr;
        promised_.clear();
        arrays_.clear();
    }

private:
    slot_base* queue_ = nullptr;
    slot_base* kept_ = nullptr;
    slot_base* settling_ = nullptr;
    bool draining_ = false;
    context* given_up_ = nullptr;
    void* result_ = nullptr;
    char const* result_type_ = nullptr;
    template <class V>
    static constexpr char type_of = 0;
    std::vector<std::pair<std::byte const*, std::size_t>> promised_;
    std::vector<std::pair<void const*, void const*>> arrays_;
    friend class workspace;
};

// The call that this thread is in. Nothing is found by it: results are checked against it, so that none lands in another call.
inline constinit thread_local context* running_call = nullptr;

// In a debug build: throws where a value of the call is shared on another thread than the call's.
inline void check_thread([[maybe_unused]] context const& c) {
#ifndef NDEBUG
    if (!c.plain && c.thread != std::this_thread::get_id())
        throw std::logic_error("xgrad: the values of a gradient call require the thread that made the call, found another: make one call in each thread, and add the gradients");
#endif
}

// Reusable memory of gradient calls, for one call at a time.
class workspace {
public:
    workspace() : context_(std::make_unique<context>()) {}
    context& get() noexcept { return *context_; }
    std::size_t capacity() const noexcept { return context_->memory.capacity(); }

    // The end of a call that left active values behind: its memory is given up and not reused, so that what they do later is harmless.
    void give_up() {
        auto fresh = std::make_unique<context>();
        context* old = context_.release();
        context_ = std::move(fresh);
        old->reverse = false;
        static std::atomic<context*> all{nullptr};
        old->given_up_ = all.load();
        while (!all.compare_exchange_weak(old->given_up_, old)) {}
    }

private:
    std::unique_ptr<context> context_;
};

// A workspace out of those that this thread keeps; calls may nest.
class borrowed_workspace {
public:
    borrowed_workspace() {
        auto& k = kept();
        if (k.empty()) mine_ = std::make_unique<workspace>();
        else {
            mine_ = std::move(k.back());
            k.pop_back();
        }
    }
    borrowed_workspace(borrowed_workspace const&) = delete;
    borrowed_workspace& operator=(borrowed_workspace const&) = delete;
    ~borrowed_workspace() { kept().push_back(std::move(mine_)); }
    workspace& get() noexcept { return *mine_; }

private:
    std::unique_ptr<workspace> mine_;
    static std::vector<std::unique_ptr<workspace>>& kept() {
        thread_local std::vector<std::unique_ptr<workspace>> k;
        return k;
    }
};

// The context of active values that no gradient call made: a variable of a number, an accumulator's initial value. Each thread has one;
// none is ever destroyed, since such values may outlive their thread: the next thread takes it over.
inline context& plain_context() {
    struct pool {
        std::mutex mutex;
        std::vector<std::unique_ptr<context>> idle;
    };
    static pool& all = *new pool;
    struct lease {
        std::unique_ptr<context> mine;
        lease() {
            std::lock_guard lock(all.mutex);
            if (all.idle.empty()) {
                mine = std::make_unique<context>(true);
                return;
            }
            mine = std::move(all.idle.back());
            all.idle.pop_back();
        }
        ~lease() {
            std::lock_guard lock(all.mutex);
            all.idle.push_back(std::move(mine));
        }
    };
    thread_local lease l;
    return *l.mine;
}

}
