// Defines the sum of weighted reprojection errors and its gradient by hand: a SIMD register of observations at a time, its adjoint written out.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>

namespace limits {

// The inputs of one observation are 11 numbers of its camera, 3 of its point and a weight. use(e0, e1, pull) is given the two residuals and their pullback,
// pull(e0bar, e1bar, xbar). P is double or a batch.
template <class P, class Use>
[[gnu::always_inline]] inline auto with_residuals(std::array<P, 15> const& x, Use use) {
    using std::cos, std::sin, std::sqrt, xsimd::cos, xsimd::sin, xsimd::sqrt;
    P const one(1.0), two(2.0);
    P const* const r = &x[0];
    P const focal = x[6], k1 = x[9], k2 = x[10], weight = x[14];
    std::array<P, 3> const p{x[11] - x[3], x[12] - x[4], x[13] - x[5]};
    P const angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), inverse = one / angle, c = cos(angle), s = sin(angle);
    std::array<P, 3> const w{r[0] * inverse, r[1] * inverse, r[2] * inverse};
    std::array<P, 3> const n{w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2], w[0] * p[1] - w[1] * p[0]};
    P const dot = w[0] * p[0] + w[1] * p[1] + w[2] * p[2], along = dot * (one - c);
    std::array<P, 3> const y{p[0] * c + n[0] * s + w[0] * along, p[1] * c + n[1] * s + w[1] * along, p[2] * c + n[2] * s + w[2] * along};
    P const depth = one / y[2], a = y[0] * depth, b = y[1] * depth, squared = a * a + b * b;
    P const distortion = one + k1 * squared + k2 * squared * squared;
    P const t0 = a * distortion * focal + x[7] - P(0.3), t1 = b * distortion * focal + x[8] - P(0.7), e0 = weight * t0, e1 = weight * t1;

    auto pull = [&](P const& e0_bar, P const& e1_bar, std::array<P, 15>& xbar) __attribute__((always_inline)) {
        P const g0 = e0_bar * weight, g1 = e1_bar * weight;
        xbar[14] = e0_bar * t0 + e1_bar * t1;
        xbar[7] = g0;
        xbar[8] = g1;
        P const common = g0 * a + g1 * b, distortion_bar = common * focal;
        xbar[6] = common * distortion;
        xbar[9] = distortion_bar * squared;
        xbar[10] = xbar[9] * squared;
        P const squared_bar = two * distortion_bar * (k1 + two * k2 * squared), scale = distortion * focal;
        P const a_bar = g0 * scale + a * squared_bar, b_bar = g1 * scale + b * squared_bar;
        std::array<P, 3> const y_bar{a_bar * depth, b_bar * depth, -(a_bar * a + b_bar * b) * depth};
        std::array<P, 3> p_bar, w_bar, n_bar;
        P c_bar(0.0), s_bar(0.0), along_bar(0.0);
        for (std::size_t i = 0; i < 3; ++i) {
            p_bar[i] = y_bar[i] * c;
            n_bar[i] = y_bar[i] * s;
            w_bar[i] = y_bar[i] * along;
            c_bar = c_bar + y_bar[i] * p[i];
            s_bar = s_bar + y_bar[i] * n[i];
            along_bar = along_bar + y_bar[i] * w[i];
        }
        P const dot_bar = along_bar * (one - c);
        c_bar = c_bar - along_bar * dot;
        P inverse_bar(0.0);
        for (std::size_t i = 0; i < 3; ++i) {
            std::size_t const j = (i + 1) % 3, k = (i + 2) % 3;
            w_bar[i] = w_bar[i] + dot_bar * p[i] + p[j] * n_bar[k] - p[k] * n_bar[j];
            p_bar[i] = p_bar[i] + dot_bar * w[i] + n_bar[j] * w[k] - n_bar[k] * w[j];
            inverse_bar = inverse_bar + w_bar[i] * r[i];
            xbar[11 + i] = p_bar[i];
            xbar[3 + i] = -p_bar[i];
        }
        P const angle_bar = s_bar * c - c_bar * s - inverse_bar * inverse * inverse, by_angle = angle_bar * inverse;
        for (std::size_t i = 0; i < 3; ++i) xbar[i] = w_bar[i] * inverse + r[i] * by_angle;
    };
    return use(e0, e1, pull);
}
// The error, and its gradient.
template <class P>
P reprojection(std::array<P, 15> const& x, std::array<P, 15>& xbar) {
    return with_residuals(x, [&](P const& e0, P const& e1, auto const& pull) {
        pull(P(2.0) * e0, P(2.0) * e1, xbar);
        return e0 * e0 + e1 * e1;
    });
}

// Cameras and points in rows, and which of them each observation has.
struct observations {
    std::vector<double> cameras, points, weights;
    std::vector<int> camera, point;
};

// The sum of all errors; their gradient has the form of the data.
inline double reprojections(observations const& o, observations& gradient) {
    using B = xsimd::batch<double>;
    constexpr std::size_t w = B::size;
    gradient.cameras.assign(o.cameras.size(), 0.0);
    gradient.points.assign(o.points.size(), 0.0);
    gradient.weights.resize(o.weights.size());
    B sums(0.0);
    double total = 0;
    std::size_t const n = o.weights.size();
    auto some = [&]<class P>(std::size_t i, std::size_t width, P& sum) {
        alignas(64) double in[15][w], out[15][w];
        std::array<P, 15> x, xbar;
        for (std::size_t j = 0; j < width; ++j) {
            double const* const c = &o.cameras[static_cast<std::size_t>(o.camera[i + j]) * 11];
            double const* const p = &o.points[static_cast<std::size_t>(o.point[i + j]) * 3];
            for (std::size_t k = 0; k < 11; ++k) in[k][j] = c[k];
            for (std::size_t k = 0; k < 3; ++k) in[11 + k][j] = p[k];
            in[14][j] = o.weights[i + j];
        }
        for (std::size_t k = 0; k < 15; ++k) {
            if constexpr (std::is_same_v<P, double>) x[k] = in[k][0];
            else x[k] = P::load_aligned(in[k]);
        }
        sum = sum + reprojection(x, xbar);
        for (std::size_t k = 0; k < 15; ++k) {
            if constexpr (std::is_same_v<P, double>) out[k][0] = xbar[k];
            else xbar[k].store_aligned(out[k]);
        }
        for (std::size_t j = 0; j < width; ++j) {
            double* const c = &gradient.cameras[static_cast<std::size_t>(o.camera[i + j]) * 11];
            double* const p = &gradient.points[static_cast<std::size_t>(o.point[i + j]) * 3];
            for (std::size_t k = 0; k < 11; ++k) c[k] += out[k][j];
            for (std::size_t k = 0; k < 3; ++k) p[k] += out[11 + k][j];
            gradient.weights[i + j] = out[14][j];
        }
    };
    std::size_t i = 0;
    for (; n - i >= w; i += w) some(i, w, sums);
    for (; i < n; ++i) some(i, 1, total);
    alignas(64) double lane[w];
    sums.store_aligned(lane);
    for (double v : lane) total += v;
    return total;
}

// The Jacobian of the two residuals of each observation, in blocks of two rows of 15 numbers: one observation at a time, as it is written.
inline void residual_jacobians(observations const& o, std::vector<double>& jacobians) {
    jacobians.resize(o.weights.size() * 30);
    std::array<double, 15> x, xbar;
    for (std::size_t i = 0; i < o.weights.size(); ++i) {
        std::copy_n(&o.cameras[static_cast<std::size_t>(o.camera[i]) * 11], 11, x.begin());
        std::copy_n(&o.points[static_cast<std::size_t>(o.point[i]) * 3], 3, x.begin() + 11);
        x[14] = o.weights[i];
        with_residuals(x, [&](double, double, auto const& pull) {
            pull(1.0, 0.0, xbar);
            std::copy_n(xbar.begin(), 15, &jacobians[i * 30]);
            pull(0.0, 1.0, xbar);
            std::copy_n(xbar.begin(), 15, &jacobians[i * 30 + 15]);
        });
    }
}

}  // namespace limits
