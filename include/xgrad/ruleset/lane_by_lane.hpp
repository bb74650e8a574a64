// Defines the rule of op::lane_by_lane<Op>: an operation that a library computes, on arrays of packs: on those of each lane.
#pragma once

#include <cstddef>
#include <exception>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class Op>
struct stacked;
// Op of numbers.
template <class Op>
struct lane_by_lane {
    static constexpr bool may_throw = true;
    [[no_unique_address]] Op op;
};
}

namespace detail {

template <class T>
inline constexpr std::size_t lanes_of = 1;
template <batch P>
inline constexpr std::size_t lanes_of<P> = P::size;
template <class P, std::size_t N, class Tag>
inline constexpr std::size_t lanes_of<dual<P, N, Tag>> = lanes_of<P>;

// Whether an operation on packs is one on the numbers of each lane: it is named by the type of its elements, and keeps what a library computes.
template <class Op, class L>
concept lane_of_operation = std::is_trivially_copyable_v<Op> && sizeof(Op) == sizeof(L) && requires { requires array_rule<L>::has_scratch; };
// That on the numbers of one lane; void where the rule takes packs as they are.
template <class Op>
struct find_operation_of_lane { using type = void; };
template <template <class> class Op, class T>
    requires(is_pack<T> && lane_of_operation<Op<T>, Op<typename xgrad::lane_number<T>::type>>)
struct find_operation_of_lane<Op<T>> { using type = Op<typename xgrad::lane_number<T>::type>; };
template <template <class> class Op, class T>
    requires is_pack<T>
struct find_operation_of_lane<op::stacked<Op<T>>> { using type = op::stacked<Op<typename xgrad::lane_number<T>::type>>; };
template <class Op>
using operation_of_lane = typename find_operation_of_lane<Op>::type;

// Lane j of what lies in memory, and of an array there; what has no packs is the same in all of them.
template <class T>
auto lane_of(T* p, std::size_t j) noexcept {
    using P = std::remove_const_t<T>;
    if constexpr (!batch<P>) return p;
    else {
        using L = std::conditional_t<std::is_const_v<T>, lane_type_t<P> const, lane_type_t<P>>;
        return reinterpret_cast<L*>(p) + j;
    }
}
template <class T>
auto lane_of(dual_memory<T> const& p, std::size_t j) noexcept {
    using D = std::remove_const_t<T>;
    if constexpr (!is_pack<D>) return p;
    else {
        using L = typename xgrad::lane_number<D>::type;
        return dual_memory<std::conditional_t<std::is_const_v<T>, L const, L>>(lane_of(p.primal(), j), lane_of(p.direction(0), j),
                                                                               p.stride() * static_cast<std::ptrdiff_t>(lanes_of<D>));
    }
}
template <class T, int R>
auto lane_of(array_ref<T, R> const& a, std::size_t j) noexcept {
    using P = std::remove_const_t<T>;
    if constexpr (!is_pack<P>) return a;
    else {
        using L = typename xgrad::lane_number<P>::type;
        array_ref<std::conditional_t<std::is_const_v<T>, L const, L>, R> l{lane_of(a.data, j), a.shape, a.stride};
        for (int d = 0; d < a.shape.rank(); ++d) l.stride[d] *= static_cast<std::ptrdiff_t>(lanes_of<P>);
        return l;
    }
}

}

template <class Op> inline constexpr bool takes_complex<op::lane_by_lane<Op>> = takes_complex<Op>;
// A lane's operands are read and added to where they are; its result, and the cotangent of that, lie in the scratch, in one piece as libraries want them.
// Where a lane throws the lanes are said to disagree: the items are computed one by one, and those that are asked say so. Until then the first lane goes on, as
// where lanes take different ways, and nothing is pulled; what it throws itself is so.
template <class Op>
struct array_rule<op::lane_by_lane<Op>> {
    using inner = array_rule<Op>;
    using operation = op::lane_by_lane<Op>;
    static constexpr bool has_scratch = true;

    template <int... A>
    static constexpr int rank = inner::template rank<A...>;
    template <int... A>
    static auto shape(operation const& o, extents<A> const&... a) {
        return with(o, [](auto const&... x) { return inner::shape(x...); }, a...);
    }
    template <class T, int... A>
    static std::size_t scratch(operation const& o, extents<A> const&... a) {
        std::size_t const y = room_of<T>(shape(o, a...));
        return 1 + y + detail::lanes_of<T> * (y + scratch_of_one<T>(o, a...));
    }
    template <class T, int Y, class... A>
    static void value(operation const& o, std::ptrdiff_t* s, array_ref<T, Y> const& y, A const&... a) {
        std::size_t const room = room_of<T>(y.shape), each = scratch_of_one<T>(o, a.shape...);
        std::ptrdiff_t& is_known = *s;
        is_known = true;
        s += 1 + room;
        auto const first = in_one_piece<T>(s, y.shape);
        std::size_t j = 0;
        try {
            for (; j < detail::lanes_of<T>; ++j) {
                auto const own = in_one_piece<T>(s, y.shape);
                s += room;
                with(o, [s](auto const&... x) { with_scratch(s, [](auto const&... z) { inner::value(z...); }, x...); }, own, detail::lane_of(a, j)...);
                s += each;
                put(detail::lane_of(y, j), own);
            }
        } catch (std::exception const&) {
            if (j == 0) throw;
            is_known = false;
            detail::lanes_disagree = true;
            for (; j < detail::lanes_of<T>; ++j) put(detail::lane_of(y, j), first);
        }
    }
    template <int I, class T, int X, class G, int Y, class... A>
    static void pullback(operation const& o, std::ptrdiff_t* s, array_ref<T, X> const& xbar, bool add, array_ref<G, Y> const& ybar, array_ref<G, Y> const&,
                         A const&... a) noexcept {
        if (!*s++) {
            if (!add) detail::for_each_offset(xbar.shape, xbar.stride, [&](std::size_t, std::ptrdiff_t at) { xbar.data[at] = T(0.0); });
            return;
        }
        using L = typename lane_number<T>::type;
        std::size_t const room = room_of<T>(ybar.shape), each = scratch_of_one<T>(o, a.shape...);
        auto const g = in_one_piece<T>(s, ybar.shape);
        s += room;
        for (std::size_t j = 0; j < detail::lanes_of<T>; ++j) {
            auto const own = in_one_piece<T>(s, ybar.shape);
            s += room;
            auto const from = detail::lane_of(ybar, j);
            detail::for_each_offset(from.shape, from.stride, [&](std::size_t k, std::ptrdiff_t at) { g.data[k] = L(from.data[at]); });
            with(o, [s](auto const&... x) { with_scratch(s, [](auto const&... z) { inner::template pullback<I>(z...); }, x...); }, detail::lane_of(xbar, j),
                 add, as_constant(g), as_constant(own), detail::lane_of(a, j)...);
            s += each;
        }
    }
    // Of an operation that holds nothing.
    template <int A, int... B>
    static auto shape(extents<A> const& a, extents<B> const&... b) { return shape(operation{}, a, b...); }
    template <class T, int A, int... B>
    static std::size_t scratch(extents<A> const& a, extents<B> const&... b) { return scratch<T>(operation{}, a, b...); }
    template <class T, int Y, class... A>
    static void value(std::ptrdiff_t* s, array_ref<T, Y> const& y, A const&... a) { value(operation{}, s, y, a...); }
    template <int I, class T, int X, class... R>
    static void pullback(std::ptrdiff_t* s, array_ref<T, X> const& xbar, bool add, R const&... r) noexcept {
        pullback<I>(operation{}, s, xbar, add, r...);
    }

private:
    // An array of one lane, and how much scratch it takes.
    template <class T, int R>
    static std::size_t room_of(extents<R> const& shape) {
        return (element_count(shape) * sizeof(typename lane_number<T>::type) + sizeof(std::ptrdiff_t) - 1) / sizeof(std::ptrdiff_t);
    }
    template <class T, int R>
    static auto in_one_piece(std::ptrdiff_t* s, extents<R> const& shape) {
        using L = typename lane_number<T>::type;
        return array_ref<L, R>{detail::memory_in<L>(s, element_count(shape)), shape, row_major_strides(shape)};
    }
    template <class To, class From>
    static void put(To const& to, From const& from) {
        detail::for_each_offset(to.shape, to.stride, [&](std::size_t k, std::ptrdiff_t at) { to.data[at] = typename To::value_type(from.data[k]); });
    }
    template <class T, int R>
    static array_ref<T const, R> as_constant(array_ref<T, R> const& a) { return {a.data, a.shape, a.stride}; }
    // f of the operation, if it holds anything, and of x.
    template <class F, class... X>
    static decltype(auto) with([[maybe_unused]] operation const& o, F f, X const&... x) {
        if constexpr (std::is_empty_v<Op>) return f(x...);
        else return f(o.op, x...);
    }
    // f of what comes before the arrays, of the scratch, and of the rest.
    template <class F, class... X>
    static void with_scratch([[maybe_unused]] std::ptrdiff_t* s, F f, X const&... x) {
        if constexpr (!requires { requires inner::has_scratch; }) f(x...);
        else if constexpr (std::is_empty_v<Op>) f(s, x...);
        else [&](auto const& o, auto const&... rest) { f(o, s, rest...); }(x...);
    }
    template <class T, int... A>
    static std::size_t scratch_of_one([[maybe_unused]] operation const& o, [[maybe_unused]] extents<A> const&... a) {
        using L = typename lane_number<T>::type;
        if constexpr (!requires { requires inner::has_scratch; }) return 0;
        else return with(
                 o,
                 [](auto const&... x) {
                     if constexpr (requires { inner::template scratch<L>(x...); }) return inner::template scratch<L>(x...);
                     else return inner::scratch(x...);
                 },
                 a...);
    }
};

}
XGRAD_DETAIL_QUIET_END
