// The programs of docs/tutorial.md on second derivatives, and on functions whose values are arrays.
#include <cmath>
#include <cstdio>
#include <tuple>

#include <xgrad/xgrad.hpp>

#include "check.hpp"

namespace {

void second_derivatives() {
    auto f = [](auto const& x) { return exp(2.0 * x); };
    auto slope = [&](auto const& x) { return xgrad::derivative(f, x); };
    double const d1 = xgrad::derivative(f, 0.5), d2 = xgrad::derivative(slope, 0.5);  // 2 e and 4 e
    check(near(d1, 2 * std::exp(1.0)) && near(d2, 4 * std::exp(1.0)));

    auto hinge = [](auto const& x) -> xgrad::number_like<decltype(x)> {
        if (x <= 0.0) return 0.0;
        xgrad::number_like<decltype(x)> s = 1.0;
        for (int i = 0; i < 3; ++i) s = s * x;
        return s;
    };
    double const curvature = xgrad::hessian(hinge, 2.0);  // 6 x
    check(near(curvature, 12) && xgrad::hessian(hinge, -2.0) == 0);

    auto rosenbrock = [](auto const& p) { return 100.0 * square(p(1) - p(0) * p(0)) + square(1.0 - p(0)); };
    xt::xtensor<double, 1> p{-1.2, 1.0}, direction{1.0, 0.0};
    auto [value, gradient, product] = xgrad::hvp(rosenbrock, p, direction);  // std::get<0>(product): the first column of the Hessian
    check(near(value, 24.2) && near(std::get<0>(gradient)(0), -215.6) && near(std::get<0>(product)(0), 1330) && near(std::get<0>(product)(1), 480));

    auto along = xgrad::prepare_hvp(rosenbrock, p);
    auto const& [height, rise, second] = along(p, xt::xtensor<double, 1>{0.0, 1.0});  // the second column; from the second call on nothing is allocated
    check(near(height, 24.2) && near(std::get<0>(rise)(0), -215.6) && near(std::get<0>(second)(0), 480) && near(std::get<0>(second)(1), 200));

    // Newton's method.
    for (int i = 0; i < 10; ++i) {
        auto [y, g, H] = xgrad::value_gradient_and_hessian(rosenbrock, p);
        double const det = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0);
        auto const& [dp] = g;
        p -= xt::xtensor<double, 1>{(H(1, 1) * dp(0) - H(0, 1) * dp(1)) / det, (H(0, 0) * dp(1) - H(1, 0) * dp(0)) / det};
    }
    check(near(p(0), 1) && near(p(1), 1));
}

void values_that_are_arrays() {
    auto cubes = [](auto const& q) { return q * sum(q * q); };
    xt::xtensor<double, 1> const q{1.0, 2.0};

    auto const J = xgrad::jacobian(cubes, q);   // (2, 2): sum(q * q) on the diagonal, and 2 q(i) q(j) everywhere
    auto [y, pullback] = xgrad::vjp(cubes, q);  // the value, and a function from a cotangent of y to the arguments' gradients
    auto [qbar] = pullback(xt::xtensor<double, 1>{1.0, 0.0});  // the first row of J
    auto [z, zdot] = xgrad::jvp(cubes, std::tuple(q), std::tuple(xt::xtensor<double, 1>{0.0, 1.0}));  // the second column
    check(near(J(0, 0), 7) && near(J(0, 1), 4) && near(qbar(1), J(0, 1)) && near(zdot(0), J(0, 1)) && near(y(1), 10) && near(z(1), 10));
}

}

int main() {
    second_derivatives();
    values_that_are_arrays();
    std::puts("the second derivatives are right");
}
