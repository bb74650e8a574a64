// Defines pulled_call<Call>: the life of a call in its context's memory: made, pulled once all parts of its result have what comes to them, and destroyed.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/loops/exchange_order.hpp>

namespace xgrad::detail {

// A Call has a constructor from the context and what make is given, and is a friend of this. Its result are slots that have entered it.
//   pull()     takes the cotangents of the result to the operands; where none came, and nothing is exchanged, it does nothing
//   forget()   the cotangents of the result, before they come once more
template <class Call>
class pulled_call : public ordered_call {
protected:
    explicit pulled_call(context& c) : ordered_call(c, &finish_call) {
        settle = c.keeps != context::keeping::nothing ? &settle_kept_call : &settle_waiting;
    }
    template <class... E>
    static Call& make(context& c, E&&... e) {
        void* const room = c.memory.take(sizeof(Call));
        try {
            return *new (room) Call(c, std::forward<E>(e)...);
        } catch (...) {
            c.memory.give(room, sizeof(Call));
            throw;
        }
    }
    // When its result has been made.
    void begin(bool exchanges) noexcept {
        if (owner->keeps != context::keeping::nothing) owner->keep(this);
        else {
            if (exchanges) exchange_order::join(*this);
            if (alive == 0) finish_call(this);
        }
    }

private:
    static void finish_call(rule_call_base* b) noexcept {
        auto* const call = static_cast<Call*>(b);
        context* const c = call->owner;
        if (call->goes_back()) call->pull();
        ordered_call* const before = call->before;
        call->~Call();
        c->memory.give(call, sizeof(Call));
        if (before) before->let_go();
    }
    static void settle_waiting(slot_base* s) noexcept { finish_call(static_cast<Call*>(s)); }
    // Where values are kept it is pulled each time.
    static void settle_kept_call(slot_base* s) noexcept {
        auto* const call = static_cast<Call*>(s);
        if (call->owner->keeps == context::keeping::backward) {
            call->pull();
            call->forget();
        }
        if (!call->owner->ends(call)) return;
        call->owner->live -= call->alive;
        call->has_cotangent = false;
        finish_call(call);
    }
};

}
