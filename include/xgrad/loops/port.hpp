// Defines loop_port<P, M, L>: the slots by which the body of a loop sees a state or a parameter, and where these have their values and cotangents.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/loops/state.hpp>
#include <xgrad/scope/small/small.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Where the parts of a state lie in a piece of memory, one behind the other.
class state_layout {
public:
    std::size_t add(std::size_t bytes, std::size_t alignment) noexcept {
        std::size_t const at = (size_ + alignment - 1) / alignment * alignment;
        size_ = at + bytes;
        if (alignment > alignment_) alignment_ = alignment;
        return at;
    }
    // Few numbers take no more room than they need.
    std::size_t add_array(std::size_t bytes) noexcept {
        std::size_t alignment = 1;
        while (alignment < bytes && alignment < 64) alignment *= 2;
        return add(bytes, alignment);
    }
    // So that states may lie one behind the other.
    std::size_t size() const noexcept { return (size_ + alignment_ - 1) / alignment_ * alignment_; }

private:
    std::size_t size_ = 0, alignment_ = 1;
};

// In a step the values of a port are read from one piece of memory; cotangents go to another of the same layout.
//   measure(v, layout)   takes the shapes from the variable, or the part of a tree of them, v
//   open(c)              makes the slots, in a call's context
//   enter(x, xbar)       takes the values at x for the next step, to which no cotangents came
//   open_here(c), goes_on()   in a copy for one step that is on the stack: its owner; what comes is added to what has come
//   handle()             what the body is given
//   due                  whether a cotangent came to what this state is followed by, or to a parameter; was_due: before this step was reversed
template <class P, class M, class L>
struct loop_port;
template <class M, class L>
struct to_loop_port {
    template <class P>
    using type = loop_port<std::remove_cvref_t<P>, M, L>;
};

// Something without a derivative.
template <class P, class M, class L>
    requires(!differentiable<P>)
struct loop_port<P, M, L> {
    using primal = P;
    static constexpr bool takes_cotangents = false;
    P value{};
    std::size_t at = 0;

    void measure(P const&, state_layout& l) { at = l.add(sizeof(P), alignof(P)); }
    void open(context&) {}
    void open_here(context&) {}
    void enter(std::byte const* x, std::byte*) { value = *reinterpret_cast<P const*>(x + at); }
    void goes_on() {}
    P const& handle() const { return value; }
    void put(P const& v, std::byte* to) const { new (to + at) P(v); }
};

template <perturbable_number P, class M, class L>
struct loop_port<P, M, L> {
    using primal = P;
    using T = typename L::template type<P>;
    static constexpr bool takes_cotangents = true;
    slot<T, rank_c<0>> s;
    std::size_t at = 0;
    bool due = false, was_due = false;

    loop_port() = default;
    loop_port(loop_port&&) = default;
    loop_port& operator=(loop_port const&) = default;
    // for one step: with a slot of its own
    XGRAD_DETAIL_INLINE loop_port(loop_port const& o) noexcept : at(o.at), due(o.due) {}
    template <class V>
    void measure(V const&, state_layout& l) { at = l.add(sizeof(T), alignof(T)); }
    XGRAD_DETAIL_INLINE void open(context& c) noexcept { s.owner = &c; }
    XGRAD_DETAIL_INLINE void enter(std::byte const* x, std::byte*) noexcept {
        s.value = *reinterpret_cast<T const*>(x + at);
        s.cotangent = T(0);
        s.has_cotangent = false;
    }
    XGRAD_DETAIL_INLINE void open_here(context& c) noexcept { s.owner = &c; }
    XGRAD_DETAIL_INLINE void goes_on() noexcept {}
    XGRAD_DETAIL_INLINE input<T, rank_c<0>, M> handle() { return input<T, rank_c<0>, M>(&s); }
    XGRAD_DETAIL_INLINE static constexpr std::size_t size() noexcept { return 1; }
    XGRAD_DETAIL_INLINE bool came() const noexcept { return s.has_cotangent; }
    static constexpr bool is_owed() noexcept { return false; }
    XGRAD_DETAIL_INLINE T& number(std::byte* p) const noexcept { return *reinterpret_cast<T*>(p + at); }
    memory_t<T> memory(std::byte* p) const noexcept { return memory_of(number(p)); }
    // What came, to where cotangents go; zero where nothing came.
    XGRAD_DETAIL_INLINE void leave(std::byte* xbar) const noexcept { *reinterpret_cast<T*>(xbar + at) = s.cotangent; }
};

template <number_array P, class M, class L>
struct loop_port<P, M, L> {
    using primal = P;
    using T = typename L::template type<array_element_t<P>>;
    using R = typename known_shape<P, M, L>::shape_type;
    using slot_type = input_slot_t<T, R, M>;
    static constexpr bool takes_cotangents = true, is_fixed = !std::is_base_of_v<slot_base, slot_type>;
    std::size_t at = 0, count = 0;
    bool due = false, was_due = false;
    extents<R::value> shape;
    std::conditional_t<is_fixed, slot_type, slot_type*> s{};

    template <class V>
    void measure(V const& v, state_layout& l) {
        shape = v.extent();
        count = element_count(shape);
        at = l.add_array(count * sizeof(T));
    }
    // What is kept outside of the body by mistake is given up together with the call.
    void open(context& c) {
        if constexpr (!is_fixed) {
            s = new (c.memory.take(sizeof(slot_type))) slot_type;
            s->shape = shape;
            s->stride = row_major_strides(shape);
            s->size = count;
        }
        slot_at().owner = &c;
    }
    // In a copy of this, for one step.
    XGRAD_DETAIL_INLINE void open_here(context& c) noexcept { slot_at().owner = &c; }
    // What comes is added to what has come before.
    XGRAD_DETAIL_INLINE void goes_on() noexcept { slot_at().has_cotangent = due; }
    void enter(std::byte* x, std::byte* xbar) noexcept { enter_at(memory(x), memory(xbar)); }
    void enter_at(memory_t<T> x, memory_t<T> xbar) noexcept {
        slot_at().value = x;
        slot_at().cotangent = xbar;
        slot_at().has_cotangent = false;
        if constexpr (!is_fixed) s->version = nullptr;
    }
    input<T, R, M> handle() { return input<T, R, M>(&slot_at()); }
    std::size_t size() const noexcept { return count; }
    bool came() const noexcept { return slot_at().has_cotangent; }
    bool is_owed() const noexcept {
        if constexpr (is_fixed) return false;
        else return s->owed != 0;
    }
    memory_t<T> memory(std::byte* p) const noexcept { return p ? memory_in<T>(p + at, count) : memory_t<T>(nullptr); }
    void leave(std::byte*) noexcept { slot_at().ensure_cotangent(); }

private:
    slot_type& slot_at() noexcept {
        if constexpr (is_fixed) return s;
        else return *s;
    }
    slot_type const& slot_at() const noexcept {
        if constexpr (is_fixed) return s;
        else return *s;
    }
};

template <class P, class M, class L>
    requires(!is_leaf<P>)
struct loop_port<P, M, L> {
    using primal = P;
    typename parts<P>::template rebind<to_loop_port<M, L>> parts_here{};

    handle_t<P, M, L> handle() {
        return parts<P>::template make<handle_t<P, M, L>>([](auto& part) -> decltype(auto) { return part.handle(); }, parts_here);
    }
};

// A parameter that is plain: the body is given it as it is. It is referred to where the call around the loop was promised that it stays.
template <class P>
struct loop_constant_source {
    P const& x;
    context const& call;
};
template <class P>
class loop_constant {
public:
    explicit loop_constant(loop_constant_source<P> const& s) : x_(std::addressof(s.x)) {
        if (!s.call.is_assumed_constant(x_)) x_ = new (own_) P(s.x);
    }
    loop_constant(loop_constant const&) = delete;
    ~loop_constant() {
        if (static_cast<void const*>(x_) == own_) x_->~P();
    }
    void open(context& c) const { c.assume_constant(x_, sizeof(P)); }
    P const& handle() const noexcept { return *x_; }

private:
    alignas(P) std::byte own_[sizeof(P)];
    P const* x_;
};
template <class P>
class loop_constant<std::reference_wrapper<P>> {
public:
    explicit loop_constant(loop_constant_source<std::reference_wrapper<P>> const& s) : x_(std::addressof(s.x.get())) {}
    void open(context& c) const { c.assume_constant(x_, sizeof(P)); }
    P const& handle() const noexcept { return *x_; }

private:
    P const* x_;
};

}
XGRAD_DETAIL_QUIET_END
