// Defines item_source<X, M, L> where X is an active array or a struct of them, or a std::tuple of anything that has items.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/constant_items.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The rows of an active array, or of those of a struct.
template <class X, class M, class L>
    requires holds_active<X>
class item_source<X, M, L> {
    using P = state_t<X>;
    using port_type = row_port<P, M, L>;

public:
    item_source(X const& x, context& c)
        : variable_(make_loop_variable<L>{}(x)), bytes_(measure_leaves(rows_, variable_)), memory_(c, bytes_of_packs(2 * bytes_)) {
        each_leaf([this](auto& leaf, auto const& v) { copy_array<typename std::remove_cvref_t<decltype(leaf)>::T>(v.operand().source(), leaf.all(values())); },
                  rows_, variable_);
    }
    auto const& variable() const { return variable_; }
    std::size_t size() {
        agreed_number n;
        each_leaf([&n](auto& leaf) { n.take(leaf.rows()); }, rows_);
        return n.value();
    }
    void open(context& c) {
        each_leaf([&c](auto& leaf) { leaf.open(c); }, rows_);
    }
    void enter(std::size_t i) { enter(rows_, i); }
    auto handle() { return rows_.handle(); }
    void begin_reverse() {
        due_ = false;
        last_ = any_number;
    }
    template <class G>
    void leave(G const& g) { leave(rows_, g); }
    // Rows of steps that were not pulled have got nothing.
    void give() {
        if (!due_) return;
        each_leaf(
            [this]<class Leaf>(Leaf& leaf, auto const& v) {
                using T = typename Leaf::T;
                auto const bar = leaf.all(cotangents());
                std::size_t const none = last_ < leaf.n ? last_ * leaf.row.size() : 0;
                for (std::size_t k = 0; k < none; ++k) bar[k] = T(0);
                auto const debt = v.operand();
                pull_back(debt, debt.extent(), memory_t<T const>(nullptr), bar);
            },
            rows_, variable_);
    }
    bool is_owed() {
        bool owed = false;
        each_leaf([&owed](auto& leaf) { owed = owed || leaf.is_owed(); }, rows_);
        return owed;
    }
    struct rows_here {
        item_source& all;
        port_type rows;
        XGRAD_DETAIL_INLINE rows_here(item_source& s, context& c, std::size_t i) : all(s), rows(s.rows_) {
            each_leaf([&c](auto& leaf) XGRAD_DETAIL_LAMBDA { if constexpr (std::remove_cvref_t<decltype(leaf)>::is_number) leaf.open(c); }, rows);
            all.enter(rows, i);
        }
        XGRAD_DETAIL_INLINE auto handle() { return rows.handle(); }
        template <class G>
        XGRAD_DETAIL_INLINE void leave(G const& g) {
            all.leave(rows, g);
        }
    };
    XGRAD_DETAIL_INLINE auto here(context& c, std::size_t i) { return rows_here(*this, c, i); }

private:
    loop_variable_t<P, L> variable_;
    port_type rows_;
    std::size_t bytes_, last_ = any_number;
    bool due_ = false;
    block memory_;
    std::byte* values() const noexcept { return static_cast<std::byte*>(memory_.get()); }
    std::byte* cotangents() const noexcept { return values() + bytes_; }
    XGRAD_DETAIL_INLINE void enter(port_type& rows, std::size_t i) {
        each_leaf(
            [&](auto& leaf) XGRAD_DETAIL_LAMBDA {
                leaf.i = i;
                leaf.enter(values(), cotangents());
            },
            rows);
    }
    template <class G>
    XGRAD_DETAIL_INLINE void leave(port_type& rows, G const& g) {
        each_leaf(
            [&](auto& leaf) XGRAD_DETAIL_LAMBDA {
                due_ = due_ || leaf.came();
                leaf.leave(cotangents(), g);
                last_ = leaf.i;
            },
            rows);
    }
};

// Several side by side: the item is a std::tuple.
template <class M, class L, class... X>
class item_source<std::tuple<X...>, M, L> {
public:
    item_source(std::tuple<X...> const& x, context& c) : item_source(x, c, std::index_sequence_for<X...>()) {}
    std::size_t size() {
        agreed_number n;
        each([&n](auto& s) { n.take(s.size()); });
        return n.value();
    }
    void open(context& c) {
        each([&c](auto& s) { s.open(c); });
    }
    void enter(std::size_t i) {
        each([i](auto& s) { s.enter(i); });
    }
    auto handle() {
        return detail::call_with([](auto&... s) { return std::tuple<decltype(s.s.handle())...>(s.s.handle()...); }, all_);
    }
    void begin_reverse() {
        each([](auto& s) { s.begin_reverse(); });
    }
    template <class G>
    void leave(G const& g) {
        each([&g](auto& s) { s.leave(g); });
    }
    void give() {
        each([](auto& s) { s.give(); });
    }
    bool is_owed() {
        bool owed = false;
        each([&owed](auto& s) { owed = owed || s.is_owed(); });
        return owed;
    }
    template <class G>
    void each_variable(G g) const {
        detail::call_with([&g](auto const&... s) { (g(s.s), ...); }, all_);
    }
    XGRAD_DETAIL_INLINE auto here(context& c, std::size_t i) { return tuple_here(all_, c, i, std::index_sequence_for<X...>()); }

private:
    // sources do not move
    template <class Y>
    struct made {
        Y const& y;
        context& c;
    };
    template <class Y>
    struct held {
        item_source<Y, M, L> s;
        held(made<Y> const& m) : s(m.y, m.c) {}
        held(held const&) = delete;
    };
    std::tuple<held<X>...> all_;
    template <std::size_t... I>
    item_source(std::tuple<X...> const& x, context& c, std::index_sequence<I...>) : all_(made<X>{std::get<I>(x), c}...) {}
    template <class G>
    void each(G g) {
        detail::call_with([&g](auto&... s) { (g(s.s), ...); }, all_);
    }
    template <class... H>
    struct several_here {
        std::tuple<H...> all;
        XGRAD_DETAIL_INLINE auto handle() {
            return detail::call_with([](auto&... h) XGRAD_DETAIL_LAMBDA { return std::tuple<decltype(h.handle())...>(h.handle()...); }, all);
        }
        template <class G>
        XGRAD_DETAIL_INLINE void leave(G const& g) {
            detail::call_with([&g](auto&... h) XGRAD_DETAIL_LAMBDA { (h.leave(g), ...); }, all);
        }
    };
    template <class S, std::size_t... I>
    XGRAD_DETAIL_INLINE static auto tuple_here(S& all, context& c, std::size_t i, std::index_sequence<I...>) {
        return several_here<decltype(std::get<I>(all).s.here(c, i))...>{{std::get<I>(all).s.here(c, i)...}};
    }
};

template <class X>
consteval bool is_known_items() {
    if constexpr (std::integral<X> || plain_array<X>) return true;
    else if constexpr (holds_active<X> && !std::ranges::range<X>) return find_has_rows<state_t<X>>();
    else if constexpr (active<X>) return find_has_rows<state_t<X>>();
    else if constexpr (holds_active<X>) return false;
    else return std::ranges::random_access_range<X const> || has_constant_rows<X>();
}
template <class X>
inline constexpr bool are_known_items = is_known_items<X>();
template <class X>
inline constexpr bool are_known_items<std::reference_wrapper<X>> = true;
template <class... X>
inline constexpr bool are_known_items<std::tuple<X...>> = sizeof...(X) != 0 && (are_known_items<X> && ...);

[[noreturn, gnu::cold, gnu::noinline]] inline void items_differ() {
    throw std::invalid_argument("xgrad[E253]: scan(body, init, xs, params...) requires as many items in each part of xs, found different numbers of them: "
                                "take those that belong together");
}

}
XGRAD_DETAIL_QUIET_END
