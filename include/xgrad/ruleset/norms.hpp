// Defines the Euclidean norm as a reduction, without overflow, and the operations that other norms are made of.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/ruleset/scalar.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct norm_l2 {};

// sqrt(x) as the length of a vector takes it: its derivative at 0 is 0.
struct length {
    static constexpr char const* name = "sqrt(x)";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return sqrt{}(x); }
    XGRAD_DETAIL_OF_DUALS(length)
};
// |x|^p, likewise; and sign(x) |x|^p, which has its derivative.
struct absolute_power {
    static constexpr char const* name = "pow(abs(x), p)";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x, bare_number auto const& p) const { return pow{}(abs{}(x), p); }
    XGRAD_DETAIL_OF_DUALS(absolute_power)
};
struct signed_power {
    static constexpr char const* name = "sign(x) pow(abs(x), p)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& x, P const& p) const {
        // no 0 to a power below 1
        auto const y = pow{}(abs{}(x), p);
        return choose(x < zero(x), P(-y), choose(x == zero(x), x, y));
    }
    XGRAD_DETAIL_OF_DUALS(signed_power)
};
}

template <>
inline constexpr auto partials<op::length> = [](auto y, auto) { return partial(choose(y == zero(y), zero(y), literal(y, 0.5) / y)); };
template <>
inline constexpr auto partials<op::absolute_power> = [](auto, auto x, auto p) { return partial(p * op::signed_power{}(x, p - one(p)), zero(x)); };
// at 0 it is 0 for p < 1, too, where it does not exist
template <>
inline constexpr auto partials<op::signed_power> = [](auto, auto x, auto p) {
    auto const at_zero = choose(p == one(p), one(x), zero(x));
    return partial(choose(x == zero(x), at_zero, p * op::absolute_power{}(x, p - one(p))), zero(x));
};

// y = sqrt(Σ x²);   x̄ = x ȳ / y, and 0 where y is 0. Where squares overflow or are lost, y is that of c x, divided by c: J. L. Blue, "A Portable Fortran
// Program to Find the Euclidean Norm of a Vector", 1978.
namespace detail {
struct scaled_norm_l2 {
    static constexpr bool linear = false, sums = true;
    template <class T>
    static constexpr T identity() { return T(0); }
    XGRAD_DETAIL_INLINE static constexpr auto combine(auto const& a, auto const& b) { return a + b; }
    template <class P>
    XGRAD_DETAIL_INLINE static constexpr P map(P const& x, P const& c) {
        P const v = c * x;
        return v * v;
    }
};
}
template <>
struct reduction<op::norm_l2> : detail::scaled_norm_l2 {
    using scaled = detail::scaled_norm_l2;
    template <class P>
    XGRAD_DETAIL_INLINE static constexpr P map(P const& x) { return x * x; }
    template <class T>
    static T scale(T const& s) {
        using limits = std::numeric_limits<scalar_of_t<T>>;
        constexpr int exponent = limits::max_exponent / 5 * 4;
        if (s > T(limits::max())) [[unlikely]] return T(std::ldexp(scalar_of_t<T>(1), -exponent));
        if (s < T(limits::min() / limits::epsilon())) [[unlikely]] return T(std::ldexp(scalar_of_t<T>(1), exponent));
        return T(1);
    }
    template <class T>
    static T finish(T const& s, std::size_t) { return op::length{}(s); }
    XGRAD_DETAIL_INLINE static constexpr auto partial(auto const&, auto const& x, std::size_t) { return x; }
    template <class P>
    XGRAD_DETAIL_INLINE static P weight(P const& y, P const& ybar) { return choose(y == zero(y), zero(y), P(ybar / y)); }
    static constexpr void check(std::size_t) {}
};

}
XGRAD_DETAIL_QUIET_END
