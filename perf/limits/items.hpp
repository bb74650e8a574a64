// Defines sums over items and their gradients by hand, a SIMD register of items at a time: options, pairs of atoms, observations with a group's effect, paths.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <xgrad/host.hpp>

namespace limits {

using batch = xsimd::batch<double>;
constexpr std::size_t width = batch::size;

inline double sum_of(batch const& x) {
    alignas(64) double lane[width];
    x.store_aligned(lane);
    double s = 0;
    for (double v : lane) s += v;
    return s;
}
// Calls one(i, P{}) with registers of doubles as long as there are as many items, and then with doubles.
template <class One>
void for_items(std::size_t n, One one) {
    std::size_t i = 0;
    for (; n - i >= width; i += width) one(i, batch(0.0));
    for (; i < n; ++i) one(i, 0.0);
}
template <class P>
P load(double const* x) {
    if constexpr (std::is_same_v<P, double>) return *x;
    else return P::load_unaligned(x);
}
inline void store(double* to, double x) { *to = x; }
inline void store(double* to, batch const& x) { x.store_unaligned(to); }
template <class P>
constexpr std::size_t count_of = std::is_same_v<P, double> ? 1 : width;

// The sum of the prices of calls: spot, strike, time, volatility and rate of each.
struct options {
    std::vector<double> spot, strike, time, volatility, rate;
};
// With `gamma` the second derivatives by the spot, too.
inline double black_scholes(options const& o, options& gradient, double* gamma = nullptr) {
    batch many(0.0);
    double few = 0;
    for_items(o.spot.size(), [&]<class P>(std::size_t i, P const&) {
        using std::sqrt, std::log, std::exp, std::erfc, xsimd::sqrt, xsimd::log, xsimd::exp, xsimd::erfc;
        P const s = load<P>(&o.spot[i]), k = load<P>(&o.strike[i]), t = load<P>(&o.time[i]), v = load<P>(&o.volatility[i]), r = load<P>(&o.rate[i]);
        P const half(0.5), root = sqrt(t), width_of = v * root, d1 = (log(s / k) + (r + half * v * v) * t) / width_of, d2 = d1 - width_of;
        P const c(-std::numbers::sqrt2 / 2), n1 = half * erfc(c * d1), n2 = half * erfc(c * d2), present = k * exp(-r * t) * n2, y = s * n1 - present;
        P const density = P(std::numbers::inv_sqrtpi / std::numbers::sqrt2) * exp(-half * d1 * d1), vega = s * density * root;
        store(&gradient.spot[i], n1);
        store(&gradient.strike[i], -present / k);
        store(&gradient.volatility[i], vega);
        store(&gradient.time[i], half * vega * v / t + r * present);
        store(&gradient.rate[i], t * present);
        if (gamma) store(&gamma[i], density / (s * width_of));
        if constexpr (std::is_same_v<P, double>) few += y;
        else many += y;
    });
    return sum_of(many) + few;
}

// Lennard and Jones' energy of pairs of atoms, whose places are rows of three numbers.
struct pairs {
    std::vector<int> first, second;
};
inline double lennard_jones(std::vector<double> const& x, pairs const& p, std::vector<double>& xbar) {
    std::fill(xbar.begin(), xbar.end(), 0.0);
    batch many(0.0);
    double few = 0;
    for_items(p.first.size(), [&]<class P>(std::size_t i, P const&) {
        constexpr std::size_t w = count_of<P>;
        alignas(64) double d[3][w];
        for (std::size_t j = 0; j < w; ++j)
            for (std::size_t k = 0; k < 3; ++k)
                d[k][j] = x[static_cast<std::size_t>(p.first[i + j]) * 3 + k] - x[static_cast<std::size_t>(p.second[i + j]) * 3 + k];
        P const a = load<P>(d[0]), b = load<P>(d[1]), c = load<P>(d[2]);
        P const r2 = P(1.0) / (a * a + b * b + c * c), r6 = r2 * r2 * r2, y = P(4.0) * r6 * (r6 - P(1.0)), g = P(-24.0) * r2 * r6 * (P(2.0) * r6 - P(1.0));
        store(d[0], g * a);
        store(d[1], g * b);
        store(d[2], g * c);
        for (std::size_t j = 0; j < w; ++j)
            for (std::size_t k = 0; k < 3; ++k) {
                xbar[static_cast<std::size_t>(p.first[i + j]) * 3 + k] += d[k][j];
                xbar[static_cast<std::size_t>(p.second[i + j]) * 3 + k] -= d[k][j];
            }
        if constexpr (std::is_same_v<P, double>) few += y;
        else many += y;
    });
    return sum_of(many) + few;
}

// Triangles with corners among points of two numbers; `rest` has five numbers of each: the inverse of its edges at rest, row by row, and its area.
struct triangles {
    std::vector<int> corner[3];
    std::vector<double> rest;
};
// The symmetric Dirichlet energy of a mesh, its gradient, and the 6 x 6 second derivatives of each triangle, one number at a time.
inline double distortion(std::vector<double> const& x, triangles const& t, std::vector<double>& xbar, std::vector<double>& hessians) {
    std::size_t const n = t.corner[0].size();
    std::fill(xbar.begin(), xbar.end(), 0.0);
    hessians.resize(36 * n);
    double energy = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t const at[3] = {2 * static_cast<std::size_t>(t.corner[0][i]), 2 * static_cast<std::size_t>(t.corner[1][i]),
                                   2 * static_cast<std::size_t>(t.corner[2][i])};
        double const* const r = &t.rest[5 * i];
        // the corners' weights in each column of the map J, whose rows are those of x and of y
        double const w[2][3] = {{-r[0] - r[2], r[0], r[2]}, {-r[1] - r[3], r[1], r[3]}}, area = r[4];
        double j[2][2];
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t c = 0; c < 2; ++c) j[a][c] = x[at[0] + a] * w[c][0] + x[at[1] + a] * w[c][1] + x[at[2] + a] * w[c][2];
        double const det = j[0][0] * j[1][1] - j[0][1] * j[1][0], inverse = 1 / det, q = inverse * inverse;
        double const s = j[0][0] * j[0][0] + j[0][1] * j[0][1] + j[1][0] * j[1][0] + j[1][1] * j[1][1];
        double const cofactor[2][2] = {{j[1][1], -j[1][0]}, {-j[0][1], j[0][0]}};
        energy += area * s * (1 + q);
        double const same = 2 * area * (1 + q), mixed = -4 * area * q * inverse, twice = 6 * area * s * q * q, once = -2 * area * s * q * inverse;
        double h[2][2][2][2];
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t c = 0; c < 2; ++c) {
                double const g = same * j[a][c] + once * cofactor[a][c];
                for (std::size_t p = 0; p < 3; ++p) xbar[at[p] + a] += w[c][p] * g;
                for (std::size_t b = 0; b < 2; ++b)
                    for (std::size_t d = 0; d < 2; ++d)
                        h[a][c][b][d] = mixed * (j[a][c] * cofactor[b][d] + cofactor[a][c] * j[b][d]) + twice * cofactor[a][c] * cofactor[b][d] +
                                        (a == b && c == d ? same : 0.0) + (a != b && c != d ? (a == c ? once : -once) : 0.0);
            }
        double* const to = &hessians[36 * i];
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t b = 0; b < 2; ++b)
                for (std::size_t q2 = 0; q2 < 3; ++q2) {
                    double column[2];
                    for (std::size_t c = 0; c < 2; ++c) column[c] = h[a][c][b][0] * w[0][q2] + h[a][c][b][1] * w[1][q2];
                    for (std::size_t p = 0; p < 3; ++p) to[(2 * p + a) * 6 + 2 * q2 + b] = w[0][p] * column[0] + w[1][p] * column[1];
                }
    }
    return energy;
}

// Observations y with one number x each, in groups.
struct grouped {
    std::vector<double> x, y;
    std::vector<int> group;
};
// Parameters: an effect of each group, a slope and the logarithm of a deviation.
struct effects {
    std::vector<double> group;
    double slope = 0, log_deviation = 0;
};
// use(eta, y) gives the log-density of one observation and its derivative by eta; what else it needs is its own.
template <class Use>
double over_groups(grouped const& o, effects const& e, effects& gradient, Use use) {
    std::fill(gradient.group.begin(), gradient.group.end(), 0.0);
    batch many(0.0), many_slope(0.0);
    double few = 0, few_slope = 0;
    for_items(o.y.size(), [&]<class P>(std::size_t i, P const&) {
        constexpr std::size_t w = count_of<P>;
        alignas(64) double a[w];
        for (std::size_t j = 0; j < w; ++j) a[j] = e.group[static_cast<std::size_t>(o.group[i + j])];
        P const x = load<P>(&o.x[i]), y = load<P>(&o.y[i]);
        auto const [value, bar] = use(P(load<P>(a) + P(e.slope) * x), y);
        store(a, bar);
        for (std::size_t j = 0; j < w; ++j) gradient.group[static_cast<std::size_t>(o.group[i + j])] += a[j];
        if constexpr (std::is_same_v<P, double>) few += value, few_slope += bar * x;
        else many += value, many_slope += bar * x;
    });
    gradient.slope = sum_of(many_slope) + few_slope;
    return sum_of(many) + few;
}
inline double normal_regression(grouped const& o, effects const& e, effects& gradient) {
    double const inverse = std::exp(-e.log_deviation), constant = 0.5 * std::log(2 * std::numbers::pi) + e.log_deviation;
    batch many(0.0);
    double few = 0;
    double const y = over_groups(o, e, gradient, [&]<class P>(P const& eta, P const& v) {
        P const z = (v - eta) * P(inverse), half = P(0.5) * z * z;
        if constexpr (std::is_same_v<P, double>) few += z * z - 1;
        else many += z * z - P(1.0);
        return std::pair(P(-half - P(constant)), P(z * P(inverse)));
    });
    gradient.log_deviation = sum_of(many) + few;
    return y;
}
// Of counts, without the factorials.
inline double poisson_regression(grouped const& o, effects const& e, effects& gradient) {
    return over_groups(o, e, gradient, []<class P>(P const& eta, P const& v) {
        using std::exp, xsimd::exp;
        P const mean = exp(eta);
        return std::pair(P(v * eta - mean), P(v - mean));
    });
}


// The mean payoff of an Asian call over paths of a geometric Brownian motion, whose numbers z lie step by step: its value, and its derivatives with respect to
// the spot, the drift and the volatility.
inline std::array<double, 4> asian_call(std::vector<double> const& z, std::size_t steps, double spot, double mu, double sigma, double strike) {
    std::size_t const paths = z.size() / steps;
    double const dt = 1.0 / static_cast<double>(steps), root = std::sqrt(dt);
    batch const drift((mu - 0.5 * sigma * sigma) * dt), volatility(sigma * root), none(0.0), share(dt);
    batch value(0.0), spot_bar(0.0), drift_bar(0.0), volatility_bar(0.0);
    std::vector<double> prices((steps + 1) * width);
    for (std::size_t i = 0; i + width <= paths; i += width) {
        alignas(64) double row[width];
        auto const numbers = [&](std::size_t t) {
            for (std::size_t j = 0; j < width; ++j) row[j] = z[(i + j) * steps + t];
            return batch::load_aligned(row);
        };
        batch s(spot), total(0.0);
        s.store_unaligned(prices.data());
        for (std::size_t t = 0; t < steps; ++t) {
            s = s * xsimd::exp(drift + volatility * numbers(t));
            total += s;
            s.store_unaligned(&prices[(t + 1) * width]);
        }
        batch const payoff = total * share - batch(strike);
        auto const pays = payoff > none;
        value += xsimd::select(pays, payoff, none);
        batch const seed = xsimd::select(pays, share, none);
        batch bar(0.0);
        for (std::size_t t = steps; t-- != 0;) {
            bar += seed;
            batch const g = bar * batch::load_unaligned(&prices[(t + 1) * width]);
            drift_bar += g;
            volatility_bar += g * numbers(t);
            bar = g / batch::load_unaligned(&prices[t * width]);
        }
        spot_bar += bar;
    }
    double const n = static_cast<double>(paths), d = sum_of(drift_bar) / n;
    return {sum_of(value) / n, sum_of(spot_bar) / n, d * dt, sum_of(volatility_bar) / n * root - d * sigma * dt};
}

}  // namespace limits
