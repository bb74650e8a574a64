// Defines workspace: the memory of gradient calls between them; borrowed_workspace, one of the thread's own; plain_context, of values that belong to no call.
#pragma once

#include <utility>

#include <xgrad/scope/memory/context.hpp>

namespace xgrad {

// Contexts that are out of use, of all threads. Without <mutex>, whose header costs every program that includes this one.
class context_stack {
public:
    void push(context* c) noexcept { push_all(c, c); }
    context* pop() noexcept {
        context* const c = __atomic_exchange_n(&top_, nullptr, __ATOMIC_SEQ_CST);
        if (!c) return nullptr;
        if (context* const rest = std::exchange(c->below_, nullptr)) {
            context* last = rest;
            while (last->below_) last = last->below_;
            push_all(rest, last);
        }
        return c;
    }

private:
    // atomic by the compilers' functions: <atomic> would cost every program that includes this
    context* top_ = nullptr;
    void push_all(context* first, context* last) noexcept {
        last->below_ = __atomic_load_n(&top_, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n(&top_, &last->below_, first, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    }
};

// Reusable memory of gradient calls, for one call at a time.
class workspace {
public:
    // as std::unique_ptr would, which costs every program that includes this
    workspace() : context_(new context) {}
    workspace(workspace&& o) noexcept : context_(std::exchange(o.context_, nullptr)) {}
    workspace& operator=(workspace&& o) noexcept {
        std::swap(context_, o.context_);
        return *this;
    }
    ~workspace() { delete context_; }
    context& get() noexcept { return *context_; }
    std::size_t capacity() const noexcept { return context_ ? context_->memory.capacity() : 0; }
    // Gives the memory back to the system. Not while a call runs.
    void release() noexcept {
        context_->forget();
        context_->memory.release();
    }

    // The end of a call that left active values behind: its memory is given up and not reused, so that what they do later is harmless.
    void give_up() {
        context* old = std::exchange(context_, new context);
        old->reverse = false;
        static context_stack all;
        all.push(old);
    }

private:
    context* context_;
    workspace* below_ = nullptr;
    friend class borrowed_workspace;
};

// A workspace out of those that this thread keeps; calls may nest.
class borrowed_workspace {
public:
    borrowed_workspace() : mine_(kept().pop()) {}
    borrowed_workspace(borrowed_workspace const&) = delete;
    borrowed_workspace& operator=(borrowed_workspace const&) = delete;
    ~borrowed_workspace() { kept().push(mine_); }
    workspace& get() noexcept { return *mine_; }
    // Gives those back that no call uses.
    static void release_all() noexcept { kept().clear(); }

private:
    struct stack {
        workspace* top = nullptr;
        stack() = default;
        stack(stack const&) = delete;
        ~stack() { clear(); }
        void clear() noexcept {
            while (top) delete std::exchange(top, top->below_);
        }
        void push(workspace* w) noexcept { w->below_ = std::exchange(top, w); }
        workspace* pop() { return top ? std::exchange(top, top->below_) : new workspace; }
    };
    static stack& kept() {
        thread_local stack s;
        return s;
    }
    workspace* mine_;
};

// Gives the memory that this thread keeps for gradient calls back to the system; that of a call that runs stays. A workspace shrinks by itself, too, after many
// calls that need far less. A prepared gradient has one of its own (release_workspace).
inline void release_workspaces() noexcept { borrowed_workspace::release_all(); }

// The context of active values that no gradient call made: a variable of a number, an accumulator's initial value. Each thread has one;
// none is ever destroyed, since such values may outlive their thread: the next thread takes it over.
inline context& plain_context() {
    static context_stack idle;
    struct lease {
        context* mine;
        lease() : mine(idle.pop()) {
            if (!mine) mine = new context(true);
        }
        lease(lease const&) = delete;
        ~lease() { idle.push(mine); }
    };
    thread_local lease l;
    return *l.mine;
}

}
