// Defines the operations that turn lines into lines: running sums, products and extremes, differences, softmax.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <xgrad/ruleset/line.hpp>
#include <xgrad/ruleset/reduce.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct cumsum {};
struct cumprod {};
struct cummax {};
struct cummin {};
struct logcumsumexp {};
struct diff { std::size_t order = 1; };
struct softmax {};
struct log_softmax {};
}

// y[k] = Σ over i <= k of x[i];   x̄[k] = Σ over i >= k of ȳ[i].
template <> inline constexpr bool takes_complex<op::cumsum> = true;
template <> inline constexpr bool takes_complex<op::cumprod> = true;
template <> inline constexpr bool takes_complex<op::diff> = true;
template <>
struct line_rule<op::cumsum> {
    static constexpr bool reduces = false;
    // a running sum of floats is one of doubles, of which a pack has fewer
    template <class T>
    static constexpr bool takes_packs = !std::is_same_v<T, float>;
    template <class T>
    static void value(op::cumsum, line<T> const& y, line<T const> const& x) noexcept {
        wide<T> s = x[0];
        y.give(0, x[0]);
        for (std::size_t k = 1; k < x.size(); ++k) y.give(k, T(s = s + x[k]));
    }
    template <class T>
    static void pullback(op::cumsum, line<T> const& xbar, bool add, line<T const> const& ybar, line<T const> const&, line<T const> const&) noexcept {
        wide<T> s = T(0);
        for (std::size_t k = xbar.size(); k-- > 0;) xbar.give(k, T(s = s + ybar[k]), add);
    }

private:
    // a running sum of floats that is one
    template <class T>
    using wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
};

// y[k] = Π over i <= k of x[i];   x̄[k] = y[k-1] r[k], where r[k] = ȳ[k] + x[k+1] r[k+1]: nothing is divided.
template <>
struct line_rule<op::cumprod> {
    static constexpr bool reduces = false;
    template <class T>
    static constexpr bool takes_packs = true;
    template <class T>
    static void value(op::cumprod, line<T> const& y, line<T const> const& x) noexcept {
        T p = x[0];
        y.give(0, p);
        for (std::size_t k = 1; k < x.size(); ++k) y.give(k, p = p * x[k]);
    }
    template <class T>
    static void pullback(op::cumprod, line<T> const& xbar, bool add, line<T const> const& ybar, line<T const> const& y, line<T const> const& x) noexcept {
        std::size_t k = x.size() - 1;
        T r = ybar[k];
        for (; k > 0; --k) {
            xbar.give(k, T(y[k - 1] * r), add);
            r = ybar[k - 1] + x[k] * r;
        }
        xbar.give(0, r, add);
    }
};

// y[k] = the greatest of x[i] over i <= k, a NaN before all others; its cotangent is that of the first element that has it.
namespace detail {
template <class Op>
struct running_extreme {
    static constexpr bool reduces = false;
    template <class T>
    static constexpr bool takes_packs = true;
    template <class T>
    static void value(Op, line<T> const& y, line<T const> const& x) noexcept {
        T m = x[0];
        y.give(0, m);
        for (std::size_t k = 1; k < x.size(); ++k) {
            T const v = x[k];
            y.give(k, m = choose(takes_over(v, m), v, m));
        }
    }
    template <class T>
    static void pullback(Op, line<T> const& xbar, bool add, line<T const> const& ybar, line<T const> const& y, line<T const> const& x) noexcept {
        T s = T(0);
        for (std::size_t k = x.size(); k-- > 0;) {
            s = s + ybar[k];
            if (k == 0) return xbar.give(k, s, add);
            auto const is_first = takes_over(x[k], y[k - 1]);
            xbar.give(k, choose(is_first, s, T(0)), add);
            s = choose(is_first, T(0), s);
        }
    }

private:
    template <class T>
    static auto takes_over(T const& x, T const& m) {
        if constexpr (std::is_same_v<Op, op::cummax>) return m == m && !(x <= m);
        else return m == m && !(x >= m);
    }
};
}
template <>
struct line_rule<op::cummax> : detail::running_extreme<op::cummax> {};
template <>
struct line_rule<op::cummin> : detail::running_extreme<op::cummin> {};

// y[k] = log(exp(y[k-1]) + exp(x[k]));   x̄[k] = exp(x[k] - y[k]) r[k], where r[k] = ȳ[k] + exp(y[k] - y[k+1]) r[k+1]: no exponent is positive.
template <>
struct line_rule<op::logcumsumexp> {
    static constexpr bool reduces = false;
    template <class T>
    static constexpr bool takes_packs = true;
    template <class T>
    static void value(op::logcumsumexp, line<T> const& y, line<T const> const& x) noexcept {
        T s = x[0];
        y.give(0, s);
        for (std::size_t k = 1; k < x.size(); ++k) y.give(k, s = op::logaddexp{}(s, x[k]));
    }
    template <class T>
    static void pullback(op::logcumsumexp, line<T> const& xbar, bool add, line<T const> const& ybar, line<T const> const& y, line<T const> const& x) noexcept {
        T r = T(0);
        for (std::size_t k = x.size(); k-- > 0;) {
            r = ybar[k] + (k + 1 < x.size() ? share(y[k], y[k + 1]) * r : T(0));
            xbar.give(k, T(share(x[k], y[k]) * r), add);
        }
    }

private:
    // exp(a - b), and 0 of two that are -inf.
    template <class T>
    static T share(T const& a, T const& b) {
        return choose(a == b && !(a - b == T(0)), T(0), T(op::exp{}(a - b)));
    }
};

// y[k] = Σ (-1)^(n-i) C(n, i) x[k+i]: the differences of differences, n times.
template <>
struct line_rule<op::diff> {
    static constexpr bool reduces = false;
    template <class T>
    static constexpr bool takes_packs = true;
    static std::size_t length(op::diff const& o, std::size_t n) { return n > o.order ? n - o.order : 0; }
    template <class T>
    static void value(op::diff const& o, line<T> const& y, line<T const> const& x) noexcept {
        for (std::size_t k = 0; k < y.size(); ++k) {
            T s = x[k + o.order];
            double c = 1;
            for (std::size_t i = o.order; i-- > 0;) s = s + literal(s, c = next(o, c, i)) * x[k + i];
            y.give(k, s);
        }
    }
    template <class T>
    static void pullback(op::diff const& o, line<T> const& xbar, bool add, line<T const> const& ybar, line<T const> const&, line<T const> const&) noexcept {
        for (std::size_t j = 0; j < xbar.size(); ++j) {
            T s = T(0);
            double c = 1;
            for (std::size_t i = o.order + 1; i-- > 0;) {
                if (i < o.order) c = next(o, c, i);
                if (j >= i && j - i < ybar.size()) s = s + literal(s, c) * ybar[j - i];
            }
            xbar.give(j, s, add);
        }
    }

private:
    // The coefficient of x[k+i] from that of x[k+i+1].
    static double next(op::diff const& o, double c, std::size_t i) { return -c * static_cast<double>(i + 1) / static_cast<double>(o.order - i); }
};

// y = exp(x - m) / Σ exp(x - m), m = max x;   x̄ = y (ȳ - Σ y ȳ).   NaN where no element, or an infinite one, is greatest.
template <>
struct line_rule<op::softmax> {
    static constexpr bool reduces = false;
    template <class T>
    static constexpr bool takes_packs = true;
    template <class T>
    static void value(op::softmax, line<T> const& y, line<T const> const& x) noexcept {
        T const m = detail::greatest_of(x);
        transform(y, false, [&](auto const& v) { return op::exp{}(v - like(v, m)); }, x);
        line<T const> const e(y);
        T const c = T(1) / fold(e, T(0), detail::as_it_is, detail::add_up);
        transform(y, false, [&](auto const& v) { return v * like(v, c); }, e);
    }
    template <class T>
    static void pullback(op::softmax, line<T> const& xbar, bool add, line<T const> const& ybar, line<T const> const& y, line<T const> const&) noexcept {
        T const s = fold_lines(T(0), [](auto const& v, auto const& g) { return v * g; }, detail::add_up, y, ybar);
        transform(xbar, add, [&](auto const& v, auto const& g) { return v * (g - like(v, s)); }, y, ybar);
    }
};

// y = x - log Σ exp(x);   x̄ = ȳ - exp(y) Σ ȳ.
template <>
struct line_rule<op::log_softmax> {
    static constexpr bool reduces = false;
    template <class T>
    static constexpr bool takes_packs = true;
    template <class T>
    static void value(op::log_softmax, line<T> const& y, line<T const> const& x) noexcept {
        T const m = detail::greatest_of(x), c = op::log{}(detail::sum_of_exponentials(x, m));
        transform(y, false, [&](auto const& v) { return v - like(v, m) - like(v, c); }, x);
    }
    template <class T>
    static void pullback(op::log_softmax, line<T> const& xbar, bool add, line<T const> const& ybar, line<T const> const& y, line<T const> const&) noexcept {
        T const s = fold(ybar, T(0), detail::as_it_is, detail::add_up);
        transform(xbar, add, [&](auto const& v, auto const& g) { return g - op::exp{}(v) * like(v, s); }, y, ybar);
    }
};

}
XGRAD_DETAIL_QUIET_END
