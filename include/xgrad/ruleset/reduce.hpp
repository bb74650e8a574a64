// Defines the reductions: sum and mean, element by element; products, extremes, variances and the like, line by line.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/ruleset/line.hpp>
#include <xgrad/ruleset/norms.hpp>
#include <xgrad/ruleset/prod.hpp>
#include <xgrad/ruleset/scalar.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct sum {};
struct mean {};
struct amax { static constexpr char const* name = "amax(x)"; };
struct amin { static constexpr char const* name = "amin(x)"; };
struct variance {
    static constexpr char const* name = "variance(x)";
    std::size_t ddof = 0;
};
struct stddev {
    static constexpr char const* name = "stddev(x)";
    std::size_t ddof = 0;
};
struct logsumexp { static constexpr char const* name = "logsumexp(x)"; };
struct trapz { double dx = 1.0; };

// 1 where x is not 0.
struct is_not_zero {
    static constexpr char const* name = "x != 0";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == zero(x), zero(x), one(x)); }
    XGRAD_DETAIL_OF_DUALS(is_not_zero)
};
// 1 where x is not NaN.
struct is_number {
    static constexpr char const* name = "x == x";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, one(x), zero(x)); }
    XGRAD_DETAIL_OF_DUALS(is_number)
};
// x, and 0 where it is NaN.
struct zero_for_nan {
    static constexpr char const* name = "x or 0";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, x, zero(x)); }
    XGRAD_DETAIL_OF_DUALS(zero_for_nan)
};
// x, and 1, or less than all others, where it is NaN.
struct one_for_nan {
    static constexpr char const* name = "x or 1";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, x, one(x)); }
    XGRAD_DETAIL_OF_DUALS(one_for_nan)
};
struct least_for_nan {
    static constexpr char const* name = "x or -inf";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, x, literal(x, -std::numeric_limits<double>::infinity())); }
    XGRAD_DETAIL_OF_DUALS(least_for_nan)
};
// Of how many there are: NaN where there is none, and 0.
struct nan_for_none {
    static constexpr char const* name = "0 or NaN";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& n) const {
        return choose(n == zero(n), literal(n, std::numeric_limits<double>::quiet_NaN()), zero(n));
    }
    XGRAD_DETAIL_OF_DUALS(nan_for_none)
};
}

template <> inline constexpr auto partials<op::is_not_zero>    = [](auto,   auto x)         { return partial(zero(x)); };
template <> inline constexpr auto partials<op::is_number>      = [](auto,   auto x)         { return partial(zero(x)); };
template <> inline constexpr auto partials<op::one_for_nan>    = [](auto,   auto x)         { return partial(choose(x == x, one(x), zero(x))); };
template <> inline constexpr auto partials<op::least_for_nan>  = [](auto,   auto x)         { return partial(choose(x == x, one(x), zero(x))); };
template <> inline constexpr auto partials<op::nan_for_none>   = [](auto,   auto x)         { return partial(zero(x)); };
template <> inline constexpr auto partials<op::zero_for_nan>   = [](auto,   auto x)         { return partial(choose(x == x, one(x), zero(x))); };

// y = Σ x;   x̄ = ȳ.   The sum of nothing is 0.
template <>
struct reduction<op::sum> {
    static constexpr bool linear = true;
    template <class T>
    static constexpr T identity() { return T(0); }
    XGRAD_DETAIL_INLINE static constexpr auto combine(auto const& a, auto const& b) { return a + b; }
    template <class T>
    static constexpr T finish(T const& s, std::size_t) { return s; }
    XGRAD_DETAIL_INLINE static constexpr auto partial(auto const& y, auto const&, std::size_t) { return one(y); }
    static constexpr void check(std::size_t) {}
};

// y = Σ x / n;   x̄ = ȳ / n.
template <>
struct reduction<op::mean> {
    static constexpr bool linear = true;
    template <class T>
    static constexpr T identity() { return T(0); }
    XGRAD_DETAIL_INLINE static constexpr auto combine(auto const& a, auto const& b) { return a + b; }
    template <class T>
    static constexpr T finish(T const& s, std::size_t n) { return s / T(static_cast<double>(n)); }
    XGRAD_DETAIL_INLINE static constexpr auto partial(auto const& y, auto const&, std::size_t n) { return literal(y, 1.0 / static_cast<double>(n)); }
    static void check(std::size_t n) {
        if (n == 0)
            throw std::invalid_argument("xgrad[E206]: mean(x) requires at least one element, found an empty array: use sum, or leave the empty case out");
    }
};

namespace detail {

template <class Op>
void require_elements(Op const&, std::size_t n, std::size_t least = 1) {
    if (n < least)
        throw std::invalid_argument(std::string("xgrad[E206]: ") + Op::name + " requires at least " + std::to_string(least) +
                                    (least == 1 ? " element" : " elements") + " along its axes, found " + std::to_string(n) + ": leave that case out");
}
template <class T>
T number_of(std::size_t n) { return literal(T(), static_cast<double>(n)); }

inline constexpr auto as_it_is = [](auto const& x) { return x; };
inline constexpr auto add_up = [](auto const& a, auto const& b) { return a + b; };

// The greater (the lesser) of two; of a NaN and anything the NaN.
struct greater {
    template <class P>
    P operator()(P const& a, P const& b) const { return choose(b == b, choose(a < b, b, a), b); }
};
struct lesser {
    template <class P>
    P operator()(P const& a, P const& b) const { return choose(b == b, choose(b < a, b, a), b); }
};

// y = max x or min x. Elements that equal y have equal shares of ȳ; one that is NaN has NaN.
template <class Op, class Better>
struct extreme {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    static void check(Op o, std::size_t n) { require_elements(o, n); }
    template <class T>
    static T value(Op, line<T const> const& x) noexcept { return fold(x, x[0], as_it_is, Better{}); }
    template <class T>
    static void pullback(Op, line<T> const& xbar, bool add, T const& ybar, T const& y, line<T const> const& x) noexcept {
        T const ties = fold(x, T(0), [&](auto const& v) { return choose(v == like(v, y), one(v), zero(v)); }, add_up);
        T const share = ybar / ties, of_nan = choose(ybar == T(0), ybar, y);
        transform(xbar, add, [&](auto const& v) { return choose(v == like(v, y), like(v, share), choose(v == v, zero(v), like(v, of_nan))); }, x);
    }
};

// Σ (x - m)² and m = Σ x / n.
template <class T>
T mean_of(line<T const> const& x) noexcept { return fold(x, T(0), as_it_is, add_up) / number_of<T>(x.size()); }
template <class T>
T squares_about_mean(line<T const> const& x) noexcept {
    T const m = mean_of(x);
    return fold(x, T(0), [&](auto const& v) { auto const d = v - like(v, m); return d * d; }, add_up);
}

}

template <>
struct line_rule<op::amax> : detail::extreme<op::amax, detail::greater> {};
template <>
struct line_rule<op::amin> : detail::extreme<op::amin, detail::lesser> {};

// y = Σ (x - m)² / (n - ddof), m = Σ x / n;   x̄ = 2 (x - m) / (n - ddof) ȳ, as the sum of x - m is 0.
template <>
struct line_rule<op::variance> {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    static void check(op::variance const& o, std::size_t n) { detail::require_elements(o, n, o.ddof + 1); }
    template <class T>
    static T value(op::variance const& o, line<T const> const& x) noexcept { return detail::squares_about_mean(x) / detail::number_of<T>(x.size() - o.ddof); }
    template <class T>
    static void pullback(op::variance const& o, line<T> const& xbar, bool add, T const& ybar, T const&, line<T const> const& x) noexcept {
        T const m = detail::mean_of(x), c = T(2) * ybar / detail::number_of<T>(x.size() - o.ddof);
        transform(xbar, add, [&](auto const& v) { return (v - like(v, m)) * like(v, c); }, x);
    }
};

// y = sqrt(variance);   x̄ = (x - m) / ((n - ddof) y) ȳ, and 0 where y is 0.
template <>
struct line_rule<op::stddev> {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    static void check(op::stddev const& o, std::size_t n) { detail::require_elements(o, n, o.ddof + 1); }
    template <class T>
    static T value(op::stddev const& o, line<T const> const& x) noexcept {
        return T(op::length{}(detail::squares_about_mean(x) / detail::number_of<T>(x.size() - o.ddof)));
    }
    template <class T>
    static void pullback(op::stddev const& o, line<T> const& xbar, bool add, T const& ybar, T const& y, line<T const> const& x) noexcept {
        T const m = detail::mean_of(x), c = choose(y == T(0), T(0), T(ybar / (y * detail::number_of<T>(x.size() - o.ddof))));
        transform(xbar, add, [&](auto const& v) { return (v - like(v, m)) * like(v, c); }, x);
    }
};

namespace detail {

template <class T>
T greatest_of(line<T const> const& x) noexcept { return fold(x, x[0], as_it_is, greater{}); }
// Σ exp(x - m)
template <class T>
T sum_of_exponentials(line<T const> const& x, T const& m) noexcept {
    return fold(x, T(0), [&](auto const& v) { return op::exp{}(v - like(v, m)); }, add_up);
}
template <class T>
auto is_finite(T const& x) { return x - x == T(0); }

}

// y = m + log Σ exp(x - m), m = max x;   x̄ = exp(x - y) ȳ.
// An infinite y: -inf has no derivative (0), at inf the infinite elements have equal shares.
template <>
struct line_rule<op::logsumexp> {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    static void check(op::logsumexp o, std::size_t n) { detail::require_elements(o, n); }
    template <class T>
    static T value(op::logsumexp, line<T const> const& x) noexcept {
        T const m = detail::greatest_of(x);
        return choose(detail::is_finite(m), T(m + op::log{}(detail::sum_of_exponentials(x, m))), m);
    }
    // The exponentials are computed once, and kept where that is faster than to compute them again.
    template <class T>
    static constexpr std::size_t most_kept = (std::size_t{1} << 20) / sizeof(T);
    template <class T>
    static T value(op::logsumexp, line<T const> const& x, line<T> const& kept) noexcept {
        T const m = detail::greatest_of(x);
        transform(kept, false, [&](auto const& v) { return op::exp{}(v - like(v, m)); }, x);
        return choose(detail::is_finite(m), T(m + op::log{}(sum(line<T const>(kept)))), m);
    }
    template <class T>
    static void pullback(op::logsumexp o, line<T> const& xbar, bool add, T const& ybar, T const& y, line<T const> const& x,
                         line<T const> const& kept) noexcept {
        if (!holds_everywhere(detail::is_finite(y))) return pullback(o, xbar, add, ybar, y, x);
        T const c = ybar / sum(kept);
        transform(xbar, add, [&](auto const& v) { return v * like(v, c); }, kept);
    }
    template <class T>
    static void pullback(op::logsumexp, line<T> const& xbar, bool add, T const& ybar, T const& y, line<T const> const& x) noexcept {
        auto const is_usual = detail::is_finite(y) || !(y == y);
        auto const usual = [&](auto const& v) { return op::exp{}(v - like(v, y)) * like(v, ybar); };
        if (holds_everywhere(is_usual)) return transform(xbar, add, usual, x);
        T const infinite = fold(x, T(0), [&](auto const& v) { return choose(v == like(v, y), one(v), zero(v)); }, detail::add_up);
        T const share = choose(y < T(0), T(0), T(ybar / infinite));
        for (std::size_t k = 0; k < x.size(); ++k) {
            T const v = x[k];
            xbar.give(k, choose(is_usual, T(usual(v)), choose(v == y, share, T(0))), add);
        }
    }

private:
    template <class T>
    static T sum(line<T const> const& x) noexcept { return fold(x, T(0), detail::as_it_is, detail::add_up); }
};

// y = dx Σ (x[k] + x[k+1]) / 2
template <>
struct line_rule<op::trapz> {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    template <class T>
    static T value(op::trapz const& o, line<T const> const& x) noexcept {
        if (x.size() < 2) return T(0);
        return (fold(x, T(0), detail::as_it_is, detail::add_up) - (x[0] + x[x.size() - 1]) / T(2)) * literal(T(), o.dx);
    }
    template <class T>
    static void pullback(op::trapz const& o, line<T> const& xbar, bool add, T const& ybar, T const&, line<T const> const& x) noexcept {
        T const c = x.size() < 2 ? T(0) : T(ybar * literal(ybar, o.dx));
        for (std::size_t k = 0; k < x.size(); ++k) xbar.give(k, k == 0 || k + 1 == x.size() ? T(c / T(2)) : c, add);
    }
};

}
XGRAD_DETAIL_QUIET_END
