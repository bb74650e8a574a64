// Defines the rule of op::stacked<Op>: an operation on matrices for each matrix in the last two axes of its operands, whose axes before them broadcast.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/ruleset/along_lines.hpp>
#include <xgrad/ruleset/linalg/dense.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Op takes one matrix, and has a number, a line or a matrix of each; or two, like solve(A, b), and has a vector of a vector and a matrix of a matrix. There a
// vector is the second one of every first.
namespace op {
template <class Op>
struct stacked {
    static constexpr bool may_throw = true;
    [[no_unique_address]] Op op;
};
}

namespace linalg::detail {

// The extents, and the strides, of the last C axes, and those of the axes before.
template <int C, int R, class I>
extents<C, I> last_axes(extents<R, I> const& s) {
    extents<C, I> c{};
    for (int d = 0; d < C; ++d) c[d] = s[s.rank() - C + d];
    return c;
}
template <int R, class I>
extents<dynamic_rank, I> axes_before(extents<R, I> const& s, int last) {
    extents<dynamic_rank, I> b{};
    b.set_rank(s.rank() - last);
    for (int d = 0; d < b.rank(); ++d) b[d] = s[d];
    return b;
}
// How the axes before the last ones of an array go through a stack that they broadcast to.
template <int R>
strides<dynamic_rank> steps_in_stack(extents<dynamic_rank> const& stack, extents<R> const& s, strides<R> const& t, int last) {
    strides<dynamic_rank> steps{};
    steps.set_rank(stack.rank());
    int const lead = stack.rank() - (s.rank() - last);
    for (int d = lead; d < stack.rank(); ++d) steps[d] = s[d - lead] == 1 ? 0 : t[d - lead];
    return steps;
}
template <int C, class T, int R>
array_ref<T, C> last_part(array_ref<T, R> const& a, std::ptrdiff_t at) {
    return {a.data + at, last_axes<C>(a.shape), last_axes<C>(a.stride)};
}
// A matrix, or a vector as one of one column.
template <class T, int R>
dense<T> matrix_or_column(array_ref<T, R> const& a, std::ptrdiff_t at, bool is_vector) {
    if constexpr (R == 1) return as_matrix(array_ref<T, 1>{a.data + at, a.shape, a.stride});
    else return is_vector ? as_matrix(last_part<1>(a, at)) : last_part<2>(a, at);
}

}

template <class Op> inline constexpr bool takes_complex<op::stacked<Op>> = takes_complex<Op>;
template <class Op>
struct array_rule<op::stacked<Op>> {
    using inner = array_rule<Op>;
    static constexpr bool has_scratch = inner::has_scratch;

    template <int A, int... B>
    static constexpr int rank = [] {
        if constexpr (A == dynamic_rank || ((B == dynamic_rank) || ...)) return dynamic_rank;
        else if constexpr (sizeof...(B) == 0) return A - 2 + inner::template rank<2>;
        else if constexpr (((B == 1) && ...)) return A - 1;
        else return std::max({A, B...});
    }();

    // ---- of one operand

    template <int A>
    static extents<rank<A>> shape(op::stacked<Op> const& o, extents<A> const& a) {
        auto const shape_of = [&](auto const& s) { return with(o, [](auto const&... x) { return inner::shape(x...); }, s); };
        if (a.rank() < 2) (void)shape_of(linalg::detail::axes_before(a, 0));
        auto const part = shape_of(linalg::detail::last_axes<2>(a));
        extents<rank<A>> y{};
        y.set_rank(a.rank() - 2 + part.rank());
        for (int d = 0; d < a.rank() - 2; ++d) y[d] = a[d];
        for (int d = 0; d < part.rank(); ++d) y[a.rank() - 2 + d] = part[d];
        return y;
    }
    template <int A>
    static std::size_t scratch(op::stacked<Op> const& o, extents<A> const& a) {
        return scratch_of_one(o, a) * element_count(linalg::detail::axes_before(a, 2));
    }
    template <class T, int Y, class S, int A>
    static void value(op::stacked<Op> const& o, std::ptrdiff_t* s, array_ref<T, Y> const& y, array_ref<S, A> const& a) {
        using namespace linalg::detail;
        std::size_t const each = scratch_of_one(o, a.shape);
        over(a, y, [&](std::ptrdiff_t at_a, std::ptrdiff_t at_y) {
            with(o, [](auto const&... x) { inner::value(x...); }, s, last_part<own>(y, at_y), last_part<2>(a, at_a));
            s += each;
        });
    }
    template <int I, class T, int A, class G, int Y, class S>
    static void pullback(op::stacked<Op> const& o, std::ptrdiff_t* s, array_ref<T, A> const& xbar, bool add, array_ref<G, Y> const& ybar,
                         array_ref<G, Y> const& y, array_ref<S, A> const& a) noexcept {
        using namespace linalg::detail;
        std::size_t const each = scratch_of_one(o, a.shape);
        auto const stack = axes_before(a.shape, 2);
        xgrad::detail::for_each_line<dynamic_rank, 4>(
            0, stack, {axes_before(a.stride, 2), axes_before(xbar.stride, 2), axes_before(y.stride, own), axes_before(ybar.stride, own)}, [&](auto const& at) {
                with(o, [](auto const&... x) { inner::template pullback<0>(x...); }, s, last_part<2>(xbar, at[1]), add, last_part<own>(ybar, at[3]),
                     last_part<own>(y, at[2]), last_part<2>(a, at[0]));
                s += each;
            });
    }
    // Of an operation that holds nothing.
    template <int A>
    static auto shape(extents<A> const& a) { return shape(op::stacked<Op>{}, a); }
    template <int A>
    static std::size_t scratch(extents<A> const& a) { return scratch(op::stacked<Op>{}, a); }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) { value(op::stacked<Op>{}, s, y, a); }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        pullback<I>(op::stacked<Op>{}, s, xbar, add, ybar, y, a);
    }

    // ---- of two

    template <int A, int B>
    static extents<rank<A, B>> shape(extents<A> const& a, extents<B> const& b) {
        using namespace linalg::detail;
        extents<rank<A, B>> y{};
        if (a.rank() < 2 || b.rank() < 1) (void)inner::shape(axes_before(a, 0), axes_before(b, 0));
        int const last = b.rank() == 1 ? 1 : 2;
        auto const matrix = last_axes<2>(a);
        auto const part = last == 1 ? axes_before(inner::shape(matrix, last_axes<1>(b)), 0) : axes_before(inner::shape(matrix, last_axes<2>(b)), 0);
        auto const stack = common_stack(a, b);
        y.set_rank(stack.rank() + last);
        for (int d = 0; d < stack.rank(); ++d) y[d] = stack[d];
        for (int d = 0; d < last; ++d) y[stack.rank() + d] = part[d];
        return y;
    }
    template <int A, int B>
    static std::size_t scratch(extents<A> const& a, extents<B> const& b) {
        return each_scratch(a, b) * element_count(common_stack(a, b));
    }
    template <class T, int Y, class S, int A, class U, int B>
    static void value(std::ptrdiff_t* s, array_ref<T, Y> const& y, array_ref<S, A> const& a, array_ref<U, B> const& b) {
        using namespace linalg::detail;
        bool const v = b.shape.rank() == 1;
        std::size_t const each = each_scratch(a.shape, b.shape);
        auto const stack = axes_before(y.shape, v ? 1 : 2);
        xgrad::detail::for_each_line<dynamic_rank, 3>(
            0, stack, {axes_before(y.stride, v ? 1 : 2), steps_in_stack(stack, a.shape, a.stride, 2), steps_in_stack(stack, b.shape, b.stride, v ? 1 : 2)},
            [&](auto const& at) {
                inner::value(s, matrix_or_column(y, at[0], v), last_part<2>(a, at[1]), matrix_or_column(b, at[2], v));
                s += each;
            });
    }
    template <int I, class T, int X, class G, int Y, class S, int A, class U, int B>
    static void pullback(std::ptrdiff_t* s, array_ref<T, X> const& xbar, bool add, array_ref<G, Y> const& ybar, array_ref<G, Y> const& y,
                         array_ref<S, A> const& a, array_ref<U, B> const& b) noexcept {
        using namespace linalg::detail;
        bool const v = b.shape.rank() == 1;
        int const last = v ? 1 : 2, last_of_x = I == 0 ? 2 : last;
        std::size_t const each = each_scratch(a.shape, b.shape);
        auto const stack = axes_before(y.shape, last);
        // one matrix for several of the stack: all of them add to it
        if (element_count(axes_before(xbar.shape, last_of_x)) != element_count(stack) && !add) {
            xgrad::detail::for_each_line<X, 1>(0, xbar.shape, {xbar.stride}, [&](auto const& at) { xbar.data[at[0]] = T(0); });
            add = true;
        }
        xgrad::detail::for_each_line<dynamic_rank, 5>(
            0, stack,
            {axes_before(y.stride, last), steps_in_stack(stack, a.shape, a.stride, 2), steps_in_stack(stack, b.shape, b.stride, last),
             steps_in_stack(stack, xbar.shape, xbar.stride, last_of_x), axes_before(ybar.stride, last)},
            [&](auto const& at) {
                inner::template pullback<I>(s, matrix_or_column(xbar, at[3], v && I == 1), add, matrix_or_column(ybar, at[4], v),
                                            matrix_or_column(y, at[0], v), last_part<2>(a, at[1]), matrix_or_column(b, at[2], v));
                s += each;
            });
    }

private:
    // the axes of one result
    static constexpr int own = [] {
        if constexpr (requires { inner::template rank<2>; }) return inner::template rank<2>;
        else return 2;
    }();
    // f of the operation, if it holds anything, and of x.
    template <class F, class... X>
    static decltype(auto) with([[maybe_unused]] op::stacked<Op> const& o, F f, X const&... x) {
        if constexpr (std::is_empty_v<Op>) return f(x...);
        else return f(o.op, x...);
    }
    template <int A>
    static std::size_t scratch_of_one(op::stacked<Op> const& o, extents<A> const& a) {
        return with(o, [](auto const&... x) { return inner::scratch(x...); }, linalg::detail::last_axes<2>(a));
    }
    template <int A, class B>
    static std::size_t each_scratch(extents<A> const& a, B const& b) {
        return inner::scratch(linalg::detail::last_axes<2>(a), matrix_extents(b));
    }
    template <int B>
    static extents<2> matrix_extents(extents<B> const& b) {
        if (b.rank() == 1) return {{b[0], 1}};
        return {{b[b.rank() - 2], b[b.rank() - 1]}};
    }
    template <class S, int A, class T, int Y, class F>
    static void over(array_ref<S, A> const& a, array_ref<T, Y> const& y, F f) {
        using namespace linalg::detail;
        xgrad::detail::for_each_line<dynamic_rank, 2>(0, axes_before(a.shape, 2), {axes_before(a.stride, 2), axes_before(y.stride, own)},
                                                      [&](auto const& at) { f(at[0], at[1]); });
    }
    template <int A, int B>
    static extents<dynamic_rank> common_stack(extents<A> const& a, extents<B> const& b) {
        auto const p = linalg::detail::axes_before(a, 2), q = linalg::detail::axes_before(b, b.rank() == 1 ? 1 : 2);
        auto const& more = p.rank() < q.rank() ? q : p;
        auto const& less = p.rank() < q.rank() ? p : q;
        auto s = more;
        for (int d = 0, lead = more.rank() - less.rank(); d < less.rank(); ++d) {
            auto& n = s[lead + d];
            if (n == 1) n = less[d];
            else if (less[d] != 1 && less[d] != n)
                throw std::invalid_argument("xgrad[E201]: solve(A, b) requires stacks of matrices whose axes before the last two broadcast, found " +
                                            to_string(a) + " and " + to_string(b) + ": reshape one of them");
        }
        return s;
    }
};

}
XGRAD_DETAIL_QUIET_END
