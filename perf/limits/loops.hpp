// Defines limits::lotka_volterra: a loop that carries a state of two numbers, and its gradient, by hand.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace limits {

// n steps of Runge and Kutta's method of fourth order of x' = a x - b x y, y' = -c y + d x y from (x0, y0): x + y at the end, and its gradient by
// p = {a, b, c, d, x0, y0}.
class lotka_volterra {
public:
    explicit lotka_volterra(std::size_t n) : states_(n) {}
    static constexpr double h = 1e-3;
    using pair = std::array<double, 2>;
    using six = std::array<double, 6>;
    double operator()(six const& p, six& pbar) {
        pair s{p[4], p[5]};
        for (auto& kept : states_) {
            kept = s;
            s = step(p, s);
        }
        pair g{1.0, 1.0};
        pbar = {};
        for (std::size_t i = states_.size(); i-- > 0;) g = pull(p, states_[i], g, pbar);
        pbar[4] = g[0];
        pbar[5] = g[1];
        return s[0] + s[1];
    }

private:
    std::vector<pair> states_;
    static pair slope(six const& p, pair const& s) { return {p[0] * s[0] - p[1] * s[0] * s[1], -p[2] * s[1] + p[3] * s[0] * s[1]}; }
    static pair ahead(pair const& s, double t, pair const& k) { return {s[0] + t * k[0], s[1] + t * k[1]}; }
    static pair step(six const& p, pair const& s) {
        pair const k1 = slope(p, s), k2 = slope(p, ahead(s, h / 2, k1)), k3 = slope(p, ahead(s, h / 2, k2)), k4 = slope(p, ahead(s, h, k3));
        pair y;
        for (std::size_t i = 0; i < 2; ++i) y[i] = s[i] + h / 6 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        return y;
    }
    // the cotangent of s for that of slope(p, s)
    static pair pull_slope(six const& p, pair const& s, pair const& g, six& pbar) {
        double const xy = s[0] * s[1];
        pbar[0] += g[0] * s[0];
        pbar[1] -= g[0] * xy;
        pbar[2] -= g[1] * s[1];
        pbar[3] += g[1] * xy;
        double const both = g[1] * p[3] - g[0] * p[1];
        return {g[0] * p[0] + both * s[1], both * s[0] - g[1] * p[2]};
    }
    static pair pull(six const& p, pair const& s, pair const& g, six& pbar) {
        pair const k1 = slope(p, s), s2 = ahead(s, h / 2, k1), k2 = slope(p, s2), s3 = ahead(s, h / 2, k2), k3 = slope(p, s3), s4 = ahead(s, h, k3);
        auto times = [](double t, pair const& v) { return pair{t * v[0], t * v[1]}; };
        pair const b4 = pull_slope(p, s4, times(h / 6, g), pbar), b3 = pull_slope(p, s3, ahead(times(h / 3, g), h, b4), pbar),
                   b2 = pull_slope(p, s2, ahead(times(h / 3, g), h / 2, b3), pbar), b1 = pull_slope(p, s, ahead(times(h / 6, g), h / 2, b2), pbar);
        return {g[0] + b1[0] + b2[0] + b3[0] + b4[0], g[1] + b1[1] + b2[1] + b3[1] + b4[1]};
    }
};

}  // namespace limits
