// Defines the scalar operations and their derivatives, one `partials` line each.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>

#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// clang takes the functions of libm to write errno, and would compute a cosine anew for the pullback of its sine; its builtins are pure.
#if __has_builtin(__builtin_elementwise_sin) && __has_builtin(__builtin_elementwise_cos)
XGRAD_DETAIL_INLINE auto sin(std::floating_point auto x) { return __builtin_elementwise_sin(x); }
XGRAD_DETAIL_INLINE auto cos(std::floating_point auto x) { return __builtin_elementwise_cos(x); }
#else
using std::sin, std::cos;
#endif
}

namespace op {

struct plus {
    static constexpr char const* name = "a + b";
    static constexpr bool linear(bool, bool) { return true; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a + b; }
};
struct minus {
    static constexpr char const* name = "a - b";
    static constexpr bool linear(bool, bool) { return true; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a - b; }
};
struct times {
    static constexpr char const* name = "a * b";
    static constexpr bool linear(bool a, bool b) { return !(a && b); }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a * b; }
};
struct divide {
    static constexpr char const* name = "a / b";
    static constexpr bool linear(bool, bool b) { return !b; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& a, auto const& b) const { return a / b; }
};
struct negate {
    static constexpr char const* name = "-x";
    static constexpr bool linear(bool) { return true; }
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& x) const { return -x; }
};
struct square {
    static constexpr char const* name = "square(x)";
    XGRAD_DETAIL_INLINE constexpr auto operator()(auto const& x) const { return x * x; }
};
struct exp {
    static constexpr char const* name = "exp(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const {
        using std::exp;
        return exp(x);
    }
};
struct log {
    static constexpr char const* name = "log(x)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log;
        if constexpr (batch<P>) {
            using T = element_t<P>;
            // the batch function takes a wrong exponent from a subnormal number: it gets log(2^k x) - k log(2) instead
            constexpr int k = std::numeric_limits<T>::digits + 1;
            P scaled = x, shift(T(0));
            if (auto const small = x < P(std::numeric_limits<T>::min()); xsimd::any(small)) [[unlikely]] {
                scaled = choose(small, P(x * P(T(std::uint64_t{1} << k))), x);
                shift = choose(small, P(T(k * std::numbers::ln2)), shift);
            }
            return P(xsimd::log(scaled) - shift);
        } else return log(x);
    }
};
struct sqrt {
    static constexpr char const* name = "sqrt(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const {
        using std::sqrt;
        return sqrt(x);
    }
};
struct sin {
    static constexpr char const* name = "sin(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const {
        using detail::sin;
        return sin(x);
    }
};
struct cos {
    static constexpr char const* name = "cos(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const {
        using detail::cos;
        return cos(x);
    }
};
struct tanh {
    static constexpr char const* name = "tanh(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const {
        using std::tanh;
        return tanh(x);
    }
};
struct abs {
    static constexpr char const* name = "abs(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const {
        using std::abs;
        return abs(x);
    }
};
struct pow {
    static constexpr char const* name = "pow(a, b)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& a, P const& b) const {
        // the batch function is off by 15 units in the last place
        if constexpr (batch<P>) return each_lane([](auto u, auto v) { return std::pow(u, v); }, a, b);
        else {
            using std::pow;
            return pow(a, b);
        }
    }
};
struct maximum {
    static constexpr char const* name = "maximum(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return choose(a < b, b, a); }
};
struct minimum {
    static constexpr char const* name = "minimum(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return choose(b < a, b, a); }
};

}

namespace detail {
template <class P>
XGRAD_DETAIL_INLINE P evaluate_op(auto op, P const& x) { return op(x); }
// 1 where a < b, one half at a tie, otherwise 0.
template <class P>
XGRAD_DETAIL_INLINE P step(P const& a, P const& b) { return choose(a < b, one(a), choose(a == b, literal(a, 0.5), zero(a))); }
}

// y = op(x...)                               (dy/dx, ...)
template <> inline constexpr auto partials<op::plus>    = [](auto y, auto,   auto)   { return partial(one(y), one(y)); };
template <> inline constexpr auto partials<op::minus>   = [](auto y, auto,   auto)   { return partial(one(y), -one(y)); };
template <> inline constexpr auto partials<op::times>   = [](auto,   auto a, auto b) { return partial(b, a); };
template <> inline constexpr auto partials<op::divide>  = [](auto y, auto,   auto b) { auto r = one(b) / b; return partial(r, -y * r); };
template <> inline constexpr auto partials<op::negate>  = [](auto y, auto)           { return partial(-one(y)); };
template <> inline constexpr auto partials<op::square>  = [](auto,   auto x)         { return partial(x + x); };
template <> inline constexpr auto partials<op::exp>     = [](auto y, auto)           { return partial(y); };
template <> inline constexpr auto partials<op::log>     = [](auto,   auto x)         { return partial(one(x) / x); };
template <> inline constexpr auto partials<op::sqrt>    = [](auto y, auto)           { return partial(literal(y, 0.5) / y); };
template <> inline constexpr auto partials<op::sin>     = [](auto,   auto x)         { return partial(op::cos{}(x)); };
template <> inline constexpr auto partials<op::cos>     = [](auto,   auto x)         { return partial(-op::sin{}(x)); };
template <> inline constexpr auto partials<op::tanh>    = [](auto y, auto)           { return partial(one(y) - y * y); };
// 0 at 0, as everywhere in the field
template <> inline constexpr auto partials<op::abs>     = [](auto,   auto x)         { return partial(choose(x < zero(x), -one(x), choose(x == zero(x), zero(x), one(x)))); };
// at a tie each operand has half
template <> inline constexpr auto partials<op::maximum> = [](auto,   auto a, auto b) { return partial(detail::step(b, a), detail::step(a, b)); };
template <> inline constexpr auto partials<op::minimum> = [](auto,   auto a, auto b) { return partial(detail::step(a, b), detail::step(b, a)); };
// 0 where the base is raised to 0; log(a) is asked for only where the exponent is active, and counts nothing where y is 0
template <> inline constexpr auto partials<op::pow>     = [](auto y, auto a, auto b) {
    return partial([=] { return choose(b == zero(b), zero(b), b * op::pow{}(a, b - one(b))); },
                   [=] { return choose(y == zero(y), zero(y), y * op::log{}(a)); });
};

}
XGRAD_DETAIL_QUIET_END
