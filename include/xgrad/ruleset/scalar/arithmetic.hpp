// Defines the operations of arithmetic: sums, products, quotients, remainders and whole powers.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/rounding.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

// `cost`: how many times as long as a sum an operation takes, where that is short.
struct plus {
    static constexpr char const* name = "a + b";
    static constexpr int cost = 1;
    static constexpr bool linear(bool, bool) { return true; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a + b; }
};
struct minus {
    static constexpr char const* name = "a - b";
    static constexpr int cost = 1;
    static constexpr bool linear(bool, bool) { return true; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a - b; }
};
struct times {
    static constexpr char const* name = "a * b";
    static constexpr int cost = 1;
    static constexpr bool linear(bool a, bool b) { return !(a && b); }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a * b; }
};
struct divide {
    static constexpr char const* name = "a / b";
    static constexpr int cost = 2;
    static constexpr bool linear(bool, bool b) { return !b; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a / b; }
    // a / b of one number b in all lanes and many a: a product with 1 / b, which rounding makes at most one unit in the last place another number than a / b,
    // as long as 1 / b is a normal number.
    template <batch P>
    class by_same {
    public:
        XGRAD_DETAIL_INLINE explicit by_same(P const& b) : b_(b), reciprocal_(P(1) / b), multiplies_(has_normal_reciprocal(b)) {}
        XGRAD_DETAIL_INLINE P operator()(P const& a) const { return multiplies_ ? P(a * reciprocal_) : P(a / b_); }
        // of y = a / b
        XGRAD_DETAIL_INLINE auto partials(P const& y, P const&) const { return partial(reciprocal_, P(-y * reciprocal_)); }

    private:
        P b_, reciprocal_;
        bool multiplies_;
    };
    // One number a and many b: 1 / b is y / a, so the partials take no division. Of a small a, y would lose digits before 1 / b does.
    template <batch P>
    class of_same {
    public:
        XGRAD_DETAIL_INLINE explicit of_same(P const& a)
            : a_(a), reciprocal_(P(1) / a), multiplies_(has_normal_reciprocal(a) && std::abs(a.get(0)) >= lane_type_t<P>(0.001)) {}
        XGRAD_DETAIL_INLINE P operator()(P const& b) const { return a_ / b; }
        XGRAD_DETAIL_INLINE auto partials(P const& y, P const& b) const {
            P const r = multiplies_ ? P(y * reciprocal_) : P(P(1) / b);
            return partial(r, P(-y * r));
        }

    private:
        P a_, reciprocal_;
        bool multiplies_;
    };

private:
    template <batch P>
    XGRAD_DETAIL_INLINE static bool has_normal_reciprocal(P const& x) {
        using limits = std::numeric_limits<lane_type_t<P>>;
        auto const size = std::abs(x.get(0));
        return size >= 4 * limits::min() && size <= limits::max() / 4;
    }
};
struct negate {
    static constexpr char const* name = "-x";
    static constexpr int cost = 1;
    static constexpr bool linear(bool) { return true; }
    template <class P>
    XGRAD_DETAIL_INLINE constexpr auto operator()(P const& x) const {
        // on AVX-512 xsimd takes x from 0, and 0 has the wrong sign
        if constexpr (batch<P>) return P(x ^ P(xgrad::lane_type_t<P>(-0.0)));
        else return -x;
    }
};
struct square {
    static constexpr char const* name = "square(x)";
    static constexpr int cost = 1;
    static constexpr bool linear(bool a) { return !a; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& x) const { return x * x; }
};
struct cube {
    static constexpr char const* name = "cube(x)";
    static constexpr bool linear(bool a) { return !a; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& x) const { return x * x * x; }
};
// x to the power N, an std::integral_constant above 0, by multiplications.
template <class N>
struct power {
    static constexpr char const* name = "pow<N>(x)";
    template <class P>
    XGRAD_DETAIL_INLINE constexpr P operator()(P const& x) const {
        if constexpr (N::value == 1) return x;
        else {
            P const half = power<std::integral_constant<std::size_t, N::value / 2>>{}(x);
            if constexpr (N::value % 2 == 0) return half * half;
            else return half * half * x;
        }
    }
};
// a b + c, rounded once: lane by lane, as the batch form rounds twice where xsimd knows no instruction. Compilers make one of it.
struct fma {
    static constexpr char const* name = "fma(a, b, c)";
    static constexpr bool linear(bool a, bool b, bool) { return !(a && b); }
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& a, P const& b, P const& c) const {
        return each_lane([](auto u, auto v, auto w) { return std::fma(u, v, w); }, a, b, c);
    }
    XGRAD_DETAIL_OF_DUALS(fma)
};
// As std::lerp: exact at both ends, and between them for a = b. Lane by lane.
struct lerp {
    static constexpr char const* name = "lerp(a, b, t)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& a, P const& b, P const& t) const {
        return each_lane([](auto u, auto v, auto w) { return std::lerp(u, v, w); }, a, b, t);
    }
    XGRAD_DETAIL_OF_DUALS(lerp)
};
XGRAD_DETAIL_LANE_FUNCTION(fmod, "fmod(a, b)")
XGRAD_DETAIL_LANE_FUNCTION(remainder, "remainder(a, b)")

}

// y = op(x...)                               (dy/dx, ...)
template <> inline constexpr auto partials<op::plus>      = [](auto y, auto,   auto)         { return partial(one(y), one(y)); };
template <> inline constexpr auto partials<op::minus>     = [](auto y, auto,   auto)         { return partial(one(y), -one(y)); };
template <> inline constexpr auto partials<op::times>     = [](auto,   auto a, auto b)       { return partial(b, a); };
template <> inline constexpr auto partials<op::divide>    = [](auto y, auto,   auto b)       { auto r = one(b) / b; return partial(r, -y * r); };
template <> inline constexpr auto partials<op::negate>    = [](auto y, auto)                 { return partial(-one(y)); };
template <> inline constexpr auto partials<op::square>    = [](auto,   auto x)               { return partial(x + x); };
template <> inline constexpr auto partials<op::cube>      = [](auto,   auto x)               { return partial(literal(x, 3.0) * x * x); };
template <> inline constexpr auto partials<op::fma>       = [](auto y, auto a, auto b, auto) { return partial(b, a, one(y)); };
template <> inline constexpr auto partials<op::lerp>      = [](auto y, auto a, auto b, auto t) { return partial(one(y) - t, t, b - a); };
// y = a - n b with a whole number n, which does not change nearby
template <>
inline constexpr auto partials<op::fmod> = [](auto y, auto a, auto b) { return partial(one(y), [=] { return op::nearbyint{}((y - a) / b); }); };
template <>
inline constexpr auto partials<op::remainder> = [](auto y, auto a, auto b) { return partial(one(y), [=] { return op::nearbyint{}((y - a) / b); }); };
template <class N> inline constexpr auto partials<op::power<N>> = [](auto y, auto x) {
    if constexpr (N::value == 1) return partial(one(y));
    else return partial(literal(x, static_cast<double>(N::value)) * op::power<std::integral_constant<std::size_t, N::value - 1>>{}(x));
};

}
XGRAD_DETAIL_QUIET_END
