// Defines the functions that are measured and tested: an elementwise sum, a multilayer perceptron and a bundle-adjustment residual.
#pragma once

#include <cmath>

#include <xgrad/xgrad.hpp>

namespace cases {

// Σ log(1 + exp(a x + b)) tanh(x), as one expression and with its intermediate values named.
inline constexpr auto fused = [](auto const& a, auto const& b, auto const& x) { return sum(log(1.0 + exp(a * x + b)) * tanh(x)); };

inline constexpr auto named = [](auto const& a, auto const& b, auto const& x) {
    auto e = exp(a * x + b);
    auto l = log(1.0 + e);
    auto t = tanh(x);
    return sum(l * t);
};

// A perceptron with two hidden layers, 784-256-128-10 in the benchmark.
struct layer {
    xt::xtensor<double, 2> weight;
    xt::xtensor<double, 1> bias;
};
XGRAD_REFLECT(layer, weight, bias)

struct perceptron {
    layer first, second, output;
};
XGRAD_REFLECT(perceptron, first, second, output)

// The mean cross-entropy of softmax; each row of y is the indicator of a class. Needs <xgrad/linalg.hpp>.
inline constexpr auto cross_entropy = [](auto const& p, auto const& x, auto const& y) {
    auto a = tanh(dot(x, p.first.weight) + p.first.bias);
    auto b = tanh(dot(a, p.second.weight) + p.second.bias);
    auto z = dot(b, p.output.weight) + p.output.bias;
    return mean(log(sum(exp(z), 1)) - sum(y * z, 1));
};

// The weighted reprojection error of a camera (rotation r, centre c, focal length, principal point u v, distortion k1 k2) and a point p.
inline constexpr auto bundle_adjustment = [](auto const& r0, auto const& r1, auto const& r2, auto const& c0, auto const& c1, auto const& c2, auto const& focal,
                                             auto const& u, auto const& v, auto const& k1, auto const& k2, auto const& p0, auto const& p1, auto const& p2,
                                             auto const& weight) {
    using std::cos, std::sin, std::sqrt;
    auto x0 = p0 - c0;
    auto x1 = p1 - c1;
    auto x2 = p2 - c2;
    auto angle_squared = r0 * r0 + r1 * r1 + r2 * r2;
    auto angle = sqrt(angle_squared);
    auto c = cos(angle);
    auto s = sin(angle);
    auto inverse = 1.0 / angle;
    auto w0 = r0 * inverse;
    auto w1 = r1 * inverse;
    auto w2 = r2 * inverse;
    auto n0 = w1 * x2 - w2 * x1;
    auto n1 = w2 * x0 - w0 * x2;
    auto n2 = w0 * x1 - w1 * x0;
    auto along = (w0 * x0 + w1 * x1 + w2 * x2) * (1.0 - c);
    auto y0 = x0 * c + n0 * s + w0 * along;
    auto y1 = x1 * c + n1 * s + w1 * along;
    auto y2 = x2 * c + n2 * s + w2 * along;
    auto a = y0 / y2;
    auto b = y1 / y2;
    auto squared = a * a + b * b;
    auto distortion = 1.0 + k1 * squared + k2 * squared * squared;
    auto e0 = weight * (a * distortion * focal + u - 0.3);
    auto e1 = weight * (b * distortion * focal + v - 0.7);
    return e0 * e0 + e1 * e1;
};

// The same with a declared result, which is a part of the function's text.
inline constexpr auto scoped_bundle_adjustment = [](auto const& r0, auto const& r1, auto const& r2, auto const& c0, auto const& c1, auto const& c2,
                                                    auto const& focal, auto const& u, auto const& v, auto const& k1, auto const& k2, auto const& p0,
                                                    auto const& p1, auto const& p2, auto const& weight) -> xgrad::real {
    using std::cos, std::sin, std::sqrt;
    auto x0 = p0 - c0;
    auto x1 = p1 - c1;
    auto x2 = p2 - c2;
    auto angle_squared = r0 * r0 + r1 * r1 + r2 * r2;
    auto angle = sqrt(angle_squared);
    auto c = cos(angle);
    auto s = sin(angle);
    auto inverse = 1.0 / angle;
    auto w0 = r0 * inverse;
    auto w1 = r1 * inverse;
    auto w2 = r2 * inverse;
    auto n0 = w1 * x2 - w2 * x1;
    auto n1 = w2 * x0 - w0 * x2;
    auto n2 = w0 * x1 - w1 * x0;
    auto along = (w0 * x0 + w1 * x1 + w2 * x2) * (1.0 - c);
    auto y0 = x0 * c + n0 * s + w0 * along;
    auto y1 = x1 * c + n1 * s + w1 * along;
    auto y2 = x2 * c + n2 * s + w2 * along;
    auto a = y0 / y2;
    auto b = y1 / y2;
    auto squared = a * a + b * b;
    auto distortion = 1.0 + k1 * squared + k2 * squared * squared;
    auto e0 = weight * (a * distortion * focal + u - 0.3);
    auto e1 = weight * (b * distortion * focal + v - 0.7);
    return e0 * e0 + e1 * e1;
};

}  // namespace cases
