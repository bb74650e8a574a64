// dual<T> of a number T: a number that computes, with one tangent or several; its type, and the way in and out of nested ones.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <xgrad/tangent/dual.hpp>

// As XGRAD_DETAIL_QUIET_BEGIN of rule/inline.hpp, which this room does not know.
#if defined(__GNUC__) && !defined(__clang__)
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wshadow"
#endif

namespace xgrad {

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
    // Batches are copied one by one: copied as one piece of memory, they would stay there.
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

}

}

#if defined(__GNUC__) && !defined(__clang__)
#    pragma GCC diagnostic pop
#endif
