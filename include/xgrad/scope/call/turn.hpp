// Defines turn: whose turn it is to use an object that serves one call at a time.
#pragma once

#include <stdexcept>

#include <xgrad/rule/inline.hpp>

namespace xgrad::detail {

// One for each object. A call that begins while another runs, inside it or on another thread, is refused, and so is one of an object that was moved from. What
// two threads begin in the same instant is found in a debug build: otherwise a call costs no more than a load and a store. By the compilers' functions, as
// <atomic> would cost every program.
class turn {
public:
    turn() = default;
    turn(turn const&) noexcept {}
    turn(turn&& o) noexcept { o.set(gone); }
    turn& operator=(turn const&) noexcept { return *this; }
    turn& operator=(turn&& o) noexcept {
        set(idle);
        o.set(gone);
        return *this;
    }

    // Lasts as long as the call.
    class taken {
    public:
        XGRAD_DETAIL_INLINE explicit taken(turn& t) : turn_(t) {
#ifdef NDEBUG
            char const state = __atomic_load_n(&t.state_, __ATOMIC_RELAXED);
            if (state != idle) [[unlikely]] refuse(state);
            t.set(running);
#else
            char state = idle;
            if (!__atomic_compare_exchange_n(&t.state_, &state, running, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) refuse(state);
#endif
        }
        taken(taken const&) = delete;
        XGRAD_DETAIL_INLINE ~taken() { __atomic_store_n(&turn_.state_, idle, __ATOMIC_RELEASE); }

    private:
        turn& turn_;
    };

private:
    static constexpr char idle = 0, running = 1, gone = 2;
    char state_ = idle;
    XGRAD_DETAIL_INLINE void set(char s) noexcept { __atomic_store_n(&state_, s, __ATOMIC_RELAXED); }
    [[noreturn, gnu::cold, gnu::noinline]] static void refuse(char state) {
        if (state == gone)
            throw std::logic_error("xgrad[E212]: use of a prepared derivative that was moved from: call the one that it was moved to");
        throw std::logic_error(
            "xgrad[E222]: a prepared derivative requires one call at a time, found a second one inside the first or on another thread: prepare one for each");
    }
};

}
