// Defines parallel_items<X, M, L>: what the parts of a parallel verb are given for each item of an X.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/items.hpp>
#include <xgrad/loops/plain.hpp>
#include <xgrad/parallel/chunks.hpp>
#include <xgrad/parallel/shared_values.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/operand/give_each.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void parallel_items_differ(std::size_t a, std::size_t b) {
    throw std::invalid_argument("xgrad[E326]: parallel_sum(items, f, x...) requires as many items in each part of items, found " + std::to_string(a) + " and " +
                                std::to_string(b) + ": take those that belong together");
}

template <class X>
inline constexpr bool is_wrapper = false;
template <class X>
inline constexpr bool is_wrapper<std::reference_wrapper<X>> = true;

// Something plain where it is.
template <class P>
class constant_in_place {
public:
    explicit constant_in_place(loop_constant_source<P> const& s) : x_(std::addressof(s.x)) {}
    void open(context& c) const { c.assume_constant(x_, sizeof(P)); }
    P const& handle() const noexcept { return *x_; }

private:
    P const* x_;
};
// What a verb holds of something plain: where the function runs again on the way back, as a loop does.
template <class X, bool Again>
using held_constant = std::conditional_t<Again || is_wrapper<X>, loop_constant<X>, constant_in_place<X>>;

// The items that the workers share; each has a port of its own, in the context of its part, which turns from item to item. What comes to an item is left in
// memory that all share, each at its own place.
//   size(), port(items, c), merge(port), forget(), give(g)
template <class X, class M, class L, bool Again>
class parallel_items {
    held_constant<X, Again> all_;

public:
    parallel_items(X const& x, context& c) : all_(loop_constant_source<X>{x, c}) {}
    std::size_t size() const { return count_plain(all_.handle()); }
    class port {
        using source = item_source<std::remove_cvref_t<decltype(std::declval<held_constant<X, Again> const&>().handle())>, M, L>;
        source s_;
        static auto const& stays(parallel_items& a, context& c) {
            auto const& x = a.all_.handle();
            c.assume_constant(std::addressof(x), sizeof x);
            return x;
        }

    public:
        port(parallel_items& a, context& c) : s_(stays(a, c), c) { s_.open(c); }
        XGRAD_DETAIL_INLINE void enter(std::size_t i) { s_.enter(i); }
        XGRAD_DETAIL_INLINE decltype(auto) handle() { return s_.handle(); }
        template <class G>
        XGRAD_DETAIL_INLINE void leave(G const&) {}
        bool is_owed() const { return false; }
    };
    void merge(port const&) {}
    void forget() noexcept {}
    template <class G>
    void give(G const&) noexcept {}
};

// The rows of an active array, or of those of a struct: Port is the type of the port that turns from one to the next.
template <class X, class L, class Port>
class active_items {
    using P = state_t<X>;
    using port_type = Port;
    loop_variable_t<P, L> variable_;
    port_type rows_;
    shared_values<P, L> values_;
    block memory_;
    std::byte* cotangents() const noexcept { return static_cast<std::byte*>(memory_.get()); }

public:
    active_items(X const& x, context& c) : variable_(make_loop_variable<L>{}(x)), memory_(c, measure_leaves(rows_, variable_)) {
        each_leaf([&c](auto& v, auto const& part) { v.find(part, c); }, values_, variable_);
    }
    std::size_t rows() {
        std::size_t n = any_number;
        each_leaf(
            [&n](auto& leaf) {
                if (n != any_number && n != leaf.rows()) parallel_items_differ(n, leaf.rows());
                n = leaf.rows();
            },
            rows_);
        return n;
    }
    class port {
        active_items& all_;
        port_type rows_;

    public:
        bool came = false;
        port(active_items& a, context& c) : all_(a), rows_(a.rows_) {
            each_leaf([&c](auto& leaf) { leaf.open(c); }, rows_);
        }
        XGRAD_DETAIL_INLINE void enter(std::size_t i) {
            each_leaf(
                [&](auto& leaf, auto const& v) XGRAD_DETAIL_LAMBDA {
                    leaf.i = i;
                    leaf.enter_at(v.data, leaf.all(all_.cotangents()));
                },
                rows_, all_.values_);
        }
        XGRAD_DETAIL_INLINE auto handle() { return rows_.handle(); }
        template <class G>
        XGRAD_DETAIL_INLINE void leave(G const& g) {
            each_leaf(
                [&](auto& leaf) XGRAD_DETAIL_LAMBDA {
                    came = came || leaf.came();
                    leaf.leave(all_.cotangents(), g);
                },
                rows_);
        }
        bool is_owed() {
            bool owed = false;
            each_leaf([&owed](auto& leaf) { owed = owed || leaf.is_owed(); }, rows_);
            return owed;
        }
    };
    // By any worker at any time.
    void merge(port const& p) {
        if (p.came) came_.store(true, std::memory_order_relaxed);
    }
    void forget() noexcept { came_.store(false, std::memory_order_relaxed); }
    template <class G>
    void give(G const& g) noexcept {
        if (!came_.load(std::memory_order_relaxed)) return;
        each_leaf([&](auto& leaf, auto const& v) { give_times(v.operand(), leaf.all(cotangents()), g); }, rows_, variable_);
    }

private:
    std::atomic<bool> came_ = false;
};
template <class X, class M, class L, bool Again>
    requires holds_active<X>
class parallel_items<X, M, L, Again> : public active_items<X, L, row_port<state_t<X>, M, L>> {
public:
    using active_items<X, L, row_port<state_t<X>, M, L>>::active_items;
    std::size_t size() { return this->rows(); }
};

// Several side by side: the item is a std::tuple.
template <class... X, class M, class L, bool Again>
class parallel_items<std::tuple<X...>, M, L, Again> {
    // neither items nor ports move
    template <class Y, class C>
    struct made {
        Y& y;
        C& c;
    };
    template <class Y>
    struct held {
        Y s;
        template <class A, class C>
        held(made<A, C> const& m) : s(m.y, m.c) {}
        held(held const&) = delete;
    };
    std::tuple<held<parallel_items<X, M, L, Again>>...> all_;
    template <std::size_t... I>
    parallel_items(std::tuple<X...> const& x, context& c, std::index_sequence<I...>)
        : all_(made<std::tuple_element_t<I, std::tuple<X...>> const, context>{std::get<I>(x), c}...) {}

public:
    parallel_items(std::tuple<X...> const& x, context& c) : parallel_items(x, c, std::index_sequence_for<X...>()) {}
    std::size_t size() {
        std::size_t n = any_number, rows = any_number;
        auto agree = [](std::size_t& all, std::size_t m) {
            if (all != any_number && all != m) parallel_items_differ(all, m);
            all = m;
        };
        auto one = [&](auto& s) {
            // of slices, too, which may be as many
            if constexpr (requires { s.cut_rows(); }) agree(rows, s.cut_rows());
            agree(n, s.size());
        };
        detail::call_with([&one](auto&... a) { (one(a.s), ...); }, all_);
        return n;
    }
    class port {
        std::tuple<held<typename parallel_items<X, M, L, Again>::port>...> all_;
        template <std::size_t... I>
        port(parallel_items& a, context& c, std::index_sequence<I...>)
            : all_(made<parallel_items<std::tuple_element_t<I, std::tuple<X...>>, M, L, Again>, context>{std::get<I>(a.all_).s, c}...) {}
        friend parallel_items;

    public:
        port(parallel_items& a, context& c) : port(a, c, std::index_sequence_for<X...>()) {}
        XGRAD_DETAIL_INLINE void enter(std::size_t i) {
            detail::call_with([i](auto&... p) XGRAD_DETAIL_LAMBDA { (p.s.enter(i), ...); }, all_);
        }
        XGRAD_DETAIL_INLINE auto handle() {
            return detail::call_with([](auto&... p) XGRAD_DETAIL_LAMBDA { return std::tuple<decltype(p.s.handle())...>(p.s.handle()...); }, all_);
        }
        template <class G>
        XGRAD_DETAIL_INLINE void leave(G const& g) {
            detail::call_with([&g](auto&... p) XGRAD_DETAIL_LAMBDA { (p.s.leave(g), ...); }, all_);
        }
        bool is_owed() {
            return detail::call_with([](auto&... p) { return (p.s.is_owed() || ...); }, all_);
        }
    };
    void merge(port const& p) {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (std::get<I>(all_).s.merge(std::get<I>(p.all_).s), ...); }(std::index_sequence_for<X...>());
    }
    void forget() noexcept {
        detail::call_with([](auto&... a) { (a.s.forget(), ...); }, all_);
    }
    template <class G>
    void give(G const& g) noexcept {
        detail::call_with([&g](auto&... a) { (a.s.give(g), ...); }, all_);
    }
};

}
}
XGRAD_DETAIL_QUIET_END
