// Defines reduce_all: the kernel that reduces a tree to a number, or pulls the cotangent of that number back, or both in one pass.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/pairwise.hpp>
#include <xgrad/scope/kernel/loop.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// The combination of a rule, of numbers and of packs.
template <class Rule>
struct combine_by {
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return Rule::combine(a, b); }
};

template <class Rule>
using combination = std::conditional_t<requires { requires Rule::sums; }, add_values, combine_by<Rule>>;

// An element combined with others; `scale` is for rules that take one.
template <class Rule, class P>
struct take_element {
    P scale;
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& x) const { return Rule::combine(a, element_by<Rule>(x, scale)); }
};

// With Pull each element is given the cotangent `partial(y, x) * weight(y, ybar)`; a rule with a scale has that for y.
template <class Rule, bool Value, bool Pull, class T, class Step>
class reduce_root {
public:
    static constexpr std::size_t arrays = 0, room = 0;
    reduce_root(std::size_t count, T const& y, T const& ybar)
        : gives_{count, broadcast_lanes<T, Step::width>(y), broadcast_lanes<T, Step::width>(weight_of<Rule>(y, ybar))} {}
    XGRAD_DETAIL_INLINE reduce_root(reduce_root const& r, seen_arrays&) : gives_(r.gives_) { clear(); }
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet([[maybe_unused]] moment m, [[maybe_unused]] Plan& p) {
        if constexpr (Value)
            if (auto const due = folding_.due(m, p, Step::size, longest_sum<T>); due.count != 0) {
                total_.add(fold_step<T, typename Step::unit>(sum_, due.first, due.count, combination<Rule>()));
                clear();
            }
    }
    template <class C, class U>
    XGRAD_DETAIL_INLINE void step(C& c, std::size_t i, typename C::frame& f, U& uses) {
        c.forward(i, f, uses);
        if constexpr (Value) sum_ = map_packs(take_element<Rule, pack>{gives_.y}, sum_, f.y);
        if constexpr (Pull) give_step<Step, T>(c, no_mask(), uses, i, f, map_packs(gives_, f.y));
    }
    T value() {
        if (folding_.is_open()) total_.add(fold_step<T, typename Step::unit>(sum_, 0, Step::size, combination<Rule>()));
        return total_.value(Rule::template identity<T>());
    }

private:
    using pack = pack_t<T, Step::width>;
    struct cotangent_of_element {
        std::size_t count;
        pack y, ybar;
        XGRAD_DETAIL_INLINE pack operator()(pack const& v) const { return pack(ybar * Rule::partial(y, v, count)); }
    };
    cotangent_of_element gives_;
    typename Step::template packs<T> sum_;
    pairwise<T, combine_by<Rule>> total_;
    folding folding_;
    XGRAD_DETAIL_INLINE void clear() { sum_ = spread_step<T, Step>(Rule::template identity<T>()); }
};

}

// Accumulates the next `size` elements of a tree whose arrays lie flat in the space, which has `count`.
template <class Rule, bool Value, bool Pull, class Tree, int S, class T>
T reduce_stretch(Tree const& tree, extents<S> const& space, std::size_t size, std::size_t count, T const& y, T const& ybar) {
    using step = detail::step_of<Tree>;
    return run_kernel<step, Pull>(tree, space, size, detail::reduce_root<Rule, Value, Pull, T, typename step::unit>(count, y, ybar));
}
// Accumulates the elements of the tree, and with Pull gives each of them its cotangent in the same pass.
template <class Rule, bool Value, bool Pull, class Tree, int S, class T>
T reduce_all(Tree const& tree, extents<S> const& space, T y, T ybar) {
    detail::note_pass<Tree>();
    if constexpr (Pull) tree.ensure_cotangents(space);
    std::size_t const count = element_count(space);
    if (count == 0) return Rule::template identity<T>();
    return reduce_stretch<Rule, Value, Pull>(tree, space, count, count, y, ybar);
}

}
XGRAD_DETAIL_QUIET_END
