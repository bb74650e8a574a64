// Defines twin_cursor: the cursor of the second of two operands of one type, which may be the first one again, as in d * d.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <xgrad/rule/partials.hpp>
#include <xgrad/scope/kernel/cursor.hpp>
#include <xgrad/scope/kernel/tree.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Where the operand is the first one again it is not opened: its value is that of the first, by which goes what it is given, too.
template <class C>
class twin_cursor {
public:
    using step_type = typename C::step_type;
    using packs = typename C::packs;
    using frame = typename C::frame;
    using given_packs = typename C::given_packs;
    static constexpr std::size_t arrays = C::arrays, cotangents = C::cotangents, room = C::room;

    template <class Plan, class A>
    XGRAD_DETAIL_INLINE twin_cursor(Plan& p, A const& a, A const& first, bool reverse) : is_first_again_(a.is_same(first)) {
        if (!is_first_again_) new (&own_) C(a.template open<step_type>(p, reverse));
    }
    XGRAD_DETAIL_INLINE ~twin_cursor() {}
    XGRAD_DETAIL_INLINE bool is_first_again() const noexcept { return is_first_again_; }
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, Plan& p) {
        if (!is_first_again_) own_.meet(m, p);
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, packs const& first) const {
        if (is_first_again_) f.y = first;
        else own_.forward(i, f);
    }
    template <class M, class S>
    XGRAD_DETAIL_INLINE void backward(M const& none, S& sum, std::size_t i, frame const& f, packs const& g) {
        own_.backward(none, sum, i, f, g);
    }

private:
    bool is_first_again_;
    union {
        C own_;
    };
};

// What the cursor C of an operand is.
template <bool IsSecondTwin>
struct twin_if {
    template <class C>
    using type = C;
};
template <>
struct twin_if<true> {
    template <class C>
    using type = twin_cursor<C>;
};

// Whether two operands of an operation may be one expression, whose value is then computed once; not where some elements of each are given nothing.
template <class Op, class Pack, class... A>
inline constexpr bool may_be_twins = false;
template <class Op, class Pack, class A>
    requires is_array_tree<A>
inline constexpr bool may_be_twins<Op, Pack, A, A> = !requires(Pack const& y) { partial_at<1>(partials<Op>(y, y, y)).open; };

}

}
XGRAD_DETAIL_QUIET_END
