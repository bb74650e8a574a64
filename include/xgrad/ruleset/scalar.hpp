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

// The batch functions take a wrong exponent from a subnormal number: they get 2^k x, and give up k times the logarithm of 2.
template <class F, class P>
XGRAD_DETAIL_INLINE P logarithm(F f, P const& x, double log_of_2) {
    using T = element_t<P>;
    constexpr int k = std::numeric_limits<T>::digits + 1;
    P scaled = x, shift(T(0));
    if (auto const small = x < P(std::numeric_limits<T>::min()); xsimd::any(small)) [[unlikely]] {
        scaled = choose(small, P(x * P(T(std::uint64_t{1} << k))), x);
        shift = choose(small, P(T(k * log_of_2)), shift);
    }
    return P(f(scaled) - shift);
}
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
        if constexpr (batch<P>) return detail::logarithm([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::log(v); }, x, std::numbers::ln2);
        else return log(x);
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
// The functions whose batch forms are right within 4 units in the last place, at every special point too.
#define XGRAD_DETAIL_FUNCTION(NAME)                          \
    struct NAME {                                            \
        static constexpr char const* name = #NAME "(x)";     \
        XGRAD_DETAIL_INLINE auto operator()(auto const& x) const { \
            using std::NAME;                                 \
            return NAME(x);                                  \
        }                                                    \
    };
XGRAD_DETAIL_FUNCTION(exp2)
XGRAD_DETAIL_FUNCTION(tan)
XGRAD_DETAIL_FUNCTION(asin)
XGRAD_DETAIL_FUNCTION(acos)
XGRAD_DETAIL_FUNCTION(atan)
XGRAD_DETAIL_FUNCTION(sinh)
XGRAD_DETAIL_FUNCTION(cosh)
XGRAD_DETAIL_FUNCTION(asinh)
XGRAD_DETAIL_FUNCTION(atanh)
#undef XGRAD_DETAIL_FUNCTION
// Those whose batch forms are not (that of pow is off by 15 units): lane by lane.
#define XGRAD_DETAIL_FUNCTION(NAME, TEXT)                    \
    struct NAME {                                            \
        static constexpr char const* name = TEXT;            \
        template <class P, std::same_as<P>... Q>             \
        XGRAD_DETAIL_INLINE auto operator()(P const& x, Q const&... y) const { \
            using std::NAME;                                 \
            if constexpr (batch<P>) return each_lane([](auto... v) { return std::NAME(v...); }, x, y...); \
            else return NAME(x, y...);                       \
        }                                                    \
    };
XGRAD_DETAIL_FUNCTION(cbrt, "cbrt(x)")
XGRAD_DETAIL_FUNCTION(erf, "erf(x)")
XGRAD_DETAIL_FUNCTION(erfc, "erfc(x)")
XGRAD_DETAIL_FUNCTION(pow, "pow(a, b)")
XGRAD_DETAIL_FUNCTION(hypot, "hypot(a, b)")
XGRAD_DETAIL_FUNCTION(atan2, "atan2(y, x)")
#undef XGRAD_DETAIL_FUNCTION
// The batch forms lose the sign of -0.
struct expm1 {
    static constexpr char const* name = "expm1(x)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::expm1;
        if constexpr (batch<P>) return choose(x == zero(x), x, expm1(x));
        else return expm1(x);
    }
};
struct log1p {
    static constexpr char const* name = "log1p(x)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log1p;
        if constexpr (batch<P>) return choose(x == zero(x), x, log1p(x));
        else return log1p(x);
    }
};
struct log2 {
    static constexpr char const* name = "log2(x)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log2;
        if constexpr (batch<P>) return detail::logarithm([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::log2(v); }, x, 1.0);
        else return log2(x);
    }
};
struct log10 {
    static constexpr char const* name = "log10(x)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log10;
        if constexpr (batch<P>) return detail::logarithm([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::log10(v); }, x, std::numbers::ln2 / std::numbers::ln10);
        else return log10(x);
    }
};
struct acosh {
    static constexpr char const* name = "acosh(x)";
    template <class P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::acosh;
        // the batch function gives numbers for large negative ones
        if constexpr (batch<P>) return choose(x < zero(x), literal(x, std::numeric_limits<double>::quiet_NaN()), acosh(x));
        else return acosh(x);
    }
};
struct sign {
    static constexpr char const* name = "sign(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const { return choose(x < zero(x), -one(x), choose(x > zero(x), one(x), x)); }
};
// 1 / (1 + exp(-x)), without overflow.
struct sigmoid {
    static constexpr char const* name = "sigmoid(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const {
        auto const e = exp{}(-abs{}(x));
        return choose(x < zero(x), e / (one(x) + e), one(x) / (one(x) + e));
    }
};
// log(1 + exp(x)), without overflow.
struct log1p_exp {
    static constexpr char const* name = "log1p_exp(x)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const { return choose(x < zero(x), zero(x), x) + log1p{}(exp{}(-abs{}(x))); }
};
// a log(b), and 0 where a is 0.
struct xlogy {
    static constexpr char const* name = "xlogy(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return choose(a == zero(a), zero(a), a * log{}(b)); }
};
struct maximum {
    static constexpr char const* name = "maximum(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return choose(a < b, b, a); }
};
struct minimum {
    static constexpr char const* name = "minimum(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return choose(b < a, b, a); }
};
// The same where a NaN is no number to choose.
struct fmax {
    static constexpr char const* name = "fmax(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return choose(a == a, choose(a < b, b, a), b); }
};
struct fmin {
    static constexpr char const* name = "fmin(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return choose(a == a, choose(b < a, b, a), b); }
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
template <> inline constexpr auto partials<op::exp2>    = [](auto y, auto)           { return partial(y * literal(y, std::numbers::ln2)); };
template <> inline constexpr auto partials<op::expm1>   = [](auto y, auto)           { return partial(y + one(y)); };
template <> inline constexpr auto partials<op::log2>    = [](auto,   auto x)         { return partial(literal(x, 1 / std::numbers::ln2) / x); };
template <> inline constexpr auto partials<op::log10>   = [](auto,   auto x)         { return partial(literal(x, 1 / std::numbers::ln10) / x); };
template <> inline constexpr auto partials<op::log1p>   = [](auto,   auto x)         { return partial(one(x) / (one(x) + x)); };
template <> inline constexpr auto partials<op::cbrt>    = [](auto y, auto)           { return partial(one(y) / (literal(y, 3.0) * y * y)); };
template <> inline constexpr auto partials<op::tan>     = [](auto y, auto)           { return partial(one(y) + y * y); };
template <> inline constexpr auto partials<op::asin>    = [](auto,   auto x)         { return partial(one(x) / op::sqrt{}((one(x) - x) * (one(x) + x))); };
template <> inline constexpr auto partials<op::acos>    = [](auto,   auto x)         { return partial(-one(x) / op::sqrt{}((one(x) - x) * (one(x) + x))); };
template <> inline constexpr auto partials<op::atan>    = [](auto,   auto x)         { return partial(one(x) / (one(x) + x * x)); };
template <> inline constexpr auto partials<op::sinh>    = [](auto,   auto x)         { return partial(op::cosh{}(x)); };
template <> inline constexpr auto partials<op::cosh>    = [](auto,   auto x)         { return partial(op::sinh{}(x)); };
template <> inline constexpr auto partials<op::asinh>   = [](auto,   auto x)         { return partial(one(x) / op::hypot{}(one(x), x)); };
template <> inline constexpr auto partials<op::acosh>   = [](auto,   auto x)         { return partial(one(x) / (op::sqrt{}(x - one(x)) * op::sqrt{}(x + one(x)))); };
template <> inline constexpr auto partials<op::atanh>   = [](auto,   auto x)         { return partial(one(x) / ((one(x) - x) * (one(x) + x))); };
template <> inline constexpr auto partials<op::erf>     = [](auto,   auto x)         { return partial(literal(x, 2 * std::numbers::inv_sqrtpi) * op::exp{}(-x * x)); };
template <> inline constexpr auto partials<op::erfc>    = [](auto,   auto x)         { return partial(literal(x, -2 * std::numbers::inv_sqrtpi) * op::exp{}(-x * x)); };
template <> inline constexpr auto partials<op::sigmoid> = [](auto,   auto x)         { return partial(op::sigmoid{}(x) * op::sigmoid{}(-x)); };
template <> inline constexpr auto partials<op::log1p_exp> = [](auto, auto x)         { return partial(op::sigmoid{}(x)); };
template <> inline constexpr auto partials<op::sign>    = [](auto,   auto x)         { return partial(zero(x)); };
// 0 at the origin
template <> inline constexpr auto partials<op::hypot>   = [](auto y, auto a, auto b) { return partial(choose(y == zero(y), y, a / y), choose(y == zero(y), y, b / y)); };
template <> inline constexpr auto partials<op::atan2>   = [](auto,   auto a, auto b) { auto r = op::hypot{}(a, b); return partial(b / r / r, -a / r / r); };
template <> inline constexpr auto partials<op::xlogy>   = [](auto,   auto a, auto b) { return partial([=] { return op::log{}(b); }, [=] { return choose(a == zero(a), zero(a), a / b); }); };
// 0 at 0, as everywhere in the field
template <> inline constexpr auto partials<op::abs>     = [](auto,   auto x)         { return partial(choose(x < zero(x), -one(x), choose(x == zero(x), zero(x), one(x)))); };
// at a tie each operand has half
template <> inline constexpr auto partials<op::maximum> = [](auto,   auto a, auto b) { return partial(detail::step(b, a), detail::step(a, b)); };
template <> inline constexpr auto partials<op::minimum> = [](auto,   auto a, auto b) { return partial(detail::step(a, b), detail::step(b, a)); };
template <> inline constexpr auto partials<op::fmax>    = [](auto,   auto a, auto b) { return partial(detail::step(choose(b == b, b, a - one(a)), a), detail::step(choose(a == a, a, b - one(b)), b)); };
template <> inline constexpr auto partials<op::fmin>    = [](auto,   auto a, auto b) { return partial(detail::step(a, choose(b == b, b, a + one(a))), detail::step(b, choose(a == a, a, b + one(b)))); };
// 0 where the base is raised to 0; log(a) is asked for only where the exponent is active, and counts nothing where y is 0
template <> inline constexpr auto partials<op::pow>     = [](auto y, auto a, auto b) {
    return partial([=] { return choose(b == zero(b), zero(b), b * op::pow{}(a, b - one(b))); },
                   [=] { return choose(y == zero(y), zero(y), y * op::log{}(a)); });
};

}
XGRAD_DETAIL_QUIET_END
