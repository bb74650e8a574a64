// The arithmetic of dual<T> of numbers: + - * /, comparisons, and the parts of complex ones.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include <xgrad/tangent/number_dual.hpp>

// As XGRAD_DETAIL_QUIET_BEGIN of rule/inline.hpp, which this room does not know.
#if defined(__GNUC__) && !defined(__clang__)
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wshadow"
#endif

namespace xgrad {

namespace detail {

// The derivative that an operation on these numbers is about: that of the first dual among them.
template <class... X>
struct outer_level;
template <class X, class... Y>
struct outer_level<X, Y...> : outer_level<Y...> {};
template <class P, std::size_t N, class Tag, class... Y>
struct outer_level<dual<P, N, Tag>, Y...> {
    using tag = Tag;
    static constexpr std::size_t count = N;
};

// A term of a derivative: what f makes of each tangent of x, if x has any.
template <class L, class X, class F>
struct tangent_term {
    X const& x;
    F f;
    static constexpr bool is_there = has_level<typename L::tag, X>;
    constexpr auto at(std::size_t k) const { return f(direction_at<typename L::tag>(x, k)); }
};
template <class L, class X, class F>
constexpr tangent_term<L, X, F> term(X const& x, F f) { return {x, f}; }

// Whether all the tangents of x are in one register, of the type of Y's.
template <class Y, class X>
inline constexpr bool has_native_tangents = false;
template <class Y, std::size_t N, class Tag>
    requires(N != 1)
inline constexpr bool has_native_tangents<Y, dual<Y, N, Tag>> = tangent_vector<Y, N>::is_native;
template <class Y, class Term>
inline constexpr bool is_native_term = false;
template <class Y, class L, class X, class F>
inline constexpr bool is_native_term<Y, tangent_term<L, X, F>> = !has_level<typename L::tag, X> || has_native_tangents<Y, X>;

// The dual of level L with value y, whose tangents are the sums of the terms that are there.
template <class L, class Y, class... Term>
constexpr auto with_tangents(Y const& y, Term const&... term) {
    dual<Y, L::count, typename L::tag> r(y);
    bool first = true;
    if constexpr (L::count != 1 && (is_native_term<Y, Term> && ...)) {
        auto add = [&](auto const& t) {
            if constexpr (std::remove_cvref_t<decltype(t)>::is_there) {
                for (std::size_t c = 0; c < decltype(r.tangent)::chunks; ++c) {
                    typename decltype(r.tangent)::vector const xdot = t.x.tangent.v[c], v = t.f(xdot);
                    r.tangent.v[c] = first ? v : r.tangent.v[c] + v;
                }
                first = false;
            }
        };
        (add(term), ...);
    } else {
        auto add = [&](auto const& t) {
            if constexpr (std::remove_cvref_t<decltype(t)>::is_there) {
                for (std::size_t k = 0; k < L::count; ++k) {
                    Y v = embed<Y>(t.at(k));
                    r.direction(k) = first ? v : Y(r.direction(k) + v);
                }
                first = false;
            }
        };
        (add(term), ...);
    }
    return r;
}

template <class X>
concept dual_operand = is_number_dual<X> || plain_scalar<X> || simd_batch<X>;
template <class A, class B>
concept dual_pair = (is_number_dual<A> && dual_operand<B>) || (is_number_dual<B> && dual_operand<A>);
template <class A, class B, class C>
concept dual_triple = (is_number_dual<A> || is_number_dual<B> || is_number_dual<C>) && dual_operand<A> && dual_operand<B> && dual_operand<C>;
template <class A, class B>
concept ordered_pair = dual_pair<A, B> && !is_complex_number<A> && !is_complex_number<B>;

// An operand as its level's arithmetic takes it: an int becomes the floating-point type, a double beside floats stays a double, as it does without
// derivatives; a real number beside complex ones stays real, and becomes theirs.
template <class Other, class X>
constexpr auto as_operand(X const& x) {
    using T = real_type_t<scalar_of_t<Other>>;
    if constexpr (std::is_floating_point_v<X> && !is_complex_number<Other> && !simd_batch<Other>) return static_cast<std::common_type_t<X, T>>(x);
    else if constexpr (std::is_arithmetic_v<X>) return static_cast<T>(x);
    else if constexpr (is_complex_number<X> && !is_number_dual<X>) return static_cast<std::complex<T>>(x);
    else return x;
}

}

// What is made on the way is not const, here and in kernels: the const defect (rule/inline.hpp).
#define XGRAD_DETAIL_DUAL_OPERATOR(SYMBOL, ...)                                                    \
    template <class A, class B>                                                                    \
        requires detail::dual_pair<A, B>                                                           \
    constexpr auto operator SYMBOL(A const& x1, B const& x2) {                                     \
        auto a = detail::as_operand<B>(x1);                                                        \
        auto b = detail::as_operand<A>(x2);                                                        \
        using L = detail::outer_level<std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>>; \
        [[maybe_unused]] auto p = detail::primal_at<typename L::tag>(a);                           \
        [[maybe_unused]] auto q = detail::primal_at<typename L::tag>(b);                           \
        using Y = decltype(detail::as_value(p SYMBOL q));                                             \
        Y y = p SYMBOL q;                                                                          \
        __VA_ARGS__                                                                                \
    }
namespace detail {
// A batch that an operation on batches gives, whatever the type it gives it by.
template <class Y>
constexpr Y as_value(Y const& y) { return y; }
}
XGRAD_DETAIL_DUAL_OPERATOR(+, return detail::with_tangents<L>(y, detail::term<L>(a, [](auto const& t) { return t; }),
                                                              detail::term<L>(b, [](auto const& t) { return t; }));)
XGRAD_DETAIL_DUAL_OPERATOR(-, return detail::with_tangents<L>(y, detail::term<L>(a, [](auto const& t) { return t; }),
                                                              detail::term<L>(b, [](auto const& t) { return detail::as_value(-t); }));)
XGRAD_DETAIL_DUAL_OPERATOR(*, return detail::with_tangents<L>(y, detail::term<L>(a, [&](auto const& t) { return detail::as_value(t * q); }),
                                                              detail::term<L>(b, [&](auto const& t) { return detail::as_value(p * t); }));)
XGRAD_DETAIL_DUAL_OPERATOR(/, auto r = detail::as_value(std::remove_const_t<decltype(q)>(scalar_of_t<std::remove_const_t<decltype(q)>>(1)) / q);
                           return detail::with_tangents<L>(y, detail::term<L>(a, [&](auto const& t) { return detail::as_value(t * r); }),
                                                           detail::term<L>(b, [&](auto const& t) { return detail::as_value(-(y * t) * r); }));)
#undef XGRAD_DETAIL_DUAL_OPERATOR

template <number_dual A>
constexpr A operator-(A const& a) {
    A r(typename A::primal_type(-a.primal));
    for (std::size_t k = 0; k < A::count; ++k) r.direction(k) = -a.direction(k);
    return r;
}
template <number_dual A>
constexpr A operator+(A const& a) { return a; }

namespace detail {

// The dual of what a linear f makes of the value and of each tangent.
template <number_dual A, class F>
constexpr auto each_part(A const& a, F f) {
    dual<std::remove_const_t<decltype(f(a.primal))>, A::count, typename A::tag> r(f(a.primal));
    for (std::size_t k = 0; k < A::count; ++k) r.direction(k) = f(a.direction(k));
    return r;
}
template <number_dual A>
    requires is_complex_number<A>
constexpr A conjugate(A const& a) {
    return each_part(a, [](auto const& v) { return conjugate(v); });
}
template <number_dual A>
    requires is_complex_number<A>
constexpr auto real_part(A const& a) {
    return each_part(a, [](auto const& v) { return real_part(v); });
}
template <number_dual A>
    requires is_complex_number<A>
constexpr auto imaginary_part(A const& a) {
    return each_part(a, [](auto const& v) { return imaginary_part(v); });
}
template <number_dual A>
constexpr auto from_parts(A const& re, A const& im) {
    using P = decltype(from_parts(re.primal, im.primal));
    dual<P, A::count, typename A::tag> r(from_parts(re.primal, im.primal));
    for (std::size_t k = 0; k < A::count; ++k) r.direction(k) = from_parts(re.direction(k), im.direction(k));
    return r;
}

}

namespace detail {
// The floating-point number (or batch) under all derivatives.
template <class X>
constexpr auto innermost_primal(X const& x) {
    if constexpr (is_number_dual<X>) return innermost_primal(x.primal);
    else return x;
}
}

// Values are compared, not tangents.
#define XGRAD_DETAIL_DUAL_COMPARISON(SYMBOL, PAIR) \
    template <class A, class B> \
        requires detail::PAIR<A, B> \
    constexpr auto operator SYMBOL(A const& a, B const& b) { \
        return detail::innermost_primal(detail::as_operand<B>(a)) SYMBOL detail::innermost_primal(detail::as_operand<A>(b)); \
    }
XGRAD_DETAIL_DUAL_COMPARISON(<, ordered_pair)
XGRAD_DETAIL_DUAL_COMPARISON(<=, ordered_pair)
XGRAD_DETAIL_DUAL_COMPARISON(>, ordered_pair)
XGRAD_DETAIL_DUAL_COMPARISON(>=, ordered_pair)
XGRAD_DETAIL_DUAL_COMPARISON(==, dual_pair)
XGRAD_DETAIL_DUAL_COMPARISON(!=, dual_pair)
#undef XGRAD_DETAIL_DUAL_COMPARISON

}  // namespace xgrad

#if defined(__GNUC__) && !defined(__clang__)
#    pragma GCC diagnostic pop
#endif
