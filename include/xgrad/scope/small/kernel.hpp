// Defines the kernels of trees of small arrays whose shapes are known at compile time: loops of constant length in the caller; a call costs more than they do.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/scope/kernel/tree.hpp>
#include <xgrad/scope/kernel/tree_kernels.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Whether each operation of a tree is about one instruction, so that packs, which few elements fill badly, gain nothing: those that say when they are linear.
template <class A>
inline constexpr bool is_cheap = true;
template <class Op, class... A>
    requires scalar_rule<Op>
inline constexpr bool is_cheap<node<Op, A...>> = requires { &Op::linear; } && (is_cheap<A> && ...);
template <class Tree>
concept cheap_static_tree = has_static_shape<Tree> && is_cheap<Tree>;

// The step of a loop over all elements of a space of the shape S, which is written out: one element, whose place in each array is a constant.
template <class T, class R, class Step>
class static_cursor;
template <class T, class R, class Step>
class static_const_cursor;
struct no_plan {};
template <class S>
struct written_out {
    static constexpr std::size_t width = 1, size = 1;
    static constexpr bool is_pair = false;
    using plan_type = no_plan;
    using repeated = type_list<>;
    using space = S;
    template <class T>
    using packs = T;
    template <class T, class R>
    using cursor_of_static = static_cursor<T, R, written_out>;
    template <class T, class R>
    using cursor_of_static_constant = static_const_cursor<T, R, written_out>;
};

// Where the elements of a space of the shape S are in an array of the shape R that broadcasts to it.
template <class R, class S>
inline constexpr auto places = [] {
    std::array<std::size_t, S::size> p{};
    for (std::size_t i = 0; i < S::size; ++i) {
        std::size_t rest = i, at = 0, step = 1;
        for (int d = S::value - 1, e = R::value - 1; e >= 0; --d, --e) {
            if (R::shape[e] != 1) at += rest % S::shape[d] * step;
            rest /= S::shape[d];
            step *= R::shape[e];
        }
        p[i] = at;
    }
    return p;
}();
template <class R, class S>
XGRAD_DETAIL_INLINE constexpr std::size_t place(std::size_t i) {
    if constexpr (std::is_same_v<R, S>) return i;
    else return places<R, S>[i];
}

// An array of the shape R: what comes to its elements is collected, in registers where the loop is written out, and contributed once.
template <class T, class R, class Step>
class static_cursor {
public:
    using step_type = Step;
    static constexpr std::size_t arrays = 0, cotangents = 0, room = 0;
    using packs = T;
    using given_packs = no_packs;
    using frame = leaf_frame<T>;

    XGRAD_DETAIL_INLINE static_cursor(no_plan&, T const* value, T* cotangent, std::ptrdiff_t, bool first, extents<R::value> const&,
                                      strides<R::value> const&, bool)
        : v_(value), a_(cotangent), assign_(first) {
        if constexpr (!covers) for_each_index<R::size>([this](std::size_t i) XGRAD_DETAIL_LAMBDA { sum_[i] = T(0); });
    }
    static_cursor(static_cursor const&) = delete;
    XGRAD_DETAIL_INLINE void meet(moment m, no_plan&) {
        if (m != moment::tile_ends) return;
        if (assign_) for_each_index<R::size>([this](std::size_t i) XGRAD_DETAIL_LAMBDA { a_[i] = sum_[i]; });
        else for_each_index<R::size>([this](std::size_t i) XGRAD_DETAIL_LAMBDA { a_[i] += sum_[i]; });
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, uses_of_repeated<Step>&) const { f.y = v_[place<R, typename Step::space>(i)]; }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const& some, U&, std::size_t i, frame const&, T const& given) {
        auto& s = sum_[place<R, typename Step::space>(i)];
        if constexpr (covers) s = unmasked(some, given);
        else s += unmasked(some, given);
    }

private:
    static constexpr bool covers = std::is_same_v<R, typename Step::space>;
    T const* v_;
    T* a_;
    bool assign_;
    T sum_[R::size];
};

// The same of a constant.
template <class T, class R, class Step>
class static_const_cursor {
public:
    using step_type = Step;
    static constexpr std::size_t arrays = 0, cotangents = 0, room = 0;
    using packs = T;
    using given_packs = no_packs;
    using frame = leaf_frame<T>;

    XGRAD_DETAIL_INLINE static_const_cursor(no_plan&, T const* value, extents<R::value> const&, strides<R::value> const&, bool) : v_(value) {}
    XGRAD_DETAIL_INLINE void meet(moment, no_plan&) {}
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, uses_of_repeated<Step>&) const { f.y = v_[place<R, typename Step::space>(i)]; }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const&, U&, std::size_t, frame const&, T const&) {}

private:
    T const* v_;
};

// body(cursor, place in row-major order) for each element.
template <bool Reverse, class Tree, class Body>
XGRAD_DETAIL_INLINE void each_static(Tree const& tree, Body body) {
    using step = written_out<typename Tree::shape_type>;
    no_plan p;
    typename Tree::template cursor<step> c = tree.template open<step>(p, Reverse);
    for_each_index<Tree::shape_type::size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { body(c, i); });
    if constexpr (Reverse) {
        c.meet(moment::tile_ends, p);
        c.meet(moment::all_ends, p);
    }
}
template <class C>
using frame_of_cursor = typename std::remove_reference_t<C>::frame;
template <class C>
using uses_of_cursor = step_uses<typename std::remove_reference_t<C>::step_type, no_sum>;

}

template <detail::cheap_static_tree Tree>
struct tree_kernels<Tree> {
    using T = typename Tree::value_type;
    using shape_type = typename Tree::shape_type;

    template <class Slot>
    XGRAD_DETAIL_INLINE static void evaluate(Tree const& tree, Slot& slot) {
        T* const y = slot.value;
        detail::each_static<false>(tree, [y](auto& c, std::size_t i) XGRAD_DETAIL_LAMBDA {
            detail::frame_of_cursor<decltype(c)> f;
            detail::uses_of_cursor<decltype(c)> uses;
            c.forward(i, f, uses);
            y[i] = f.y;
        });
    }
    template <class Slot>
    XGRAD_DETAIL_INLINE static void pull_back(Tree const& tree, Slot const& slot) noexcept {
        T const *const y = slot.value, *const ybar = slot.cotangent;
        tree.ensure_cotangents(shape_type::shape);
        detail::each_static<true>(tree, [=](auto& c, std::size_t i) XGRAD_DETAIL_LAMBDA {
            detail::frame_of_cursor<decltype(c)> f;
            detail::uses_of_cursor<decltype(c)> uses;
            if constexpr (requires { c.forward_operands(i, f, uses); }) {
                c.forward_operands(i, f, uses);
                f.y = y[i];
            } else c.forward(i, f, uses);
            c.backward(!(ybar[i] == 0), uses, i, f, ybar[i]);
        });
    }
    template <class Rule, bool Value, bool Pull, int R>
    XGRAD_DETAIL_INLINE static T reduce(Tree const& tree, extents<R> const&, T const& y, T const& ybar) {
        // some sums beside each other, so that no addition waits for the one before
        constexpr std::size_t chains = shape_type::size < 8 ? 1 : 4;
        T sums[chains];
        for (T& s : sums) s = Rule::template identity<T>();
        [[maybe_unused]] T const weight = detail::weight_of<Rule>(y, ybar);
        if constexpr (Pull) tree.ensure_cotangents(shape_type::shape);
        detail::each_static<Pull>(tree, [&](auto& c, std::size_t i) XGRAD_DETAIL_LAMBDA {
            detail::frame_of_cursor<decltype(c)> f;
            detail::uses_of_cursor<decltype(c)> uses;
            c.forward(i, f, uses);
            if constexpr (Value) sums[i % chains] = Rule::combine(sums[i % chains], detail::element_by<Rule>(T(f.y), y));
            if constexpr (Pull) c.backward(no_mask(), uses, i, f, T(weight * Rule::partial(y, f.y, shape_type::size)));
        });
        if constexpr (!Value) return y;
        else if constexpr (chains == 1) return sums[0];
        else return Rule::combine(Rule::combine(sums[0], sums[1]), Rule::combine(sums[2], sums[3]));
    }
};

}
XGRAD_DETAIL_QUIET_END
#endif
