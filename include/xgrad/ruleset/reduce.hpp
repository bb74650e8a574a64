// Defines the reductions: sum and mean, element by element; products, extremes, variances and the like, line by line.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/ruleset/element_choice.hpp>
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
}

// y = Σ x;   x̄ = ȳ.   The sum of nothing is 0.
template <>
struct reduction<op::sum> {
    static constexpr bool linear = true, sums = true;
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
    static constexpr bool linear = true, sums = true;
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

// How many elements equal y.
template <class T>
T ties(line<T const> const& x, T const& y) noexcept {
    return fold(x, T(0), [&](auto const& v) { return choose(v == like(v, y), one(v), zero(v)); }, add_up);
}
// r with the number of y, whose tangents r has.
template <class P>
P with_number_of(P const& y, P r) {
    if constexpr (number_dual<P>) {
        r.primal = with_number_of(y.primal, r.primal);
        return r;
    } else return y;
}
// y, with the mean of the tangents of those elements that equal it.
template <class T>
T of_equals(line<T const> const& x, T const& y) noexcept {
    if constexpr (!number_dual<T>) return y;
    else {
        auto const tangents = [](auto const& v) { return with_number_of(zero(v), v); };
        return with_number_of(y, T(fold(x, T(0), [&](auto const& v) { return choose(v == like(v, y), tangents(v), zero(v)); }, add_up) / ties(x, y)));
    }
}

// y = max x or min x. Elements that equal y have equal shares of ȳ; one that is NaN has NaN.
template <class Op, class Better>
struct extreme {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    static void check(Op o, std::size_t n) { require_elements(o, n); }
    template <class T>
    static T value(Op, line<T const> const& x) noexcept {
        return of_equals(x, T(fold(x, x[0], as_it_is, Better{})));
    }
    template <class T>
    static void pullback(Op, line<T> const& xbar, bool add, T const& ybar, T const& y, line<T const> const& x) noexcept {
        T const share = ybar / ties(x, y), of_nan = choose(ybar == T(0), ybar, y);
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
        return choose(detail::is_finite(m), T(m + op::log{}(detail::sum_of_exponentials(x, m))), infinite(x, m));
    }
    // The exponentials are computed once, and kept where that is faster than to compute them again.
    template <class T>
    static constexpr std::size_t most_kept = (std::size_t{1} << 20) / sizeof(T);
    template <class T>
    static T value(op::logsumexp, line<T const> const& x, line<T> const& kept) noexcept {
        T const m = detail::greatest_of(x);
        transform(kept, false, [&](auto const& v) { return op::exp{}(v - like(v, m)); }, x);
        return choose(detail::is_finite(m), T(m + op::log{}(sum(line<T const>(kept)))), infinite(x, m));
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
        T const share = choose(y < T(0), T(0), T(ybar / detail::ties(x, y)));
        for (std::size_t k = 0; k < x.size(); ++k) {
            T const v = x[k];
            xbar.give(k, choose(is_usual, T(usual(v)), choose(v == y, share, T(0))), add);
        }
    }

private:
    template <class T>
    static T sum(line<T const> const& x) noexcept { return fold(x, T(0), detail::as_it_is, detail::add_up); }
    template <class T>
    static T infinite(line<T const> const& x, T const& m) noexcept {
        if constexpr (!number_dual<T>) return m;
        else return choose(m < T(0), detail::without_tangents(m), detail::of_equals(x, m));
    }
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
