// Defines Stirling's series for logarithms of gamma functions and their differences, and densities by what is left where their large terms cancel.
#pragma once

#include <limits>

#include <xgrad/ruleset/scalar.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Where the series are taken.
template <class P>
XGRAD_DETAIL_INLINE auto is_many(P const& x) { return x > literal(x, 32.0); }

// lgamma(x + 1/2) - lgamma(x), and digamma(x + 1/2) - digamma(x) - 1 / (2 x), by Stirling's series for large x, where these cancel.
template <class P>
XGRAD_DETAIL_INLINE P lgamma_step(P const& x) {
    P const v = one(x) / x, q = v * v, half = literal(x, 0.5);
    P const series = v * (literal(x, -1.0 / 8) + q * (literal(x, 1.0 / 192) + q * (literal(x, -1.0 / 640) + q * literal(x, 17.0 / 14336))));
    return choose(x > literal(x, 32.0), P(half * op::log{}(x) + series), P(op::lgamma{}(x + half) - op::lgamma{}(x)));
}
template <class P>
XGRAD_DETAIL_INLINE P digamma_step(P const& x) {
    P const v = one(x) / x, q = v * v, half = literal(x, 0.5);
    P const c = literal(x, -17.0 / 2048) + q * literal(x, 279.0 / 18432);
    P const series = q * (literal(x, 1.0 / 8) + q * (literal(x, -1.0 / 64) + q * (literal(x, 1.0 / 128) + q * c)));
    return choose(x > literal(x, 32.0), series, P(op::digamma{}(x + half) - op::digamma{}(x) - half * v));
}
// lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2), and digamma(x) - (log(x) - 1 / (2 x)): DLMF 5.11.1 and 5.11.2.
template <class P>
XGRAD_DETAIL_INLINE P stirling_rest(P const& x) {
    P const v = one(x) / x, q = v * v;
    return v * (literal(x, 1.0 / 12) - q * (literal(x, 1.0 / 360) - q * (literal(x, 1.0 / 1260) - q * literal(x, 1.0 / 1680))));
}
template <class P>
XGRAD_DETAIL_INLINE P digamma_rest(P const& x) {
    P const v = one(x) / x, q = v * v;
    return q * (literal(x, -1.0 / 12) + q * (literal(x, 1.0 / 120) - q * (literal(x, 1.0 / 252) - q * literal(x, 1.0 / 240))));
}
// digamma(a + b) - digamma(a).
template <class P>
XGRAD_DETAIL_INLINE P digamma_rise(P const& a, P const& b) {
    P const s = a + b, half = literal(a, 0.5);
    P const series = op::log1p{}(b / a) + half * b / (a * s) + (digamma_rest(s) - digamma_rest(a));
    return choose(is_many(a), series, P(op::digamma{}(s) - op::digamma{}(a)));
}
// log B(a, b) = lgamma(a) + lgamma(b) - lgamma(a + b), as A. R. DiDonato and A. H. Morris, "Algorithm 708", 1992, have it.
template <class P>
XGRAD_DETAIL_INLINE P log_beta(P const& a, P const& b) {
    P const s = a + b;
    P y = op::lgamma{}(a) + op::lgamma{}(b) - op::lgamma{}(s);
    P const less = choose(a < b, a, b), more = choose(a < b, b, a), half = literal(a, 0.5);
    if (auto const many = is_many(more); any_of(many)) {
        P const rest = stirling_rest(more) - stirling_rest(s), tail = op::log1p{}(-less / s);
        P const one_many = op::lgamma{}(less) + rest + less * (one(a) - op::log{}(s)) + (more - half) * tail;
        P const both_many = constant(a, 0.918938533204672741780329736405617640L) - half * op::log{}(more) + rest + stirling_rest(less) +
                            (less - half) * op::log{}(less / s) + more * tail;
        y = choose(many, choose(is_many(less), both_many, one_many), y);
    }
    return y;
}
// n (log1p(d / n) - d / n), of n + d beside n: C. Loader, "Fast and accurate computation of binomial probabilities", 2000.
template <class P>
XGRAD_DETAIL_INLINE P minus_deviance(P const& n, P const& d) {
    P const u = d / n;
    return n * (op::log1p{}(u) - u);
}
// The logarithms of y^(alpha - 1) exp(-beta y) beta^alpha / gamma(alpha) and of y^(a - 1) (1 - y)^(b - 1) / B(a, b), of many alpha, a and b.
template <class P>
XGRAD_DETAIL_INLINE P log_gamma_density(P const& y, P const& alpha, P const& beta) {
    P const l = minus_deviance(alpha, P(beta * y - alpha)) + literal(y, 0.5) * op::log{}(alpha) - op::log{}(y) - stirling_rest(alpha) -
                constant(y, 0.918938533204672741780329736405617640L);
    return choose(y == zero(y), literal(y, -std::numeric_limits<double>::infinity()), l);
}
template <class P>
XGRAD_DETAIL_INLINE P log_beta_density(P const& y, P const& a, P const& b) {
    P const r = one(y) - y, s = a + b, d = y * b - r * a;
    P const l = minus_deviance(a, d) + minus_deviance(b, P(-d)) + literal(y, 0.5) * (op::log{}(a) + op::log{}(b / s)) - op::log{}(y * r) - stirling_rest(a) -
                stirling_rest(b) + stirling_rest(s) - constant(y, 0.918938533204672741780329736405617640L);
    return choose(y * r == zero(y), literal(y, -std::numeric_limits<double>::infinity()), l);
}

}
XGRAD_DETAIL_QUIET_END
