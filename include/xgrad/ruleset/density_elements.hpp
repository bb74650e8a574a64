// Defines the parts of log-densities whose parameters are numbers: what each element takes, with 1 / scale and the logarithm of the norm as operands, which
// are computed once. Elsewhere a density is one operation, ruleset/distributions.hpp.
#pragma once

#include <numbers>

#include <xgrad/ruleset/distributions.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

// log(x), and NaN where x is not positive.
struct log_of_positive {
    static constexpr char const* name = "log(x)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& x) const { return log{}(detail::positive(x)); }
    XGRAD_DETAIL_OF_DUALS(log_of_positive)
};

// The logarithms of the norms of student_t, gamma and beta densities, of their parameters.
struct student_t_log_norm {
    static constexpr char const* name = "log_norm(nu)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& nu) const {
        P const n = detail::positive(nu), half = literal(n, 0.5);
        return half * (log{}(n) + detail::log_pi(n)) - detail::lgamma_step(P(half * n));
    }
    XGRAD_DETAIL_OF_DUALS(student_t_log_norm)
};
struct gamma_log_norm {
    static constexpr char const* name = "log_norm(alpha, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& alpha, P const& beta) const {
        return lgamma{}(detail::positive(alpha)) - alpha * log{}(detail::positive(beta));
    }
    XGRAD_DETAIL_OF_DUALS(gamma_log_norm)
};
struct beta_log_norm {
    static constexpr char const* name = "log_norm(alpha, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& alpha, P const& beta) const {
        P const a = detail::positive(alpha), b = detail::positive(beta);
        return detail::log_beta(a, b);
    }
    XGRAD_DETAIL_OF_DUALS(beta_log_norm)
};

// Of y, mu, r = 1 / sigma and l = log(norm), with z = (y - mu) r: the logarithm of the density is that of the standard one at z, less l.
struct normal_element {
    static constexpr char const* name = "normal_lpdf(y, mu, sigma)";
    static constexpr double log_norm = 0.918938533204672741780329736405617640;
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& r, P const& l) const {
        P const z = (y - mu) * r;
        return literal(z, -0.5) * z * z - l;
    }
    XGRAD_DETAIL_OF_DUALS(normal_element)
};
struct lognormal_element {
    static constexpr char const* name = "lognormal_lpdf(y, mu, sigma)";
    static constexpr double log_norm = 0.918938533204672741780329736405617640;
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& r, P const& l) const {
        P const v = log{}(choose(y > zero(y), y, one(y)));
        return choose(y <= zero(y), detail::minus_infinity(y), P(normal_element{}(choose(y == y, v, y), mu, r, l) - v));
    }
    XGRAD_DETAIL_OF_DUALS(lognormal_element)
};
struct cauchy_element {
    static constexpr char const* name = "cauchy_lpdf(y, mu, sigma)";
    static constexpr double log_norm = 1.144729885849400174143427351353058712;
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& r, P const& l) const {
        P const z = (y - mu) * r;
        return -detail::log1p_square(z, one(z)) - l;
    }
    XGRAD_DETAIL_OF_DUALS(cauchy_element)
};
struct laplace_element {
    static constexpr char const* name = "laplace_lpdf(y, mu, sigma)";
    static constexpr double log_norm = std::numbers::ln2;
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& r, P const& l) const { return -abs{}((y - mu) * r) - l; }
    XGRAD_DETAIL_OF_DUALS(laplace_element)
};
struct logistic_element {
    static constexpr char const* name = "logistic_lpdf(y, mu, sigma)";
    static constexpr double log_norm = 0.0;
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& r, P const& l) const {
        P const z = abs{}((y - mu) * r);
        return -z - literal(z, 2.0) * log1p{}(exp{}(-z)) - l;
    }
    XGRAD_DETAIL_OF_DUALS(logistic_element)
};
// log(1 + z²/nu) of y, nu, mu and r, by which student_t's is -(nu + 1)/2 times that, less l.
struct student_t_element {
    static constexpr char const* name = "log(1 + z^2/nu)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& nu, P const& mu, P const& r) const {
        P const z = (y - mu) * r;
        return detail::log1p_square(z, nu);
    }
    XGRAD_DETAIL_OF_DUALS(student_t_element)
};
// Of y, beta and l.
struct exponential_element {
    static constexpr char const* name = "exponential_lpdf(y, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& beta, P const& l) const {
        return choose(y < zero(y), detail::minus_infinity(y), P(-l - beta * y));
    }
    XGRAD_DETAIL_OF_DUALS(exponential_element)
};
// Of y, alpha, beta and l.
struct gamma_element {
    static constexpr char const* name = "gamma_lpdf(y, alpha, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& alpha, P const& beta, P const& l) const {
        P const logs = choose(alpha == one(y), zero(y), P((alpha - one(y)) * log{}(y)));
        P inside = logs - beta * y - l;
        // all of it, beside which the norm is too large a number
        if (auto const many = detail::is_many(alpha); detail::any_of(many)) inside = choose(many, detail::log_gamma_density(y, alpha, beta), inside);
        return choose(y < zero(y), detail::minus_infinity(y), inside);
    }
    XGRAD_DETAIL_OF_DUALS(gamma_element)
};
struct beta_element {
    static constexpr char const* name = "beta_lpdf(y, alpha, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& alpha, P const& beta, P const& l) const {
        P const rest = choose(beta == one(beta), zero(beta), P((beta - one(beta)) * log1p{}(-y)));
        P inside = xlogy{}(alpha - one(y), y) + rest - l;
        if (auto const many = detail::is_many(choose(alpha < beta, alpha, beta)); detail::any_of(many))
            inside = choose(many, detail::log_beta_density(y, alpha, beta), inside);
        return choose(y < zero(y), detail::minus_infinity(y), choose(y > one(y), detail::minus_infinity(y), inside));
    }
    XGRAD_DETAIL_OF_DUALS(beta_element)
};

}

template <> inline constexpr auto partials<op::log_of_positive> = [](auto, auto x) { return partial(one(x) / x); };
template <> inline constexpr auto partials<op::student_t_log_norm> = [](auto, auto nu) {
    auto const half = literal(nu, 0.5);
    return partial([=] { return -half * detail::digamma_step(half * nu); });
};
template <> inline constexpr auto partials<op::gamma_log_norm> = [](auto, auto alpha, auto beta) {
    return partial([=] { return op::digamma{}(alpha) - op::log{}(beta); }, -alpha / beta);
};
template <> inline constexpr auto partials<op::beta_log_norm> = [](auto, auto alpha, auto beta) {
    return partial([=] { return -detail::digamma_rise(alpha, beta); }, [=] { return -detail::digamma_rise(beta, alpha); });
};
template <> inline constexpr auto partials<op::normal_element> = [](auto, auto y, auto mu, auto r, auto) {
    auto const d = y - mu, z = d * r;
    return partial(-z * r, z * r, -z * d, -one(y));
};
template <> inline constexpr auto partials<op::lognormal_element> = [](auto, auto y, auto mu, auto r, auto) {
    auto const inside = y > zero(y);
    auto const d = op::log{}(choose(y <= zero(y), one(y), y)) - mu, z = d * r;
    return partial(detail::within(inside, -(one(z) + z * r) / y), detail::within(inside, z * r), detail::within(inside, -z * d),
                   detail::within(inside, -one(y)));
};
template <> inline constexpr auto partials<op::cauchy_element> = [](auto, auto y, auto mu, auto r, auto) {
    auto const d = y - mu, z = d * r;
    auto const w = detail::tail_slope(literal(z, 2.0), z, one(z));
    return partial(-w * r, w * r, -w * d, -one(y));
};
template <> inline constexpr auto partials<op::laplace_element> = [](auto, auto y, auto mu, auto r, auto) {
    auto const d = y - mu, s = op::sign{}(d);
    return partial(-s * r, s * r, -s * d, -one(y));
};
template <> inline constexpr auto partials<op::logistic_element> = [](auto, auto y, auto mu, auto r, auto) {
    auto const d = y - mu;
    auto const w = op::tanh{}(literal(d, 0.5) * (d * r));
    return partial(-w * r, w * r, -w * d, -one(y));
};
template <> inline constexpr auto partials<op::student_t_element> = [](auto, auto y, auto nu, auto mu, auto r) {
    auto const d = y - mu, z = d * r;
    auto const w = detail::tail_slope(literal(z, 2.0), z, nu);
    return partial(w * r, [=] { return literal(y, -0.5) * w * z / nu; }, -w * r, w * d);
};
template <> inline constexpr auto partials<op::exponential_element> = [](auto, auto y, auto beta, auto) {
    auto const inside = y >= zero(y);
    return partial(detail::within(inside, -beta), detail::within(inside, -y), detail::within(inside, -one(y)));
};
template <> inline constexpr auto partials<op::gamma_element> = [](auto, auto y, auto alpha, auto beta, auto) {
    auto const inside = y >= zero(y);
    auto const slope = detail::quotient(alpha - one(y), y);
    return partial(detail::within(inside, slope - beta), [=] { return detail::within(inside, op::log{}(y)); }, detail::within(inside, -y),
                   detail::within(inside, -one(y)));
};
template <> inline constexpr auto partials<op::beta_element> = [](auto, auto y, auto alpha, auto beta, auto) {
    auto const r = one(y) - y;
    auto const inside = y * r >= zero(y);
    return partial(detail::within(inside, detail::quotient(alpha - one(y), y) - detail::quotient(beta - one(y), r)),
                   [=] { return detail::within(inside, op::log{}(y)); }, [=] { return detail::within(inside, op::log1p{}(-y)); },
                   detail::within(inside, -one(y)));
};

}
XGRAD_DETAIL_QUIET_END
