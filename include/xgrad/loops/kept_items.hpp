// Defines kept_items<X, L>, the items of a scan that keeps all that its steps compute.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/items.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <int R, class S>
strides<R> strides_of_row(extents<R> const& s, S const& step) {
    strides<R> t;
    t.set_rank(s.rank());
    for (int d = 0; d < s.rank(); ++d) t[d] = step[d + 1];
    return t;
}
// Row i of a variable: a part of it.
template <class V>
auto row_of(V const& v, std::size_t i) {
    auto const p = part_source(v);
    auto const step = steps_of(p);
    auto const s = shape_of_row(p.extent());
    return make_slot_view(p, static_cast<std::ptrdiff_t>(i) * step[0], s, strides_of_row(s, step));
}
// A row of a P, as a part of it; of a struct a struct of them.
template <class L>
struct to_row {
    template <class P>
    static consteval auto find() {
        if constexpr (number_array<P>) return type_tag<decltype(row_of(std::declval<loop_variable_t<P, L> const&>(), 0))>{};
        else return type_tag<typename parts<P>::template rebind<to_row>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};
template <class L>
inline constexpr bool makes_active<to_row<L>> = true;
template <class L>
inline constexpr bool stands_for_structs<to_row<L>> = true;
template <class L, class P>
struct make_row {
    using type = typename to_row<L>::template type<P>;
    template <class V>
    static type make(V const& v, std::size_t i) {
        if constexpr (number_array<P>) return row_of(v, i);
        else return parts<P>::template make<type>([i]<class Q>(Q const& part) { return make_row<L, state_t<Q>>::make(part, i); }, v);
    }
};

//   size()    how many items there are
//   item(i)   one of them: a part of what is active
template <class X, class L>
class kept_items {
    item_source<X, counted, L> all_;

public:
    kept_items(X const& x, context& c) : all_(x, c) {}
    std::size_t size() { return all_.size(); }
    decltype(auto) item(std::size_t i) {
        all_.enter(i);
        return all_.handle();
    }
};
template <class X, class L>
    requires holds_active<X>
class kept_items<X, L> {
    using P = state_t<X>;
    loop_variable_t<P, L> all_;

public:
    kept_items(X const& x, context&) : all_(make_loop_variable<L>{}(x)) {}
    std::size_t size() {
        agreed_number n;
        each_row_array<P>([&n](auto const& v) { n.take(v.extent()[0]); }, all_);
        return n.value();
    }
    auto item(std::size_t i) { return make_row<L, P>::make(all_, i); }

private:
    template <class Q, class G, class V>
    static void each_row_array(G const& g, V const& v) {
        if constexpr (number_array<Q>) g(v);
        else parts<Q>::each([&g]<class W>(W const& part) { each_row_array<state_t<W>>(g, part); }, v);
    }
};
template <class... X, class L>
class kept_items<std::tuple<X...>, L> {
    template <class Y>
    struct made {
        Y const& y;
        context& c;
    };
    template <class Y>
    struct held : kept_items<Y, L> {
        held(made<Y> const& m) : kept_items<Y, L>(m.y, m.c) {}
        held(held const&) = delete;
    };
    std::tuple<held<X>...> all_;
    template <std::size_t... I>
    kept_items(std::tuple<X...> const& x, context& c, std::index_sequence<I...>) : all_(made<X>{std::get<I>(x), c}...) {}

public:
    kept_items(std::tuple<X...> const& x, context& c) : kept_items(x, c, std::index_sequence_for<X...>()) {}
    std::size_t size() {
        agreed_number n;
        detail::call_with([&n](auto&... s) { (n.take(s.size()), ...); }, all_);
        return n.value();
    }
    auto item(std::size_t i) {
        return detail::call_with([i](auto&... s) { return std::tuple<decltype(s.item(i))...>(s.item(i)...); }, all_);
    }
};

}
XGRAD_DETAIL_QUIET_END
