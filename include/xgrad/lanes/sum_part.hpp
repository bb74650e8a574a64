// Defines sum_part<B, T, R>: what an elementwise expression of one map is made of, as the sum over its items takes it.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/node.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// What stands in such an expression. An item's value is known when f has run, and then what its sum owes it: f runs once.
enum class stands_as { map, number, array, operation, other };
template <class B>
struct of_map {
    static constexpr bool is = false;
};
template <class F, class E, class R, class... S>
    requires(std::is_void_v<R> || is_in_grid<R>)
struct of_map<formula<mapping<F, E, R>, S...>> {
    static constexpr bool is = true;
};
template <class B>
struct operation_of {
    static constexpr bool is = false;
};
template <class Op, class... A>
    requires scalar_rule<Op>
struct operation_of<formula<Op, A...>> {
    static constexpr bool is = true;
    using op = Op;
};

template <class B, class T, int R>
consteval stands_as find_stands_as() {
    using U = typename B::value_type;
    if constexpr (!std::is_same_v<U, T> && (B::is_active || !std::is_same_v<U, scalar_of_t<T>>)) return stands_as::other;
    else if constexpr (B::rank == 0) return stands_as::number;
    else if constexpr (B::rank != R) return stands_as::other;
    else if constexpr (of_map<B>::is) return stands_as::map;
    else if constexpr (operation_of<B>::is) return stands_as::operation;
    else if constexpr (requires(B const& b) { b.source(); }) return stands_as::array;
    else return stands_as::other;
}

template <class B, class T, int R>
struct sum_part;
template <class A, class T, int R>
struct parts_of_operation;
template <class Op, class... A, class T, int R>
struct parts_of_operation<formula<Op, A...>, T, R> {
    using type = std::tuple<sum_part<A, T, R>...>;
    static constexpr std::size_t maps = (0 + ... + sum_part<A, T, R>::maps);
    static constexpr bool is_known = (true && ... && sum_part<A, T, R>::is_inside);
};

// A part of the expression B, whose values are T, in an array of rank R:
//   open(b, shape, c)   evaluates what is not a part of the items, and makes room for what an array is owed, in a call that goes backward; false where b has
//                       another shape, or is not in one piece
//   forward, backward   of an item i or a pack of them: its value, by the value v of the map; and what its sum owes to each part, of which that to the map goes
//                       to `seed`
//   give(b, g)          g times what is owed, or just that where g is no factor
template <class V>
struct value_of_part {
    V y;
};
template <class B, class T, int R>
    requires(find_stands_as<B, T, R>() == stands_as::map)
struct sum_part<B, T, R> {
    static constexpr std::size_t maps = 1;
    static constexpr bool is_known = true, is_inside = B::node_type::takes_expressions;
    template <class V>
    using frame = value_of_part<V>;
    bool open(B const& b, extents<R> const& shape, context*) { return b.is_fresh() && b.extent() == shape; }
    template <class V>
    XGRAD_DETAIL_INLINE void forward(frame<V>& f, std::size_t, V const& v) const {
        f.y = v;
    }
    template <class V>
    XGRAD_DETAIL_INLINE void backward(frame<V> const&, std::size_t, V const& g, V& seed) {
        seed = g;
    }
    template <class G>
    void give(B const& b, G const& g) const noexcept {
        b.node_at().give_own(g);
    }
    static B const& map(B const& b) noexcept { return b; }
};
template <class B, class T, int R>
    requires(find_stands_as<B, T, R>() == stands_as::number)
struct sum_part<B, T, R> {
    static constexpr std::size_t maps = 0;
    static constexpr bool is_inside = true;
    template <class V>
    using frame = value_of_part<V>;
    T k{};
    typename B::frame own{};
    running_sum<pack_t<T, lanes<T>>> many{};
    running_sum<T> few{};
    bool open(B const& b, extents<R> const&, context*) {
        b.materialise();
        b.forward(own);
        k = in_full<T>(value_of(own));
        many = {};
        few = {};
        return true;
    }
    template <class V>
    XGRAD_DETAIL_INLINE void forward(frame<V>& f, std::size_t, V const&) const {
        f.y = V(k);
    }
    template <class V>
    XGRAD_DETAIL_INLINE void backward(frame<V> const&, std::size_t, V const& g, V&) {
        if constexpr (!B::is_active) return;
        else if constexpr (std::is_same_v<V, T>) few.add(g);
        else many.add(g);
    }
    template <class G>
    void give(B const& b, G const& g) const noexcept {
        if constexpr (B::is_active) b.backward(own, times(T(sum_of_lanes<T, lanes<T>>(many.value()) + few.value()), g));
    }
};
template <class B, class T, int R>
    requires(find_stands_as<B, T, R>() == stands_as::array)
struct sum_part<B, T, R> {
    static constexpr std::size_t maps = 0;
    static constexpr bool is_inside = true;
    template <class V>
    using frame = value_of_part<V>;
    using U = typename B::value_type;
    memory_t<U const> data = nullptr;
    block room;
    memory_t<T> own = nullptr;
    bool open(B const& b, extents<R> const& shape, context* c) {
        b.materialise();
        if (!(b.extent() == shape)) return false;
        auto const a = b.source();
        if (!is_contiguous(a.shape, a.stride)) return false;
        data = a.data;
        if constexpr (B::is_active)
            if (c) {
                std::size_t const n = element_count(shape);
                room.renew(*c, bytes_of_packs(n * sizeof(T)));
                own = memory_in<T>(room.get(), n);
            }
        return true;
    }
    template <class V>
    XGRAD_DETAIL_INLINE void forward(frame<V>& f, std::size_t i, V const&) const {
        if constexpr (std::is_same_v<V, T>) f.y = V(U(data[static_cast<std::ptrdiff_t>(i)]));
        else f.y = V(load<U, lanes<T>>(data + static_cast<std::ptrdiff_t>(i)));
    }
    template <class V>
    XGRAD_DETAIL_INLINE void backward(frame<V> const&, std::size_t i, V const& g, V&) {
        if constexpr (!B::is_active) return;
        else if constexpr (std::is_same_v<V, T>) own[static_cast<std::ptrdiff_t>(i)] = g;
        else store<T, lanes<T>>(own + static_cast<std::ptrdiff_t>(i), g);
    }
    template <class G>
    void give(B const& b, G const& g) const noexcept {
        if constexpr (B::is_active) give_times(b, own, g);
    }
};
template <class B, class T, int R>
    requires(find_stands_as<B, T, R>() == stands_as::operation)
struct sum_part<B, T, R> {
    using all = parts_of_operation<B, T, R>;
    static constexpr std::size_t maps = all::maps;
    static constexpr bool is_known = all::is_known, is_inside = is_known;
    using op = typename operation_of<B>::op;
    using index = std::make_index_sequence<std::tuple_size_v<typename all::type>>;
    template <class V, class P>
    struct frames;
    template <class V, class... P>
    struct frames<V, std::tuple<P...>> {
        flat_tuple<typename P::template frame<V>...> x;
        V y;
    };
    template <class V>
    using frame = frames<V, typename all::type>;
    typename all::type parts;

    bool open(B const& b, extents<R> const& shape, context* c) {
        if (!b.is_fresh()) return false;
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (std::get<I>(parts).open(b.node_at().template at<I>(), shape, c) && ...);
        }(index{});
    }
    template <class V>
    XGRAD_DETAIL_INLINE void forward(frame<V>& f, std::size_t i, V const& v) const {
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            (std::get<I>(parts).forward(item<I>(f.x), i, v), ...);
            f.y = apply<op>(item<I>(f.x).y...);
        }(index{});
    }
    template <class V>
    XGRAD_DETAIL_INLINE void backward(frame<V> const& f, std::size_t i, V const& g, V& seed) {
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            auto const d = partials<op>(f.y, item<I>(f.x).y...);
            (std::get<I>(parts).backward(item<I>(f.x), i, V(contribution<V>(g, partial_at<I>(d))), seed), ...);
        }(index{});
    }
    template <class G>
    void give(B const& b, G const& g) const noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (std::get<I>(parts).give(b.node_at().template at<I>(), g), ...); }(index{});
    }
    static auto const& map(B const& b) noexcept {
        return find_map(b.node_at(), index{});
    }

private:
    template <class N, std::size_t... I>
    static auto const& find_map(N const& n, std::index_sequence<I...>) noexcept {
        constexpr std::size_t at = [] {
            std::size_t k = 0;
            ((std::tuple_element_t<I, typename all::type>::maps == 1 ? void(k = I) : void()), ...);
            return k;
        }();
        return std::tuple_element_t<at, typename all::type>::map(n.template at<at>());
    }
};
template <class B, class T, int R>
    requires(find_stands_as<B, T, R>() == stands_as::other)
struct sum_part<B, T, R> {
    static constexpr std::size_t maps = 0;
    static constexpr bool is_inside = false;
};
template <class A>
concept one_map_among_others = (of_map<A>::is || operation_of<A>::is) && requires {
    requires sum_part<A, typename A::value_type, A::rank>::is_known;
    requires sum_part<A, typename A::value_type, A::rank>::maps == 1;
};

}

}
XGRAD_DETAIL_QUIET_END
