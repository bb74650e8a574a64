// The programs of docs/coming_from.md.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <xgrad/distributions.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

namespace {

void from_jax() {
    vector const x{1.0, 2.0, 3.0};
    auto f = [](auto const& v, auto const& scale) {
        auto h = tanh(v * scale);
        return std::pair(sum(h * h), h);  // the loss, and what else is wanted of it
    };
    auto [value, gradient, aux] = xgrad::value_gradient_and_aux(f, x, xgrad::constant(0.5));  // aux: a plain array
    auto frozen = [](auto const& v) { return sum(v * xgrad::stop_gradient(v)); };
    check(near(value, xt::sum(aux * aux)()) && near(std::get<0>(xgrad::gradient(frozen, x))(2), 3.0));

    auto safe = [](auto const& v) { return sum(where(v > 0.0, sqrt(v), 0.0)); };  // what is not taken contributes nothing
    check(std::get<0>(xgrad::gradient(safe, vector{0.0, 4.0})) == vector({0.0, 0.25}));

    matrix const batch{{1, 2, 3}, {4, 5, 6}};
    auto norms = [](auto const& rows) { return sqrt(sum(rows * rows, {1})); };  // along an axis: there is no vmap
    auto const J = xgrad::jacobian(norms, batch);                               // (2, 2, 3)
    check(near(J(1, 1, 2), 6 / std::sqrt(77.0)) && J(0, 1, 2) == 0);
}

void from_chain_rules() {
    auto f = [](auto const& layer, auto const& n) { return sum(std::get<0>(layer)) * std::get<1>(layer) * double(n); };
    std::tuple const layer{vector{1.0, 2.0}, 3.0};
    auto [dlayer, dn] = xgrad::gradient(f, layer, xgrad::constant(2));
    static_assert(std::is_same_v<decltype(dlayer), std::tuple<vector, double>> && std::is_same_v<decltype(dn), xgrad::no_tangent>);
    check(std::get<1>(dlayer) == 6);
}

struct parameters { double intercept, slope, log_sigma; };
XGRAD_REFLECT(parameters, intercept, slope, log_sigma)

auto log_posterior = [](auto const& p, auto const& x, auto const& y) {
    auto sigma = exp(p.log_sigma);
    return xgrad::normal_lpdf(y, p.intercept + p.slope * x, sigma) + xgrad::normal_lpdf(p.slope, 0.0, 2.0) + p.log_sigma;
};

void from_stan() {
    vector const x{0.0, 1.0, 2.0}, y{0.1, 0.9, 2.2};
    auto gradient = xgrad::prepare_gradient(log_posterior, parameters{}, xgrad::constant(x), xgrad::constant(y));
    auto& [value, gradients] = gradient(parameters{0.0, 1.0, -1.0}, xgrad::constant(x), xgrad::constant(y));
    auto& dp = std::get<0>(gradients);  // dp.intercept, dp.slope, dp.log_sigma
    check(near(dp.intercept, (0.1 - 0.1 + 0.2) * std::exp(2.0)));
    double const log_root = 0.5 * std::log(2 * std::numbers::pi);
    check(near(value, -3 * (log_root - 1) - 0.5 * std::exp(2.0) * 0.06 - log_root - std::log(2.0) - 0.125 - 1));
}

void from_autodiff() {
    auto f = [](auto const& x, auto const& p) { return sum(x * x) * exp(p); };
    vector const x{1, 2};
    auto [u, g] = xgrad::value_and_gradient(f, x, xgrad::constant(0.5));         // gradient(f, wrt(x), at(x, p), u)
    auto [v, h, H] = xgrad::value_gradient_and_hessian(f, x, xgrad::constant(0.5));  // hessian(f, wrt(x), at(x, p), u, g)
    auto [w, wdot] = xgrad::jvp(f, std::tuple(x, 0.5), std::tuple(vector{1, 0}, 1.0));  // derivatives(f, along(v, q), at(x, p))
    check(near(u, v) && near(H(0, 0), 2 * std::exp(0.5)) && near(wdot, (2 + 5) * std::exp(0.5)) && near(w, u) && near(std::get<0>(g)(1), std::get<0>(h)(1)));
}

void memory_of_others() {
    std::vector<double> x{1, 2, 3}, xbar(3);  // or Eigen's data() and size()
    auto f = [](auto const& s) { return s[0] * s[1] * s[2]; };
    std::tuple gradient{std::span<double>(xbar)};
    xgrad::add_gradient(gradient, f, std::span<double const>(x));  // adds to xbar
    check(xbar == std::vector<double>({6, 3, 2}));
}

}

int main() {
    from_jax();
    from_chain_rules();
    from_stan();
    from_autodiff();
    memory_of_others();
    std::puts("welcome");
}
