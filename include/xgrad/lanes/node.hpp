// Defines the node of map(f, a...), which runs f once for the values and once more on the way back, or for its sum once for both.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/bytes_in_memory.hpp>
#include <xgrad/lanes/loop.hpp>
#include <xgrad/lanes/results.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/rule/clean_registers.hpp>
#include <xgrad/ruleset/reduce.hpp>
#include <xgrad/scope/operand/give_each.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Of one result, or of those in a struct R.
template <class F, class T, class R = void>
struct mapping {
    static constexpr char const* name = "map(f, ...)";
};

// What the cotangents of one operand are added up in until they are given to it.
template <class S>
struct own_cotangents {
    using place_type = no_place;
    void open(S const&, context&) {}
    void take(S const&, context&) {}
    void clear() noexcept {}
    no_place place() const noexcept { return {}; }
    template <class T>
    void give(S const&, T const&) const noexcept {}
};
template <class S>
    requires S::is_active
struct own_cotangents<S> {
    using T = typename S::value_type;
    static constexpr int row_rank = axes_of_row<S>;
    block room;
    memory_t<T> data = nullptr;
    std::size_t size = 0;
    std::ptrdiff_t row = 1;
    strides<row_rank> columns{};

    void open(S const& s, context& c) {
        take(s, c);
        if constexpr (!has_own_rows<S>) clear();
    }
    // Without clearing it.
    void take(S const& s, context& c) {
        auto const shape = s.a.extent();
        size = element_count(shape);
        row = 1;
        for (int d = row_rank; d > 0; --d) {
            columns[d - 1] = row;
            row *= static_cast<std::ptrdiff_t>(shape[d]);
        }
        room.renew(c, size * sizeof(T));
        data = memory_in<T>(room.get(), size);
    }
    void clear() noexcept { fill_elements<T>(data, size, T(0)); }
    cotangent_place<T, row_rank> place() const noexcept { return {data, row, columns, !has_own_rows<S>}; }
    // g times what was added up.
    template <class G>
    void give(S const& s, G const& g) const noexcept {
        give_times(s.a, data, g);
    }
};
// The rows of an operand where its cotangent lies. Puts: where nothing has come yet, it is put there; otherwise all add.
template <class S>
XGRAD_DETAIL_INLINE auto place_in_operand(S const& s, bool puts) noexcept {
    using T = typename S::value_type;
    bool add = false;
    auto const to = s.a.target(add);
    if (!add && !puts) for_each_offset(to.shape, to.stride, [&](std::size_t, std::ptrdiff_t at) { to.data[at] = T(0); });
    cotangent_place<T, S::row_rank> p{to.data, to.stride[0], {}, add || !puts};
    for (int d = 0; d < S::row_rank; ++d) p.columns[d] = to.stride[d + 1];
    return p;
}

// The inner call, in a workspace of the thread's: body(c) computes items, or pulls them.
template <class M, class Body>
void within_items(bool reverse, Body body) {
    borrowed_workspace w;
    bound_call<M, identity_lift>::within(w.get(), reverse, [&](context& c) {
        body(c);
        return 0;
    });
}

}

// Results are numbers E, in an array of one axis, or of as many columns as an R has numbers.
template <class F, class E, class R, class... S>
struct node<detail::mapping<F, E, R>, S...> {
    using value_type = E;
    using T = value_type;
    using lifetime = typename detail::join_lifetime<typename S::lifetime...>::type;
    using results = detail::results_of<T, R>;
    static constexpr int rank = results::rank;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;
    static constexpr bool takes_expressions = true;  // its sum may have an operation around each item
    using function = detail::item_function<T, F, S...>;
    using places = std::index_sequence_for<S...>;

    node(F g, std::tuple<S...> operands) : f(std::move(g)), x(std::move(operands)) {}
    context* owner() const {
        return detail::call_with(detail::common_owner, x);
    }
    void check() const {
        detail::call_with([](auto const&... s) { detail::check_owners(s...), detail::check_sources(s...); }, x);
    }
    std::size_t items() const {
        return detail::call_with([](auto const&... s) { return detail::items_of(s...); }, x);
    }
    void prepare() const {
        detail::call_with([](auto const&... s) { (s.prepare(), ...); }, x);
    }
    extents<rank> extent() const {
        if constexpr (detail::is_in_grid<R>) return std::get<0>(x).shape;
        else return results::shape(items());
    }
    // g of each operand, as explain asks.
    template <class G>
    void each(G g) const {
        auto one = [&g](auto const& s) {
            if constexpr (requires { s.a; }) g(s.a);
        };
        detail::call_with([&](auto const&... s) { (one(s), ...); }, x);
    }

    template <class Slot>
    void evaluate(Slot& y) const {
        run_all(false, {y.value, nullptr}, places{});
        // room for what the way back adds up
        if (context* const c = owner(); c && c->reverse) reserve(*c, places{});
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        run_all(true, {nullptr, y.cotangent}, places{});
    }
    // f over all items: the sum of their values, or of what the expression around them makes of these, and, if reverse, the cotangents of the operands for the
    // seed 1, into memory of their own.
    template <class Expression>
    T sum(bool reverse, Expression& e) const {
        if (reverse) add_up_own(places{});
        return sum_to(detail::call_with([](auto const&... own) { return std::tuple(own.place()...); }, own_), reverse, T(1), e);
    }
    // The same for a seed that is known: cotangents go where they belong at once, but for those of what is whole.
    template <class Expression>
    T sum_and_pull(T const& seed, Expression& e) const {
        reserve(*owner(), places{});
        return sum_to(places_of_cotangents(true, places{}), true, seed, e);
    }
    // g times what is in own memory; without a factor the rest of what a known seed has not put where it belongs.
    template <class G>
    void give_own(G const& g) const noexcept {
        give_own(g, places{});
    }

    F f;
    std::tuple<S...> x;

protected:
    mutable std::tuple<detail::own_cotangents<S>...> own_;

    template <class Places, class Expression>
    T sum_to(Places const& to, bool reverse, T const& by, Expression& e) const {
        clean_registers const behind;
        detail::running_sum<pack_t<T, function::width>> many;
        detail::running_sum<T> few;
        auto add = [&]<class V>(V const& v) {
            if constexpr (std::is_same_v<V, T>) few.add(v);
            else many.add(v);
        };
        auto take = [&]<class V>(std::size_t i, V const& v) {
            if (reverse) return;
            typename Expression::template frame<V> item;
            e.forward(item, i, v);
            add(item.y);
        };
        auto seed = [&]<class V>(std::size_t i, V const& v) {
            typename Expression::template frame<V> item;
            V g(1.0);
            e.forward(item, i, v);
            add(item.y);
            if constexpr (std::is_same_v<V, T>) e.backward(item, i, by, g);
            else e.backward(item, i, broadcast_lanes<T, function::width>(by), g);
            return g;
        };
        detail::within_items<typename function::lifetime>(
            reverse, [&](context& c) { detail::run_items<T>(f, x, 0, items(), c, to, take, seed); });
        return T(detail::sum_of_lanes<T, function::width>(many.value()) + few.value());
    }
    template <std::size_t... I>
    void reserve(context& c, std::index_sequence<I...>) const {
        auto one = [&c](auto const& s, auto& own) {
            if constexpr (detail::is_whole<std::remove_cvref_t<decltype(s)>>) own.open(s, c);
        };
        (one(std::get<I>(x), std::get<I>(own_)), ...);
    }
    // Items from first to last - 1 within c: one function for both directions, of which f is most.
    template <class To>
    void run_some(std::size_t first, std::size_t last, context& c, To const& to, results const& r) const {
        auto take = [&](std::size_t i, auto const& v) {
            if (r.y) r.put(i, v);
        };
        auto seed = [&](std::size_t i, auto const& v) { return r.seed(i, v); };
        detail::run_items<T>(f, x, first, last, c, to, take, seed, r);
    }
    template <std::size_t... I>
    auto places_of_cotangents(bool reverse, std::index_sequence<I...>) const noexcept {
        // what is whole is given behind all items
        auto reach = [](auto const& s) {
            using U = std::remove_cvref_t<decltype(s)>;
            if constexpr (!U::is_active || detail::is_whole<U>) return detail::bytes_in_memory{};
            else return detail::reach_of(s.a.source());
        };
        std::array<detail::bytes_in_memory, sizeof...(I)> all{};
        if (reverse) all = {reach(std::get<I>(x))...};
        auto place = [&](auto const& s, auto& own, std::size_t i) {
            using U = std::remove_cvref_t<decltype(s)>;
            if constexpr (!U::is_active) return detail::no_place{};
            else if constexpr (detail::is_whole<U>) {
                if (reverse) own.clear();
                return own.place();
            } else
                return reverse ? detail::place_in_operand(s, detail::has_own_rows<U> && detail::is_apart(all, i))
                               : decltype(detail::place_in_operand(s, true))();
        };
        return std::tuple{place(std::get<I>(x), std::get<I>(own_), I)...};
    }
    template <std::size_t... I>
    void run_all(bool reverse, results const& r, std::index_sequence<I...> all) const {
        auto const to = places_of_cotangents(reverse, all);
        detail::within_items<typename function::lifetime>(reverse, [&](context& c) { run_some(0, items(), c, to, r); });
        if (reverse) give_own(detail::no_factor(), all);
    }
    template <std::size_t... I>
    void add_up_own(std::index_sequence<I...>) const {
        context& c = *owner();
        (std::get<I>(own_).open(std::get<I>(x), c), ...);
    }
    template <class G, std::size_t... I>
    void give_own(G const& g, std::index_sequence<I...>) const noexcept {
        auto give = [&g](auto const& s, auto const& own) {
            if constexpr (!std::is_same_v<G, detail::no_factor> || detail::is_whole<std::remove_cvref_t<decltype(s)>>) own.give(s, g);
        };
        (give(std::get<I>(x), std::get<I>(own_)), ...);
    }
};

}
XGRAD_DETAIL_QUIET_END
