// dual<P>: a value and one tangent of it: what a forward rule takes and gives; for numbers a number: dual<T, N> has N tangents, and computes.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/tangent/tangent_type.hpp>

// g++ takes a parameter for the namesake of what a user declares after the include.
#if defined(__GNUC__) && !defined(__clang__)
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wshadow"
#endif

namespace xgrad {

// The tangent has the form of the primal (its shape, its keys, what is there of it).
template <class P, std::size_t N = 1, class Tag = void>
struct dual {
    static_assert(N == 1, "xgrad: dual<P, N> with several tangents requires a number P");
    using primal_type = P;
    P primal;
    [[no_unique_address]] tangent_type_t<P> tangent;
};
template <class P, class T>
dual(P, T) -> dual<P>;

// A dual that computes: its primal is a floating-point or complex number, a SIMD batch, or a dual of another derivative.
template <class X>
concept number_dual = is_number_dual<std::remove_cvref_t<X>>;

namespace detail {

template <class T>
concept simd_batch = requires { typename T::batch_bool_type; };

template <class T>
concept dual_base = std::is_floating_point_v<T> || is_complex_number<T> || simd_batch<T> || is_number_dual<T>;

// The floating-point or complex type inside.
template <class T>
struct scalar_in { using type = T; };
template <simd_batch T>
struct scalar_in<T> { using type = typename T::value_type; };
template <class P, std::size_t N, class Tag>
struct scalar_in<dual<P, N, Tag>> : scalar_in<P> {};

// The tangents of a dual with several.
template <class T, std::size_t N>
struct tangent_vector {
    static constexpr bool is_native = false;
    std::array<T, N> d{};
    constexpr T& operator[](std::size_t k) { return d[k]; }
    constexpr T const& operator[](std::size_t k) const { return d[k]; }
};
// Of numbers they are in as few vector registers as the processor has for them.
#if defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON))
#    if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#    elif defined(__AVX__)
inline constexpr std::size_t register_bytes = 32;
#    else
inline constexpr std::size_t register_bytes = 16;
#    endif
template <class T, std::size_t N>
    requires((std::is_same_v<T, double> || std::is_same_v<T, float>) && (N == 2 || N == 4 || N == 8 || N == 16))
struct tangent_vector<T, N> {
    static constexpr bool is_native = true;
    static constexpr std::size_t bytes = N * sizeof(T) < register_bytes ? N * sizeof(T) : register_bytes, chunks = N * sizeof(T) / bytes;
    typedef T vector __attribute__((vector_size(bytes)));
    typedef T stored __attribute__((vector_size(bytes), aligned(alignof(T))));
    stored v[chunks]{};
    T& operator[](std::size_t k) { return reinterpret_cast<T*>(v)[k]; }
    T const& operator[](std::size_t k) const { return reinterpret_cast<T const*>(v)[k]; }
};
#endif
template <class T, std::size_t N>
struct tangent_of_dual { using type = tangent_vector<T, N>; };
template <class T>
struct tangent_of_dual<T, 1> { using type = T; };

template <class T>
constexpr T nothing() { return T(typename scalar_in<T>::type(0)); }

// The k-th tangent.
template <class T, std::size_t N>
constexpr T& tangent_at(tangent_vector<T, N>& t, std::size_t k) { return t[k]; }
template <class T, std::size_t N>
constexpr T const& tangent_at(tangent_vector<T, N> const& t, std::size_t k) { return t[k]; }
template <class T>
constexpr T& tangent_at(T& t, std::size_t) { return t; }

struct absent_tangent {};

template <class T, class U>
constexpr T embed(U const& u);

}

// The floating-point or complex type of a number: of a dual, of a SIMD batch, of itself.
template <class T>
using scalar_of_t = typename detail::scalar_in<T>::type;

namespace detail {
template <class P, std::size_t N, class Tag>
inline constexpr bool is_complex_number<dual<P, N, Tag>> = is_complex_number<P>;
template <class P, std::size_t N, class Tag>
    requires is_complex_number<P>
struct real_type<dual<P, N, Tag>> { using type = dual<real_type_t<P>, N, Tag>; };
}

template <class P, std::size_t N, class Tag>
    requires detail::dual_base<P>
inline constexpr bool is_number_dual<dual<P, N, Tag>> = true;

// primal + Σ tangent[k] e[k], with e[i] e[j] = 0. Tag tells the derivatives apart that are nested in each other: e of one is a constant of the other.
template <detail::dual_base P, std::size_t N, class Tag>
struct dual<P, N, Tag> {
    using primal_type = P;
    using tangent_type = typename detail::tangent_of_dual<P, N>::type;
    using scalar_type = scalar_of_t<P>;
    using tag = Tag;
    static constexpr std::size_t count = N;

    P primal;
    tangent_type tangent;

    constexpr dual() : primal(detail::nothing<P>()), tangent(no_tangents()) {}
    // A constant.
    constexpr dual(P const& x) : primal(x), tangent(no_tangents()) {}
    template <class A>
        requires((std::is_arithmetic_v<A> || std::same_as<A, scalar_type>) && !std::same_as<A, P>)
    constexpr dual(A x) : primal(static_cast<scalar_type>(x)), tangent(no_tangents()) {}
    constexpr dual(P const& x, tangent_type const& xdot) : primal(x), tangent(xdot) {}
    // A number of other derivatives.
    template <number_dual U>
        requires(!std::same_as<U, dual> && !std::same_as<U, P>)
    constexpr explicit dual(U const& x) : dual(detail::embed<dual>(x)) {}

    constexpr dual(dual const&) = default;
    constexpr dual& operator=(dual const&) = default;
    // Batches are copied one by one: a compiler that copies both as one piece of memory keeps them there, and not in registers.
    constexpr dual(dual const& o)
        requires detail::simd_batch<P>
        : primal(o.primal), tangent(o.tangent) {}
    constexpr dual& operator=(dual const& o)
        requires detail::simd_batch<P>
    {
        primal = o.primal;
        tangent = o.tangent;
        return *this;
    }

    constexpr P& direction(std::size_t k) { return detail::tangent_at(tangent, k); }
    constexpr P const& direction(std::size_t k) const { return detail::tangent_at(tangent, k); }

    template <class B>
    constexpr dual& operator+=(B const& b) { return *this = dual(*this + b); }
    template <class B>
    constexpr dual& operator-=(B const& b) { return *this = dual(*this - b); }
    template <class B>
    constexpr dual& operator*=(B const& b) { return *this = dual(*this * b); }
    template <class B>
    constexpr dual& operator/=(B const& b) { return *this = dual(*this / b); }

    // real(z) finds these by its argument, as xgrad::real is the result type.
    friend constexpr auto real(dual const& z) {
        using std::real;
        dual<decltype(real(z.primal)), N, Tag> r(real(z.primal));
        for (std::size_t k = 0; k < N; ++k) r.direction(k) = real(z.direction(k));
        return r;
    }
    friend constexpr auto imag(dual const& z) {
        using std::imag;
        dual<decltype(imag(z.primal)), N, Tag> r(imag(z.primal));
        for (std::size_t k = 0; k < N; ++k) r.direction(k) = imag(z.direction(k));
        return r;
    }

private:
    static constexpr tangent_type no_tangents() {
        if constexpr (N == 1) return detail::nothing<P>();
        else if constexpr (tangent_type::is_native) return {};
        else {
            tangent_type t;
            for (std::size_t k = 0; k < N; ++k) t[k] = detail::nothing<P>();
            return t;
        }
    }
};

namespace detail {

// Whether a number has tangents of the derivative Tag, at any depth.
template <class Tag, class X>
inline constexpr bool has_level = false;
template <class Tag, class P, std::size_t N, class Own>
inline constexpr bool has_level<Tag, dual<P, N, Own>> = std::is_same_v<Tag, Own> || has_level<Tag, P>;

// Without the tangents of Tag.
template <class Tag, class X>
constexpr auto primal_at(X const& x) {
    if constexpr (!has_level<Tag, X>) return x;
    else if constexpr (std::is_same_v<Tag, typename X::tag>) return x.primal;
    else {
        using P = std::remove_const_t<decltype(primal_at<Tag>(x.primal))>;
        dual<P, X::count, typename X::tag> r(primal_at<Tag>(x.primal));
        for (std::size_t k = 0; k < X::count; ++k) r.direction(k) = primal_at<Tag>(x.direction(k));
        return r;
    }
}
// The k-th tangent of Tag.
template <class Tag, class X>
constexpr auto direction_at(X const& x, std::size_t k) {
    static_assert(has_level<Tag, X>);
    if constexpr (std::is_same_v<Tag, typename X::tag>) return x.direction(k);
    else {
        using P = std::remove_const_t<decltype(direction_at<Tag>(x.primal, k))>;
        dual<P, X::count, typename X::tag> r(direction_at<Tag>(x.primal, k));
        for (std::size_t j = 0; j < X::count; ++j) r.direction(j) = direction_at<Tag>(x.direction(j), k);
        return r;
    }
}

// T from a number that has no derivatives but those of T.
template <class T, class U>
constexpr T embed(U const& u) {
    if constexpr (std::is_same_v<T, U>) return u;
    else if constexpr (!is_number_dual<T>) {
        if constexpr (std::is_arithmetic_v<U>) return T(static_cast<scalar_of_t<T>>(u));
        else return T(u);
    } else {
        using P = typename T::primal_type;
        if constexpr (!has_level<typename T::tag, U>) return T(embed<P>(u));
        else {
            T r(embed<P>(primal_at<typename T::tag>(u)));
            for (std::size_t k = 0; k < T::count; ++k) r.direction(k) = embed<P>(direction_at<typename T::tag>(u, k));
            return r;
        }
    }
}

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
template <class A, class B>
concept ordered_pair = dual_pair<A, B> && !is_complex_number<A> && !is_complex_number<B>;

// An operand as its level's arithmetic takes it: an int becomes the floating-point type; a real number beside complex ones stays real.
template <class Other, class X>
constexpr auto as_operand(X const& x) {
    using T = real_type_t<scalar_of_t<Other>>;
    if constexpr (std::is_arithmetic_v<X>) return static_cast<T>(x);
    else if constexpr (is_complex_number<X> && !is_number_dual<X>) return static_cast<std::complex<T>>(x);
    else return x;
}

}

// What is made on the way is not const, here and in kernels: g++ keeps const variables of class type in memory, and not in registers.
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
