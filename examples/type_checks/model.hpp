// The project's types and functions.
#pragma once

#include <string>

#include <xgrad/xgrad.hpp>

struct layer {
    xt::xtensor<double, 2> weights;
    xt::xtensor<double, 1> offsets;
};
XGRAD_REFLECT(layer, weights, offsets)

struct network {
    layer hidden;
    double scale;
    std::string name;
    int epochs;
};
XGRAD_REFLECT(network, hidden, scale, name, epochs)

inline constexpr auto loss = [](auto const& net, auto const& x) {
    auto activations = tanh(sum(x * net.hidden.weights, {1}) + net.hidden.offsets);
    return sum(activations * activations) * net.scale;
};

// A function with a rule of its own: sqrt(w² + 1), which must not overflow.
struct safe_length {
    double operator()(double w) const { return std::hypot(w, 1.0); }
};
template <>
struct xgrad::rule<safe_length> {
    static auto rrule(codual<double> w) {
        double const y = safe_length{}(w.primal);
        return value_with_pullback{y, [y, w = w.primal](double ybar) { return std::tuple(w / y * ybar); }};
    }
};
