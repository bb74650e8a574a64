// Defines repeated_cursor: the cursor of an operand that a tree has several times, as a name has that is used more than once.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <xgrad/scope/kernel/array_cursor.hpp>
#include <xgrad/scope/kernel/tree.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Values are computed from the last use to the first, and cotangents given from the first to the last: so the last one computes its value, and keeps it for
// those before it that are the same. They are not opened, read that value, and leave what they are given to the last one. Where all uses of each type are the
// same, which is most often so, short operations have a kernel that takes that for granted: which use is the last is then known by counting, at compile
// time. Others ask in each step.

// Goes through a tree that has operands of the types F several times, from the last to the first, and tells the plan what becomes of each use of them.
template <class F>
struct last_use {
    F const* operand = nullptr;
};
template <class Repeated>
class find_repeated;
template <class... F>
class find_repeated<type_list<F...>> : last_use<F>... {
public:
    explicit find_repeated(seen_arrays& p) : p_(p) {}
    // Whether all uses of each type are the same.
    bool are_same() const noexcept { return are_same_; }
    template <class A>
    XGRAD_DETAIL_INLINE void operator()(A const& a) {
        if constexpr (one_of<A, F...>) {
            A const*& last = static_cast<last_use<A>&>(*this).operand;
            if (last && a.is_same(*last)) return p_.note_use(repeated_use::again);
            are_same_ = are_same_ && !last && !is_only_read_;
            if (!is_only_read_) last = &a;
            subtrees<A>::from_last(a, *this);
            p_.note_use(is_only_read_ ? repeated_use::alone : repeated_use::kept);
        } else subtrees<A>::from_last(a, *this);
    }
    // a, which takes no cotangents.
    template <class A>
    XGRAD_DETAIL_INLINE void only_read(A const& a) {
        bool const was = std::exchange(is_only_read_, true);
        (*this)(a);
        is_only_read_ = was;
    }

private:
    seen_arrays& p_;
    bool is_only_read_ = false, are_same_ = true;
};

template <class F, class C>
class repeated_cursor {
public:
    using step_type = typename C::step_type;
    using packs = typename C::packs;
    using frame = typename C::frame;
    using given_packs = typename C::given_packs;
    static constexpr std::size_t arrays = C::arrays, cotangents = C::cotangents, room = C::room;

    template <class Plan>
    XGRAD_DETAIL_INLINE repeated_cursor(Plan& p, F const& a, bool reverse) : use_(p.take_use()) {
        if (!is_again()) new (&own_) C(a.template open<step_type>(p, reverse));
    }
    XGRAD_DETAIL_INLINE ~repeated_cursor() {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, Plan& p) {
        if (!is_again()) own_.meet(m, p);
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, uses_of_repeated<step_type>& uses) const {
        auto& all = in_common(uses);
        if (uses.are_same ? all.count != 0 : is_again()) f.y = all.y;
        else {
            own_.forward(i, f, uses);
            if (uses.are_same || use_ == repeated_use::kept) all.y = f.y;
        }
        if (!uses.is_only_read) ++all.count;
    }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const& some, U& uses, std::size_t i, frame const& f, packs const& g) {
        auto& all = in_common(uses);
        all.take(some, g);
        if (uses.are_same ? --all.count != 0 : is_again()) return;
        if constexpr (std::is_same_v<M, no_mask>) own_.backward(some, uses, i, f, all.g);
        else own_.backward(all.some, uses, i, f, all.g);
        if (!uses.are_same) all.clear();
    }
    template <class G>
    XGRAD_DETAIL_INLINE bool put(std::size_t i, G const& g) {
        return !is_again() && own_.put(i, g);
    }
    bool stays() const noexcept { return !is_again() && own_.stays(); }

private:
    repeated_use use_;
    union {
        C own_;
    };

    XGRAD_DETAIL_INLINE bool is_again() const noexcept { return use_ == repeated_use::again; }
    template <class U>
    XGRAD_DETAIL_INLINE static auto& in_common(U& uses) {
        return static_cast<what_uses_have_in_common<F, step_type>&>(uses);
    }
};

// The cursor of an operand A of an operation.
template <class A, class Step>
struct cursor_of_operand_type { using type = typename A::template cursor<Step>; };
template <class A, class Step>
    requires is_in_list<A, typename Step::repeated>
struct cursor_of_operand_type<A, Step> { using type = repeated_cursor<A, typename A::template cursor<Step>>; };
template <class A, class Step>
using operand_cursor_t = typename cursor_of_operand_type<A, Step>::type;

template <class Step, class A>
XGRAD_DETAIL_INLINE operand_cursor_t<A, Step> open_operand(typename Step::plan_type& p, A const& a, bool reverse) {
    if constexpr (is_in_list<A, typename Step::repeated>) return {p, a, reverse};
    else return a.template open<Step>(p, reverse);
}

}

}
XGRAD_DETAIL_QUIET_END
