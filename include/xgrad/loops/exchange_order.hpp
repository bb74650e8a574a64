// Defines ordered_call, a call that exchanges something with other programs on its way back, and exchange_order, by which such calls go back as they came.
#pragma once

#include <exception>
#include <utility>

#include <xgrad/scope/call/result_slots.hpp>

namespace xgrad::detail {

// Those of one order are pulled in the reverse order of the forward pass, whatever order their values settle in, and whether or not a cotangent came to them
// here, as it may have come to those of other programs: each waits for the next, which holds it as a consumer of it would. Without an order they are pulled as
// all values are, where a cotangent came.
struct ordered_call : rule_call_base {
    ordered_call* before = nullptr;
    bool in_order = false;
    int const unwinding = std::uncaught_exceptions();
    using rule_call_base::rule_call_base;

    // Where an exception destroys what was made, nothing is exchanged: the programs do not meet there.
    bool goes_back() const noexcept { return owner->reverse && (in_order || has_cotangent) && std::uncaught_exceptions() <= unwinding; }
    void hold() noexcept {
        ++alive;
        ++owner->live;
    }
    void let_go() noexcept {
        --owner->live;
        if (--alive == 0) owner->ready(this);
    }
};

// The order of the calls that are made in its scope with values of a context, null for none. The last call is held until the scope ends. Of a function with a
// declared result the values settle in their order by themselves, and wait for nothing.
class exchange_order {
public:
    explicit exchange_order(context* c, bool holds = true) noexcept : call_(c), holds_(holds), around_(std::exchange(innermost, this)) {}
    exchange_order(exchange_order const&) = delete;
    ~exchange_order() {
        innermost = around_;
        if (last_) last_->let_go();
    }
    static void join(ordered_call& call) noexcept {
        exchange_order* const o = innermost;
        if (!o || o->call_ != call.owner || !call.owner->reverse) return;
        call.in_order = true;
        if (!o->holds_) return;
        call.before = std::exchange(o->last_, &call);
        call.hold();
    }

private:
    inline static constinit thread_local exchange_order* innermost = nullptr;
    context* call_;
    bool holds_;
    ordered_call* last_ = nullptr;
    exchange_order* around_;
};

}
