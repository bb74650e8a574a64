// Defines what a statement writes into an array variable, some elements or a region of it, and the node of a value that is a copy of the one before with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include <xgrad/rule/identity.hpp>
#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/broadcast.hpp>
#include <xgrad/scope/operand/owners.hpp>
#include <xgrad/scope/place/element_pages.hpp>
#include <xgrad/scope/storage/as_counted.hpp>
#include <xgrad/scope/storage/counted.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// How many debts to a slot an operand holds, those that are found without asking what was evaluated already.
template <class A>
std::uint32_t debts_of(A const& a, slot_base const* s) {
    if constexpr (!A::is_active) return 0;
    else if constexpr (requires { a.owes(s); }) return a.owes(s) ? 1 : 0;
    else if constexpr (requires { a.viewed(); }) return debts_of(a.viewed(), s);
    else if constexpr (requires { a.is_fresh(), a.node_at(); }) {
        // a node gives its operands all at once, or one by one
        std::uint32_t owed = 0;
        if (!a.is_fresh()) return owed;
        if constexpr (requires { a.node_at().each([](auto const&...) {}); })
            a.node_at().each([&](auto const&... x) { owed += (std::uint32_t{0} + ... + debts_of(x, s)); });
        return owed;
    } else if constexpr (requires { { a.get() } -> std::convertible_to<slot_base const*>; }) return a.get() == s ? 1 : 0;
    else return 0;
}

// A write says
//   operand_owner()             the call that what it writes belongs to
//   places()                    where it writes
//   debts(s)                    how many debts to s it holds
//   write_copy(y, x)            writes into y, which is a copy of x
//   evaluate(c)                 keeps what it writes in memory of c; may throw, the others cannot
//   exchange(y)                 writes it into y, and keeps what was there; once more, and y is as it was before
//   pull_copy(ybar, x)          takes its part of ybar, which is no longer there, and pulls it; the rest goes to x, by the function that is given
//   pull(ybar)                  the same after the exchanges where ybar is the cotangent of both
//   goes_straight()             whether it may be asked for the next two, where nobody has ever read the places
//   write(y), pull_straight(ybar)   writes into y, and keeps nothing; takes its part of ybar and pulls it

// Elements, with their indices.
template <class T, class R>
class written_elements {
public:
    static constexpr char const* name = "u(i) = e";
    written_elements(context& c, std::size_t capacity) : owner_(&c), capacity_(capacity), first_(static_cast<entry*>(c.memory.take(bytes()))) {}
    written_elements(written_elements&& o) noexcept
        : owner_(o.owner_), capacity_(o.capacity_), count_(o.count_), places_(o.places_), first_(std::exchange(o.first_, nullptr)) {}
    written_elements& operator=(written_elements&&) = delete;
    ~written_elements() {
        if (!first_) return;
        std::destroy_n(first_, count_);
        owner_->memory.give(first_, bytes());
    }
    void push(std::ptrdiff_t at, element<T, R> const& e) {
        new (first_ + count_) entry{e.operand(), at, T{}};
        ++count_;
        places_.add(at, at + 1);
    }

    static constexpr bool goes_straight() noexcept { return false; }
    void write(memory_t<T>) const {}
    void pull_straight(memory_t<T>) const noexcept {}
    context* operand_owner() const {
        context* c = nullptr;
        each([&](entry const& e) { c = joint_owner(c, e.value.owner()); });
        return c;
    }
    interval places() const noexcept { return places_; }
    std::uint32_t debts(slot_base const* s) const {
        std::uint32_t n = 0;
        each([&](entry const& e) { n += e.value.owes(s); });
        return n;
    }
    void write_copy(slot<T, R>& y, slot<T, R> const&) const {
        each([&](entry const& e) { y.value[e.at] = e.value.forward(); });
    }
    void evaluate(context&) const {
        each([](entry& e) { e.kept = e.value.forward(); });
    }
    void exchange(memory_t<T> y) const noexcept {
        each([=](entry& e) {
            T const before(y[e.at]);
            y[e.at] = e.kept;
            e.kept = before;
        });
    }
    template <class F>
    void pull_copy(memory_t<T> ybar, F const& rest) const noexcept {
        pull(ybar);
        rest();
    }
    // Of a swap each reads the place of the other.
    void pull(memory_t<T> ybar) const noexcept {
        each([=](entry& e) {
            e.kept = T(ybar[e.at]);
            ybar[e.at] = T(0);
        });
        each([](entry const& e) {
            auto const nothing = is_nothing(e.kept);
            if constexpr (std::is_same_v<decltype(nothing), bool const>) {
                if (!nothing) e.value.add(e.kept);
            } else if (!xsimd::all(nothing)) e.value.add(e.kept);
        });
    }

private:
    struct entry {
        element_ref<T, R> value;
        std::ptrdiff_t at;
        T kept;
    };
    context* owner_;
    std::size_t capacity_, count_ = 0;
    interval places_;
    entry* first_;

    std::size_t bytes() const noexcept { return std::max(capacity_ * sizeof(entry), alignof(entry) <= 16 ? std::size_t{0} : std::size_t{320}); }
    template <class F>
    void each(F f) const {
        for (std::size_t k = 0; k < count_; ++k) f(first_[k]);
    }
};

// A region becomes the value of the operand A, broadcast to its shape, or, where Adds, has that added.
template <bool Adds, class T, class R, class A, class Q>
class written_region {
public:
    static constexpr char const* name = "view(u, ...) = e";
    written_region(A value, std::ptrdiff_t offset, extents<Q::value> const& shape, strides<Q::value> const& stride)
        : value_(as_counted<A>(std::move(value))), offset_(offset), shape_(shape), stride_(stride), size_(element_count(shape)),
          contiguous_(is_contiguous(shape, stride)) {
        value_.prepare();
        if constexpr (A::rank == 0) value_.template at<0>().materialise();
        auto const y = value_.extent();
        if (!broadcasts_to(shape_, y))
            throw std::invalid_argument("xgrad[E201]: view(u, ...) = e requires an e that broadcasts to the shape of the view, found " + to_string(y) +
                                        " and " + to_string(shape_) + ": reshape e");
    }
    written_region(written_region&& o) noexcept
        : value_(std::move(o.value_)), offset_(o.offset_), shape_(o.shape_), stride_(o.stride_), size_(o.size_), contiguous_(o.contiguous_),
          owner_(std::exchange(o.owner_, nullptr)), kept_(o.kept_), block_(o.block_) {}
    written_region& operator=(written_region&&) = delete;
    ~written_region() {
        if (owner_) owner_->memory.give(block_, bytes());
    }

    bool is_empty() const noexcept { return size_ == 0; }
    context* operand_owner() const { return value_.owner(); }
    interval places() const noexcept { return places_of(offset_, shape_, stride_); }
    std::uint32_t debts(slot_base const* s) const { return debts_of(value_.template at<0>(), s); }
    void write_copy(slot<T, R>& y, [[maybe_unused]] slot<T, R> const& x) const {
        if (contiguous_) {
            memory_t<T> const to = y.value + offset_;
            tree_evaluate(to);
            if constexpr (Adds) {
                memory_t<T const> const from = x.value + offset_;
                for (std::size_t k = 0; k < size_; ++k) to[k] = T(from[k]) + T(to[k]);
            }
        } else {
            evaluate(*y.owner);
            exchange(y.value);
        }
    }
    void evaluate(context& c) const {
        if (!owner_) take_memory(c);
        tree_evaluate(kept_);
    }
    void exchange(memory_t<T> y) const noexcept {
        bool const adds = Adds && std::exchange(adds_, false);
        each(y, [=](auto&& a, auto&& b) {
            T const before(b);
            if (adds) b = T(before + T(a));
            else b = T(a);
            a = before;
        });
    }
    bool goes_straight() const noexcept { return !Adds && contiguous_; }
    void write(memory_t<T> y) const { tree_evaluate(y + offset_); }
    void pull_straight(memory_t<T> ybar) const noexcept {
        tree_pull(memory_t<T const>(ybar + offset_));
        if constexpr (!Adds) fill_elements<T>(ybar + offset_, size_, T(0));
    }
    template <class F>
    void pull_copy(memory_t<T> ybar, F const& rest) const noexcept {
        if constexpr (Adds) rest();
        if (contiguous_) pull_straight(ybar);
        else pull(ybar);
        if constexpr (!Adds) rest();
    }
    void pull(memory_t<T> ybar) const noexcept {
        each(ybar, [](auto&& a, auto&& b) {
            a = T(b);
            if constexpr (!Adds) b = T(0);
        });
        tree_pull(memory_t<T const>(kept_));
    }

private:
    // below a root that needs no value of its own: what was computed is overwritten by what was there before, and computed again
    node<identity_op, as_counted<A>> value_;
    std::ptrdiff_t offset_;
    extents<Q::value> shape_;
    strides<Q::value> stride_;
    std::size_t size_;
    bool contiguous_;
    mutable bool adds_ = true;
    mutable context* owner_ = nullptr;
    mutable memory_t<T> kept_ = nullptr;
    mutable void* block_ = nullptr;

    std::size_t bytes() const noexcept { return std::max(size_ * sizeof(T), alignof(T) <= 16 ? std::size_t{16} : std::size_t{320}); }
    void take_memory(context& c) const {
        block_ = c.memory.take(bytes());
        owner_ = &c;
        kept_ = memory_in<T>(block_, size_);
        if constexpr (!std::is_trivially_default_constructible_v<T> && !number_dual<T>) std::uninitialized_default_construct_n(kept_, size_);
    }
    void tree_evaluate(memory_t<T> y) const { xgrad::evaluate(value_, shape_, y); }
    void tree_pull(memory_t<T const> ybar) const noexcept {
        if constexpr (A::is_active) pull_back(value_, shape_, ybar, ybar);
    }
    // f(what is kept, what is there)
    template <class F>
    void each(memory_t<T> y, F f) const {
        memory_t<T> const to = y + offset_, kept = kept_;
        if (contiguous_)
            for (std::size_t k = 0, n = size_; k < n; ++k) f(kept[k], to[k]);
        else for_each_offset(shape_, stride_, [=](std::size_t k, std::ptrdiff_t at) { f(kept[k], to[at]); });
    }
};

}
}
XGRAD_DETAIL_QUIET_END
