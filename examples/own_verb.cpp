// A verb of one's own, made of others: how a function changes along a line through its arguments, whatever these are: value, slope and curvature.
#include <cmath>
#include <cstdio>
#include <tuple>

#include <xgrad/xgrad.hpp>

// f(x + t xdot) = value + slope t + curvature t² / 2 + ...
struct line_of_function {
    double value, slope, curvature;
};

// Tangents are vectors of their own types, so that nothing here asks what X is: a number, an array, a struct, a container of them.
template <class F, class X>
line_of_function along(F const& f, X const& x, xgrad::tangent_type_t<X> const& xdot) {
    static_assert(xgrad::differentiable<X>, "along(f, x, xdot) requires an x that can be changed a little, but its type has no tangent");
    auto const h = xgrad::hvp(f, std::tuple(x), std::tuple(xdot));
    return {h.value, xgrad::pairing(std::get<0>(h.gradient), xdot), xgrad::pairing(std::get<0>(h.product), xdot)};
}

struct model {
    xt::xtensor<double, 1> weights;
    double bias;
};
XGRAD_REFLECT(model, weights, bias)

int main() {
    auto loss = [](auto const& m) { return sum(exp(m.weights * m.bias)); };
    model const m{{0.5, -0.25}, 2.0};
    xgrad::tangent<model> direction = xgrad::zero_tangent(m);
    direction.weights(0) = 1.0;
    direction.bias = 0.5;
    auto const line = along(loss, m, direction);
    std::printf("value %g, slope %g, curvature %g\n", line.value, line.slope, line.curvature);

    // e^((0.5 + t)(2 + t/2)) + e^(-0.25 (2 + t/2)) at t = 0
    double const a = std::exp(1.0), b = std::exp(-0.5);
    bool const right = std::abs(line.value - (a + b)) < 1e-14 && std::abs(line.slope - (2.25 * a - 0.125 * b)) < 1e-14 &&
                       std::abs(line.curvature - ((1.0 + 2.25 * 2.25) * a + 0.125 * 0.125 * b)) < 1e-13;
    return right ? 0 : 1;
}
