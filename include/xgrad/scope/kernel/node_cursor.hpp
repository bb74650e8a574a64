// Defines node_cursor: the cursor of an elementwise operation: it has those of its operands, and computes its values and partials from theirs.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <xgrad/rule/flat_tuple.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/scope/kernel/conversions.hpp>
#include <xgrad/scope/kernel/repeated.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class... A>
struct node;

namespace detail {

// Of each operand, in order.
template <std::size_t... I, class... A, int S>
XGRAD_DETAIL_INLINE void ensure_each_cotangent(flat_tuple_elements<std::index_sequence<I...>, A...> const& x, extents<S> const& space) noexcept {
    (static_cast<flat_tuple_element<I, A> const&>(x).value.ensure_cotangents(space), ...);
}

template <std::size_t I, class C>
struct cursor_of_operand {
    C cursor;
    template <class Plan, class X>
    XGRAD_DETAIL_INLINE cursor_of_operand(Plan& p, X const& x, bool reverse) : cursor(open_operand<typename C::step_type>(p, item<I>(x), reverse)) {}
};
template <std::size_t I, class F>
struct frame_of_operand {
    F frame;
};

// The value of a step, and all that it was computed from.
template <class Y, class... F>
struct node_frame : F... {
    Y y;
    XGRAD_DETAIL_INLINE node_frame() {}
};

// What an operand of type T is given of a cotangent.
template <class T>
struct give_back {
    template <class G, class P>
    XGRAD_DETAIL_INLINE auto operator()(G const& g, P const& partial) const { return given_back<T>(contribution<G>(g, partial)); }
};
template <std::size_t J>
struct take_partial {
    template <class D>
    XGRAD_DETAIL_INLINE auto operator()(D const& d) const { return partial_at<J>(d); }
};
struct take_open {
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& partial) const { return partial.open; }
};

template <class C>
using pack_of_cursor_t = std::remove_cvref_t<decltype(pack_of<false>(std::declval<typename C::packs const&>()))>;
// An operation of two operands one of which, `same`, is one number for every element may have a shorter way: Op::by_same where that is the second one,
// Op::of_same where it is the first. It computes the value from the other operand x, and the partials from both.
struct no_shorter_way {};
template <class Op, class Pack, class... C>
struct shorter_way { using type = no_shorter_way; };
template <class Pack, class C, class D>
concept computes_in = std::is_same_v<pack_of_cursor_t<C>, Pack> && std::is_same_v<pack_of_cursor_t<D>, Pack>;
template <class Op, class Pack, class D>
concept goes_by_same = requires(D const& d) {
    d.same();
    typename Op::template by_same<Pack>;
};
template <class Op, class Pack, class C, class D>
    requires(computes_in<Pack, C, D> && goes_by_same<Op, Pack, D>)
struct shorter_way<Op, Pack, C, D> {
    using type = typename Op::template by_same<Pack>;
    static constexpr std::size_t same = 1;
};
template <class Op, class Pack, class C, class D>
    requires(computes_in<Pack, C, D> && !goes_by_same<Op, Pack, D> && requires(C const& c) {
        c.same();
        typename Op::template of_same<Pack>;
    })
struct shorter_way<Op, Pack, C, D> {
    using type = typename Op::template of_same<Pack>;
    static constexpr std::size_t same = 0;
};

// The same where the second operand may be one number for a whole tile, which is known when the tile begins.
template <class Way>
struct way_if_known {
    bool is_known = false;
    union {
        Way way;
    };
    XGRAD_DETAIL_INLINE way_if_known() {}
};
template <class Op, class Pack, class... C>
struct way_of_tile { using type = no_shorter_way; };
template <class Op, class Pack, class C, class D>
    requires(computes_in<Pack, C, D> && std::is_same_v<typename shorter_way<Op, Pack, C, D>::type, no_shorter_way> && D::arrays != 0 &&
             requires { typename Op::template by_same<Pack>; })
struct way_of_tile<Op, Pack, C, D> { using type = way_if_known<typename Op::template by_same<Pack>>; };

template <class Op, class T, class Step, class I, class... A>
class node_cursor;
template <class Op, class T, class Step, std::size_t... I, class... A>
class node_cursor<Op, T, Step, std::index_sequence<I...>, A...>
    : cursor_of_operand<I, operand_cursor_t<A, Step>>... {
    template <class B>
    using cursor_type = operand_cursor_t<B, Step>;
    template <std::size_t J, class B>
    using operand = cursor_of_operand<J, cursor_type<B>>;
    template <std::size_t J, class B>
    using operand_frame = frame_of_operand<J, typename cursor_type<B>::frame>;
    using pack = pack_t<T, Step::width>;

public:
    using step_type = Step;
    static constexpr std::size_t arrays = (0 + ... + cursor_type<A>::arrays), room = (0 + ... + cursor_type<A>::room);
    static constexpr std::size_t cotangents = (0 + ... + cursor_type<A>::cotangents);
    using packs = typename Step::template packs<T>;
    using given_packs = typename join_packs<typename cursor_type<A>::given_packs...>::type;
    using frame = node_frame<packs, operand_frame<I, A>...>;

    // The operands open from left to right, and contribute in the same order; their values are computed from right to left, for repeated_cursor's sake.
    template <class Plan>
    XGRAD_DETAIL_INLINE node_cursor(Plan& p, flat_tuple<A...> const& x, bool reverse)
        : operand<I, A>(p, x, reverse)..., shorter_way_(find_shorter_way(static_cast<operand<I, A> const&>(*this).cursor...)) {}

    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, Plan& p) {
        (static_cast<operand<I, A>&>(*this).cursor.meet(m, p), ...);
        if constexpr (knows_tiles)
            if (m == moment::tile_begins) find_way(static_cast<operand<I, A> const&>(*this).cursor...);
    }
    bool stays() const noexcept { return (static_cast<operand<I, A> const&>(*this).cursor.stays() && ...); }
    XGRAD_DETAIL_INLINE void forward_operands(std::size_t i, frame& f, uses_of_repeated<Step>& uses) const {
        // assignments are evaluated from the right
        int from_last = 0;
        static_cast<void>(((forward_one<I, A>(i, f, uses), from_last) = ... = 0));
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, uses_of_repeated<Step>& uses) const {
        forward_operands(i, f, uses);
        if constexpr (has_shorter_way) f.y = map_packs(shorter_way_, that_varies(static_cast<operand_frame<I, A>&>(f).frame.y...));
        else if constexpr (knows_tiles) {
            if (way_of_tile_.is_known) f.y = map_packs(way_of_tile_.way, get_of_two<0>(static_cast<operand_frame<I, A>&>(f).frame.y...));
            else f.y = map_packs(apply_operation(), static_cast<operand_frame<I, A>&>(f).frame.y...);
        } else if constexpr (Step::is_pair) f.y = map_packs(apply_operation(), static_cast<operand_frame<I, A>&>(f).frame.y...);
        else f.y = apply<Op>(as<T>(static_cast<operand_frame<I, A>&>(f).frame.y)...);
    }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const& some, U& uses, std::size_t i, frame const& f, packs const& g) {
        if constexpr (has_shorter_way) {
            auto const d = map_packs([this](pack const& y, pack const& x) XGRAD_DETAIL_LAMBDA { return shorter_way_.partials(y, x); }, f.y,
                                     that_varies(static_cast<operand_frame<I, A> const&>(f).frame.y...));
            (pull<I, A>(some, uses, i, f, d, g), ...);
        } else if constexpr (knows_tiles) {
            auto const d = find_partials(f.y, static_cast<operand_frame<I, A> const&>(f).frame.y...);
            (pull<I, A>(some, uses, i, f, d, g), ...);
        } else if constexpr (Step::is_pair) {
            auto const d = map_packs(compute_partials(), f.y, static_cast<operand_frame<I, A> const&>(f).frame.y...);
            (pull<I, A>(some, uses, i, f, d, g), ...);
        } else {
            auto const d = partials<Op>(f.y, in_full<pack>(static_cast<operand_frame<I, A> const&>(f).frame.y)...);
            (pull<I, A>(some, uses, i, f, d, g), ...);
        }
    }
    // By the first operand that has an array: all are that one, whose elements may be of another type than those of the operations around it.
    template <class G>
    XGRAD_DETAIL_INLINE bool put(std::size_t i, G const& g) {
        return (put_by<I, A>(i, g) || ...);
    }

private:
    template <std::size_t J, class B>
    XGRAD_DETAIL_INLINE void forward_one(std::size_t i, frame& f, uses_of_repeated<Step>& uses) const {
        static_cast<operand<J, B> const&>(*this).cursor.forward(i, static_cast<operand_frame<J, B>&>(f).frame, uses);
    }
    template <std::size_t J, class B, class G>
    XGRAD_DETAIL_INLINE bool put_by([[maybe_unused]] std::size_t i, [[maybe_unused]] G const& g) {
        if constexpr (cursor_type<B>::cotangents != 0) return static_cast<operand<J, B>&>(*this).cursor.put(i, g);
        else return false;
    }
    using shorter = shorter_way<Op, pack, cursor_type<A>...>;
    static constexpr bool has_shorter_way = !std::is_same_v<typename shorter::type, no_shorter_way>;
    [[no_unique_address]] typename shorter::type shorter_way_;

    using of_tile = way_of_tile<Op, pack, cursor_type<A>...>;
    static constexpr bool knows_tiles = !std::is_same_v<typename of_tile::type, no_shorter_way>;
    [[no_unique_address]] typename of_tile::type way_of_tile_;

    template <class C, class D>
    XGRAD_DETAIL_INLINE void find_way(C const&, D const& same) {
        way_of_tile_.is_known = same.stays();
        if (!way_of_tile_.is_known) return;
        typename D::frame f;
        uses_of_repeated<Step> uses;
        uses.begin(false);
        uses.is_only_read = true;
        same.forward(0, f, uses);
        new (&way_of_tile_.way) typename Op::template by_same<pack>(pack_of<false>(f.y));
    }
    template <class X, class Y>
    XGRAD_DETAIL_INLINE auto find_partials(packs const& y, X const& a, Y const& b) const {
        if (!way_of_tile_.is_known) return map_packs(compute_partials(), y, a, b);
        return map_packs([this](pack const& v, pack const& x) XGRAD_DETAIL_LAMBDA { return way_of_tile_.way.partials(v, x); }, y, a);
    }
    template <class... C>
    XGRAD_DETAIL_INLINE static typename shorter::type find_shorter_way(C const&... c) {
        if constexpr (has_shorter_way) return typename shorter::type(pack_of<false>(get_of_two<shorter::same>(c...).same()));
        else return {};
    }
    template <class... Y>
    XGRAD_DETAIL_INLINE static auto const& that_varies(Y const&... y) {
        return get_of_two<1 - shorter::same>(y...);
    }
    template <std::size_t K, class X, class Y>
    XGRAD_DETAIL_INLINE static auto const& get_of_two(X const& x, Y const& y) {
        if constexpr (K == 0) return x;
        else return y;
    }
    struct apply_operation {
        XGRAD_DETAIL_INLINE pack operator()(auto const&... v) const { return apply<Op>(as<T>(v)...); }
    };
    struct compute_partials {
        XGRAD_DETAIL_INLINE auto operator()(auto const& y, auto const&... v) const { return partials<Op>(y, in_full<pack>(v)...); }
    };
    template <std::size_t J, class B, class M, class U, class D>
    XGRAD_DETAIL_INLINE void pull(M const& some, U& uses, std::size_t i, frame const& f, D const& d, packs const& g) {
        if constexpr (B::is_active) {
            auto& c = static_cast<operand<J, B>&>(*this).cursor;
            auto const& fc = static_cast<operand_frame<J, B> const&>(f).frame;
            auto const partial = map_packs(take_partial<J>(), d);
            auto const given = map_packs(give_back<typename B::value_type>(), g, partial);
            if constexpr (requires { pack_of<false>(partial).open; })
                c.backward(mask_too(some, map_packs(take_open(), partial)), uses, i, fc, given);
            else c.backward(some, uses, i, fc, given);
        }
    }
};

template <class N, class Step>
struct node_cursor_of;
template <class Op, class... A, class Step>
struct node_cursor_of<node<Op, A...>, Step> {
    using type = node_cursor<Op, typename node<Op, A...>::value_type, Step, std::index_sequence_for<A...>, A...>;
};
template <class N, class Step>
using node_cursor_t = typename node_cursor_of<N, Step>::type;

}

}
XGRAD_DETAIL_QUIET_END
