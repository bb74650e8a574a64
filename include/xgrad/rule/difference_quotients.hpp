// Defines difference_quotients: central differences of a function of many numbers at falling steps, what they converge to, and how sure that is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace xgrad::detail {

using numbers = std::vector<double>;
using flat_map = std::function<numbers(numbers const&)>;

struct estimate {
    double value = std::numeric_limits<double>::quiet_NaN();
    double error = std::numeric_limits<double>::infinity();
};

// How far the entries of f(t) are from parabolas where t is so small that they would be ones; at irregular distances, or the rounding errors would be
// alike. After Moré and Wild, Estimating computational noise, SIAM J. Sci. Comput. 33 (2011).
template <class F>
numbers rounding_errors(F const& f, double epsilon) {
    std::array<double, 8> at{-3.0, -2.273, -1.581, -0.369, 0.0, 0.618, 1.732, 2.718};
    std::vector<numbers> y;
    for (double& t : at) y.push_back(f(t *= std::pow(epsilon, 0.45)));
    numbers most(y[0].size());
    for (std::size_t p = 0; p + 3 < at.size(); ++p)
        for (std::size_t j = 0; j < most.size(); ++j) {
            if (j >= y[p].size() || j >= y[p + 1].size() || j >= y[p + 2].size() || j >= y[p + 3].size()) continue;
            // the second point against the parabola of the others
            double parabola = 0;
            for (std::size_t k : {p, p + 2, p + 3}) {
                double term = y[k][j];
                for (std::size_t l : {p, p + 2, p + 3})
                    if (l != k) term *= (at[p + 1] - at[l]) / (at[k] - at[l]);
                parabola += term;
            }
            double const off = 2 * std::abs(y[p + 1][j] - parabola);
            if (std::isfinite(off)) most[j] = std::max(most[j], off);
        }
    return most;
}

// (f(x + h v) - f(x - h v)) / 2h for h = first, first/2, ..., of each entry of f. A step at which f throws nothing but has another size is not a number.
class difference_quotients {
public:
    numbers step;
    std::vector<numbers> quotient;  // [step][entry]
    numbers noise;                  // the rounding errors in the entries of f
    numbers size;                   // |f| here and at a step in the middle

    difference_quotients() = default;
    difference_quotients(flat_map const& f, numbers const& x, numbers const& v, double first, std::size_t steps, double epsilon) {
        numbers const y = f(x);
        auto const moved = [&](double h) {
            numbers at = x;
            for (std::size_t i = 0; i < at.size(); ++i)
                if (v[i] != 0) at[i] += h * v[i];
            numbers r = f(at);
            if (r.size() != y.size()) r.assign(y.size(), std::numeric_limits<double>::quiet_NaN());
            return r;
        };
        noise = rounding_errors(moved, epsilon);
        for (std::size_t j = 0; j < y.size(); ++j) {
            size.push_back(std::abs(y[j]));
            noise[j] = std::max(epsilon * size[j], noise[j]);
        }
        for (std::size_t k = 0; k < steps; ++k) {
            double const h = std::ldexp(first, -static_cast<int>(k));
            numbers above = moved(h);
            numbers const below = moved(-h);
            for (std::size_t j = 0; j < y.size(); ++j) {
                if (k == steps / 2 && std::isfinite(above[j])) size[j] = std::max(size[j], std::abs(above[j]));
                above[j] = (above[j] - below[j]) / (2 * h);
            }
            step.push_back(h);
            quotient.push_back(std::move(above));
        }
    }

    // Those of Σ w f.
    difference_quotients weighted(numbers const& w) const {
        difference_quotients r;
        auto const sum = [&](numbers const& from, bool absolute) {
            double s = 0;
            for (std::size_t j = 0; j < w.size() && j < from.size(); ++j)
                if (w[j] != 0) s += (absolute ? std::abs(w[j]) : w[j]) * from[j];
            return numbers{s};
        };
        r.step = step;
        for (auto const& q : quotient) r.quotient.push_back(sum(q, false));
        r.noise = sum(noise, true);
        r.size = sum(size, true);
        return r;
    }

    // Richardson's extrapolation to h = 0, twice at most; the best is what its neighbours agree with.
    // Ridders, Accurate computation of F'(x) and F'(x) F''(x), Adv. Eng. Software 4 (1982).
    estimate of(std::size_t j) const {
        std::vector<numbers> level(1);
        numbers h;
        for (std::size_t k = 0; k < step.size(); ++k)
            if (std::isfinite(quotient[k][j])) {
                level[0].push_back(quotient[k][j]);
                h.push_back(step[k]);
            }
        for (double power : {4.0, 16.0}) {
            numbers const& last = level.back();
            numbers next;
            for (std::size_t k = 0; k + 1 < last.size(); ++k) next.push_back(last[k + 1] + (last[k + 1] - last[k]) / (power - 1));
            level.push_back(std::move(next));
        }
        estimate best;
        for (auto const& l : level)
            for (std::size_t k = 1; k + 1 < l.size(); ++k) {
                double const error = std::max(std::abs(l[k] - l[k - 1]), std::abs(l[k] - l[k + 1])) + 2 * noise[j] / h[k];
                if (error < best.error) best = {l[k], error};
            }
        return best;
    }
};

}  // namespace xgrad::detail
