// Defines how the functor of an operation is written: by a function with a right SIMD form, or lane by lane, and by its partials for duals.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

// The same functor for duals: its values and its partials.
#define XGRAD_DETAIL_OF_DUALS(NAME)                                                                                        \
    template <class... X>                                                                                                  \
        requires(number_dual<X> || ...)                                                                                    \
    XGRAD_DETAIL_INLINE auto operator()(X const&... x) const { return lift<NAME>(x...); }
// A function whose batch form is right within 4 units in the last place, at every special point too.
#define XGRAD_DETAIL_BATCH_FUNCTION(NAME, TEXT)                           \
    struct NAME {                                                         \
        static constexpr char const* name = TEXT;                         \
        static constexpr bool is_long = true;                             \
        XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { \
            using std::NAME;                                              \
            return NAME(x);                                               \
        }                                                                 \
        XGRAD_DETAIL_OF_DUALS(NAME)                                       \
    };
// One that has a form for packs of the library's own, detail::pack_NAME, and for numbers that of a namespace.
#define XGRAD_DETAIL_PACK_FUNCTION(NAME, TEXT, OF_NUMBERS)           \
    struct NAME {                                                    \
        static constexpr char const* name = TEXT;                    \
        static constexpr bool is_long = true;                        \
        template <bare_number P>                                     \
        XGRAD_DETAIL_INLINE auto operator()(P const& x) const {      \
            using OF_NUMBERS::NAME;                                  \
            if constexpr (batch<P>) return detail::pack_##NAME(x);   \
            else return NAME(x);                                     \
        }                                                            \
        XGRAD_DETAIL_OF_DUALS(NAME)                                  \
    };
// One whose batch form is not right, or does not exist.
#define XGRAD_DETAIL_LANE_FUNCTION(NAME, TEXT)                                                           \
    struct NAME {                                                                                        \
        static constexpr char const* name = TEXT;                                                        \
        template <bare_number P, std::same_as<P>... Q>                                                   \
        XGRAD_DETAIL_INLINE auto operator()(P const& x, Q const&... y) const {                           \
            using std::NAME;                                                                             \
            if constexpr (batch<P>) return each_lane([](auto... v) { return std::NAME(v...); }, x, y...); \
            else return NAME(x, y...);                                                                   \
        }                                                                                                \
        XGRAD_DETAIL_OF_DUALS(NAME)                                                                      \
    };

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// A number, or a batch of them, that is no dual.
template <class P>
concept bare_number = !number_dual<P>;

namespace detail {

// The constant c as what x is, where a double would not be all of it.
template <class P>
XGRAD_DETAIL_INLINE constexpr P constant(P const&, long double c) { return P(static_cast<xgrad::lane_type_t<P>>(c)); }
template <class P>
XGRAD_DETAIL_INLINE constexpr P not_a_number(P const& x) { return literal(x, std::numeric_limits<double>::quiet_NaN()); }
// a / b, and 0 for 0 / 0 and 0 / NaN. Where a is 0 its tangents are not: they are divided by b.
template <class P>
XGRAD_DETAIL_INLINE P quotient(P const& a, P const& b) {
    // of batches, b != b does not find a NaN everywhere
    auto const none = literal(b, std::numeric_limits<double>::infinity());
    return a / choose(a == zero(a), choose(b == zero(b), none, choose(b == b, b, none)), b);
}
// Whether numbers are less or greater.
template <class P>
concept has_order = requires(P const& p) {
    p < p;
    p > p;
};
// Whether a comparison holds for a number, or in some lane, or in all lanes, of a batch.
template <class M>
XGRAD_DETAIL_INLINE bool any_of(M const& m) {
    if constexpr (std::is_same_v<M, bool>) return m;
    else return xsimd::any(m);
}
template <class M>
XGRAD_DETAIL_INLINE bool all_of(M const& m) {
    if constexpr (std::is_same_v<M, bool>) return m;
    else return xsimd::all(m);
}
// The lanes of packs one by one, where a few of them are none of those that a function of packs is for.
template <class F, class P, std::same_as<P>... Q>
[[gnu::cold, gnu::noinline]] P each_lane_by_call(F f, P const& x, Q const&... y) {
    return each_lane(f, x, y...);
}
// x as a constant.
template <class P>
XGRAD_DETAIL_INLINE P without_tangents(P const& x) {
    if constexpr (number_dual<P>) return embed<P>(innermost_primal(x));
    else return x;
}

// Whether a dual is a constant: none of its tangents, in no lane, is anything but 0.
template <class X>
constexpr bool has_no_tangents(X const& x) {
    if constexpr (!number_dual<X>) return true;
    else {
        auto const is_zero = [](auto const& v) {
            auto const b = innermost_primal(v) == innermost_primal(zero(v));
            if constexpr (std::is_same_v<decltype(b), bool const>) return b && has_no_tangents(v);
            else return xsimd::all(b) && has_no_tangents(v);
        };
        for (std::size_t k = 0; k < X::count; ++k)
            if (!is_zero(x.direction(k))) return false;
        return has_no_tangents(x.primal);
    }
}
// lift<Op>(a, b) where the derivative with respect to a constant need not exist: it is not asked for.
template <class Op, class A, class B>
constexpr auto lift_active(A const& a, B const& b) {
    using D = std::conditional_t<number_dual<A>, A, B>;
    if constexpr (std::is_same_v<A, B>) {
        if (has_no_tangents(b)) return D(lift<Op>(a, innermost_primal(b)));
        if (has_no_tangents(a)) return D(lift<Op>(innermost_primal(a), b));
    }
    return D(lift<Op>(a, b));
}

}

}
XGRAD_DETAIL_QUIET_END
