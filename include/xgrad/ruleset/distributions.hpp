// Defines the logarithms of densities, element by element: one operation each, whose derivatives are written out, so that a log-likelihood is one loop.
// Formulas, names and parameters as in the Stan Functions Reference, 2.32. Outside its support a density is 0, its logarithm -inf and the derivative 0.
// A parameter outside its domain gives NaN for every y in the support.
#pragma once

#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/ruleset/scalar.hpp>
#include <xgrad/ruleset/stirling.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class P>
XGRAD_DETAIL_INLINE P minus_infinity(P const& x) { return literal(x, -std::numeric_limits<double>::infinity()); }
// x where it is positive, otherwise NaN.
template <class P>
XGRAD_DETAIL_INLINE P positive(P const& x) { return choose(x > zero(x), x, not_a_number(x)); }
template <class P>
XGRAD_DETAIL_INLINE P half_log_2pi(P const& x) { return constant(x, 0.918938533204672741780329736405617639861397473637783412817151540L); }
template <class P>
XGRAD_DETAIL_INLINE P log_pi(P const& x) { return constant(x, 1.14472988584940017414342735135305871164729481291531157151362307L); }
template <class P>
XGRAD_DETAIL_INLINE P infinity(P const& x) { return literal(x, std::numeric_limits<double>::infinity()); }
// log(1 + z²/nu), and where the square overflows log(z²/nu).
template <class P>
XGRAD_DETAIL_INLINE P log1p_square(P const& z, P const& nu) {
    P const s = z * z / nu;
    P y = op::log1p{}(s);
    if (auto const far = s == infinity(s); any_of(far)) [[unlikely]]
        y = choose(far, P(literal(z, 2.0) * op::log{}(op::abs{}(z)) - op::log{}(nu)), y);
    return y;
}
// c z / (nu + z²), and c / z there.
template <class P>
XGRAD_DETAIL_INLINE P tail_slope(P const& c, P const& z, P const& nu) {
    P const d = nu + z * z;
    P y = c * z / d;
    if (auto const far = d == infinity(d); any_of(far)) [[unlikely]]
        y = choose(far, P(c / z), y);
    return y;
}
// d where y is in the support, otherwise 0.
template <class C, class P>
XGRAD_DETAIL_INLINE P within(C const& support, P const& d) { return choose(support, d, zero(d)); }

}

namespace op {

struct normal_lpdf {
    static constexpr char const* name = "normal_lpdf(y, mu, sigma)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& sigma) const {
        P const z = (y - mu) / sigma;
        return literal(z, -0.5) * z * z - log{}(detail::positive(sigma)) - detail::half_log_2pi(z);
    }
    XGRAD_DETAIL_OF_DUALS(normal_lpdf)
};
struct lognormal_lpdf {
    static constexpr char const* name = "lognormal_lpdf(y, mu, sigma)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& sigma) const {
        P const l = log{}(choose(y > zero(y), y, one(y)));
        return choose(y <= zero(y), detail::minus_infinity(y), P(normal_lpdf{}(choose(y == y, l, y), mu, sigma) - l));
    }
    XGRAD_DETAIL_OF_DUALS(lognormal_lpdf)
};
struct exponential_lpdf {
    static constexpr char const* name = "exponential_lpdf(y, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& beta) const {
        return choose(y < zero(y), detail::minus_infinity(y), P(log{}(detail::positive(beta)) - beta * y));
    }
    XGRAD_DETAIL_OF_DUALS(exponential_lpdf)
};
struct gamma_lpdf {
    static constexpr char const* name = "gamma_lpdf(y, alpha, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& alpha, P const& beta) const {
        P l = alpha * log{}(detail::positive(beta)) - lgamma{}(detail::positive(alpha)) + xlogy{}(alpha - one(y), y) - beta * y;
        if (auto const many = detail::is_many(alpha); detail::any_of(many)) l = choose(many, detail::log_gamma_density(y, alpha, beta), l);
        return choose(y < zero(y), detail::minus_infinity(y), l);
    }
    XGRAD_DETAIL_OF_DUALS(gamma_lpdf)
};
struct beta_lpdf {
    static constexpr char const* name = "beta_lpdf(y, alpha, beta)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& alpha, P const& beta) const {
        P const a = detail::positive(alpha), b = detail::positive(beta);
        P const rest = choose(b == one(b), zero(b), P((b - one(b)) * log1p{}(-y)));
        P l = xlogy{}(a - one(y), y) + rest - detail::log_beta(a, b);
        if (auto const many = detail::is_many(choose(a < b, a, b)); detail::any_of(many)) l = choose(many, detail::log_beta_density(y, a, b), l);
        return choose(y < zero(y), detail::minus_infinity(y), choose(y > one(y), detail::minus_infinity(y), l));
    }
    XGRAD_DETAIL_OF_DUALS(beta_lpdf)
};
struct student_t_lpdf {
    static constexpr char const* name = "student_t_lpdf(y, nu, mu, sigma)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& nu, P const& mu, P const& sigma) const {
        P const z = (y - mu) / sigma, n = detail::positive(nu), half = literal(y, 0.5), h = half * (n + one(y));
        P const log_norm = half * (log{}(n) + detail::log_pi(y)) - detail::lgamma_step(P(half * n));
        return -log_norm - log{}(detail::positive(sigma)) - h * detail::log1p_square(z, n);
    }
    XGRAD_DETAIL_OF_DUALS(student_t_lpdf)
};
struct cauchy_lpdf {
    static constexpr char const* name = "cauchy_lpdf(y, mu, sigma)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& sigma) const {
        P const z = (y - mu) / sigma;
        return -detail::log_pi(z) - log{}(detail::positive(sigma)) - detail::log1p_square(z, one(z));
    }
    XGRAD_DETAIL_OF_DUALS(cauchy_lpdf)
};
// Stan's double_exponential.
struct laplace_lpdf {
    static constexpr char const* name = "laplace_lpdf(y, mu, sigma)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& sigma) const {
        P const s = detail::positive(sigma);
        return -log{}(s + s) - abs{}((y - mu) / s);
    }
    XGRAD_DETAIL_OF_DUALS(laplace_lpdf)
};
struct logistic_lpdf {
    static constexpr char const* name = "logistic_lpdf(y, mu, sigma)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& mu, P const& sigma) const {
        // even in z: by |z|, so that nothing overflows
        P const z = abs{}((y - mu) / sigma);
        return -z - log{}(detail::positive(sigma)) - literal(z, 2.0) * log1p{}(exp{}(-z));
    }
    XGRAD_DETAIL_OF_DUALS(logistic_lpdf)
};
struct uniform_lpdf {
    static constexpr char const* name = "uniform_lpdf(y, a, b)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& y, P const& a, P const& b) const {
        P const inside = choose(y == y, P(-log{}(b - a)), y);
        P const l = choose(y < a, detail::minus_infinity(y), choose(y > b, detail::minus_infinity(y), inside));
        return choose(a < b, l, detail::not_a_number(l));
    }
    XGRAD_DETAIL_OF_DUALS(uniform_lpdf)
};
struct poisson_lpmf {
    static constexpr char const* name = "poisson_lpmf(n, lambda)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& n, P const& lambda) const {
        P const rate = choose(lambda < zero(n), detail::not_a_number(n), lambda);
        P l = xlogy{}(n, rate) - rate - lgamma{}(n + one(n));
        if (auto const many = detail::is_many(n); detail::any_of(many))
            l = choose(many, P(detail::log_gamma_density(rate, n, one(n)) + log{}(rate) - log{}(n)), l);
        return choose(n < zero(n), detail::minus_infinity(n), l);
    }
    XGRAD_DETAIL_OF_DUALS(poisson_lpmf)
};
struct bernoulli_logit_lpmf {
    static constexpr char const* name = "bernoulli_logit_lpmf(n, alpha)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& n, P const& alpha) const {
        P const l = -log1p_exp{}(choose(n == zero(n), alpha, P(-alpha)));
        return choose(n == zero(n), l, choose(n == one(n), l, detail::minus_infinity(n)));
    }
    XGRAD_DETAIL_OF_DUALS(bernoulli_logit_lpmf)
};
struct binomial_logit_lpmf {
    static constexpr char const* name = "binomial_logit_lpmf(n, N, alpha)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& n, P const& trials, P const& alpha) const {
        P choices = lgamma{}(trials + one(n)) - lgamma{}(n + one(n)) - lgamma{}(trials - n + one(n));
        if (auto const many = detail::is_many(choose(n + n < trials, n, P(trials - n))); detail::any_of(many))
            choices = choose(many, P(-log{}(trials + one(n)) - detail::log_beta(P(n + one(n)), P(trials - n + one(n)))), choices);
        // 0 successes at probability 0 are certain: nothing times -inf is nothing
        P const yes = choose(n == zero(n), zero(n), P(n * log1p_exp{}(-alpha)));
        P const no = choose(n == trials, zero(n), P((trials - n) * log1p_exp{}(alpha)));
        P const l = choices - yes - no;
        return choose(n < zero(n), detail::minus_infinity(n), choose(n > trials, detail::minus_infinity(n), l));
    }
    XGRAD_DETAIL_OF_DUALS(binomial_logit_lpmf)
};

}

template <> inline constexpr auto partials<op::normal_lpdf> = [](auto, auto y, auto mu, auto sigma) {
    auto const z = (y - mu) / sigma;
    return partial(-z / sigma, z / sigma, (z * z - one(z)) / sigma);
};
template <> inline constexpr auto partials<op::lognormal_lpdf> = [](auto, auto y, auto mu, auto sigma) {
    auto const inside = y > zero(y);
    auto const z = (op::log{}(choose(y <= zero(y), one(y), y)) - mu) / sigma;
    return partial(detail::within(inside, -(one(z) + z / sigma) / y), detail::within(inside, z / sigma), detail::within(inside, (z * z - one(z)) / sigma));
};
template <> inline constexpr auto partials<op::exponential_lpdf> = [](auto, auto y, auto beta) {
    auto const inside = y >= zero(y);
    return partial(detail::within(inside, -beta), detail::within(inside, one(beta) / beta - y));
};
template <> inline constexpr auto partials<op::gamma_lpdf> = [](auto, auto y, auto alpha, auto beta) {
    auto const inside = y >= zero(y);
    auto const slope = detail::quotient(alpha - one(y), y);
    return partial(detail::within(inside, slope - beta), [=] { return detail::within(inside, op::log{}(beta) + op::log{}(y) - op::digamma{}(alpha)); },
                   detail::within(inside, alpha / beta - y));
};
template <> inline constexpr auto partials<op::beta_lpdf> = [](auto, auto y, auto alpha, auto beta) {
    auto const r = one(y) - y;
    auto const inside = y * r >= zero(y);
    return partial(detail::within(inside, detail::quotient(alpha - one(y), y) - detail::quotient(beta - one(y), r)),
                   [=] { return detail::within(inside, op::log{}(y) + detail::digamma_rise(alpha, beta)); },
                   [=] { return detail::within(inside, op::log1p{}(-y) + detail::digamma_rise(beta, alpha)); });
};
template <> inline constexpr auto partials<op::student_t_lpdf> = [](auto, auto y, auto nu, auto mu, auto sigma) {
    auto const z = (y - mu) / sigma;
    auto const w = detail::tail_slope(nu + one(y), z, nu);
    auto const half = literal(y, 0.5);
    return partial(-w / sigma,
                   [=] { return half * (detail::digamma_step(half * nu) - detail::log1p_square(z, nu) + w * z / nu); },
                   w / sigma, (w * z - one(y)) / sigma);
};
template <> inline constexpr auto partials<op::cauchy_lpdf> = [](auto, auto y, auto mu, auto sigma) {
    auto const z = (y - mu) / sigma;
    auto const w = detail::tail_slope(literal(z, 2.0), z, one(z));
    return partial(-w / sigma, w / sigma, (w * z - one(z)) / sigma);
};
template <> inline constexpr auto partials<op::laplace_lpdf> = [](auto, auto y, auto mu, auto sigma) {
    auto const d = op::sign{}(y - mu) / sigma;
    return partial(-d, d, (op::abs{}(y - mu) / sigma - one(y)) / sigma);
};
template <> inline constexpr auto partials<op::logistic_lpdf> = [](auto, auto y, auto mu, auto sigma) {
    auto const z = (y - mu) / sigma;
    auto const w = op::tanh{}(literal(z, 0.5) * z);
    return partial(-w / sigma, w / sigma, (w * z - one(z)) / sigma);
};
template <> inline constexpr auto partials<op::uniform_lpdf> = [](auto, auto y, auto a, auto b) {
    auto const d = choose(y < a, zero(y), choose(y > b, zero(y), one(y) / (b - a)));
    return partial(zero(y), d, -d);
};
template <> inline constexpr auto partials<op::poisson_lpmf> = [](auto, auto n, auto lambda) {
    return partial(zero(n), detail::within(n >= zero(n), choose(n == zero(n), zero(n), n / lambda) - one(n)));
};
template <> inline constexpr auto partials<op::bernoulli_logit_lpmf> = [](auto, auto n, auto alpha) {
    // n - sigmoid(alpha), without cancellation
    auto const d = choose(n == zero(n), -op::sigmoid{}(alpha), op::sigmoid{}(-alpha));
    return partial(zero(n), choose(n == zero(n), d, detail::within(n == one(n), d)));
};
template <> inline constexpr auto partials<op::binomial_logit_lpmf> = [](auto, auto n, auto trials, auto alpha) {
    auto const d = n * op::sigmoid{}(-alpha) - (trials - n) * op::sigmoid{}(alpha);
    return partial(zero(n), zero(n), choose(n < zero(n), zero(n), choose(n > trials, zero(n), d)));
};

}
XGRAD_DETAIL_QUIET_END
