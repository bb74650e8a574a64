// Defines received_log: what the steps of a loop have received from outside of the program, so that a step that runs once more is given it again.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/memory/workspace.hpp>

namespace xgrad::detail {

// Messages in the order in which they came, each with the number of its step. A step that has run before is given its messages from here, and nothing is sent
// for them: so the ranks of a program may store other states and run other steps again, and still meet in each exchange. Steps lie in steps, of which the
// innermost is asked first.
class received_log {
public:
    // Whether steps are pulled with the cotangents that are due, or with 1, before these are known.
    received_log(context& c, bool knows_cotangents) noexcept : owner_(c), knows_cotangents_(knows_cotangents) {}
    received_log(received_log const&) = delete;
    ~received_log() {
        while (last_) {
            message* const m = std::exchange(last_, last_->before);
            --owner_.live;
            owner_.memory.give(m, sizeof(message) + m->bytes);
        }
    }
    std::size_t bytes() const noexcept { return bytes_; }
    // Whether a step has exchanged something.
    bool is_used() const noexcept { return ran_ != 0; }
    // Step i is about to run.
    XGRAD_DETAIL_INLINE void begin(std::size_t i) noexcept { step_ = i; }
    // The step that is about to run may be that which ran just now.
    void turn() noexcept { known_ = none; }
    // The steps that run now exchange something.
    static void enter() noexcept {
        for (received_log* l = innermost; l; l = l->outer_)
            if (l->known_ != l->step_) l->know();
    }

    // In its scope messages are those of the steps of this log, of no steps where there is none.
    class scope {
    public:
        explicit scope(received_log* log) noexcept : before_(std::exchange(innermost, log)) {}
        scope(scope const&) = delete;
        ~scope() { innermost = before_; }

    private:
        received_log* before_;
    };
    // The steps of the loop begin, inside of those that run.
    received_log* steps() noexcept {
        turn();
        outer_ = innermost;
        return this;
    }
    // Those around the loop, for what is no part of its steps.
    received_log* around() const noexcept { return innermost == this ? outer_ : innermost; }
    static received_log* here() noexcept { return innermost; }
    static bool knows_cotangents() noexcept {
        for (received_log const* l = innermost; l; l = l->outer_)
            if (!l->knows_cotangents_) return false;
        return true;
    }
    // Whether the messages of what runs now have come already.
    static bool runs_again() noexcept {
        for (received_log const* l = innermost; l; l = l->outer_)
            if (l->again_) return true;
        return false;
    }
    // fetch() writes the `bytes` at `to`, unless they have come already.
    template <class Fetch>
    static void receive(void* to, std::size_t bytes, Fetch const& fetch) {
        if (bytes != 0) receive_in(innermost, to, bytes, fetch);
        else if (!runs_again()) fetch();
    }

private:
    struct message {
        message *before, *next;
        std::size_t step, bytes;
        void* data() noexcept { return this + 1; }
    };
    static constexpr std::size_t none = std::size_t(-1);
    inline static constinit thread_local received_log* innermost = nullptr;
    context& owner_;
    bool const knows_cotangents_;
    received_log* outer_ = nullptr;
    message *last_ = nullptr, *at_ = nullptr;  // at_: the next that is given again, null behind the last
    std::size_t step_ = 0, ran_ = 0, bytes_ = 0;  // ran_: behind the last step that has exchanged something
    std::size_t known_ = none;  // whether this step runs again is known: its first exchange has asked
    bool again_ = false;

    template <class Fetch>
    static void receive_in(received_log* log, void* to, std::size_t bytes, Fetch const& fetch) {
        if (!log) fetch();
        else if (log->again_) log->give(to, bytes);
        else {
            receive_in(log->outer_, to, bytes, fetch);
            log->take(to, bytes);
        }
    }
    void know() noexcept {
        known_ = step_;
        again_ = step_ < ran_;
        if (!again_) ran_ = step_ + 1;
        else if (last_) {
            // its first message, from where the last one was given: steps that run again stand near each other
            message* m = at_ ? at_ : last_;
            while (m->before && m->before->step >= step_) m = m->before;
            while (m && m->step < step_) m = m->next;
            at_ = m;
        }
    }
    void take(void const* from, std::size_t bytes) {
        auto* const m = new (owner_.memory.take(sizeof(message) + bytes)) message{last_, nullptr, step_, bytes};
        ++owner_.live;
        std::memcpy(m->data(), from, bytes);
        if (last_) last_->next = m;
        last_ = m;
        bytes_ += bytes;
    }
    void give(void* to, std::size_t bytes) {
        if (!at_ || at_->step != step_ || at_->bytes != bytes) throw std::logic_error("it receives other messages");
        std::memcpy(to, at_->data(), bytes);
        at_ = at_->next;
    }
};

}
