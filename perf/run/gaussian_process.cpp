// The marginal likelihood of a Gaussian process on 500 points with three hyper-parameters and its gradient, beside LAPACK called by hand.
#include <array>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/gaussian_process.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

// ½ (yᵀ K⁻¹ y + log det K), K = exp(2s) exp(-½ d² exp(-2l)) + exp(2t) I.
auto const likelihood = [](auto const& s, auto const& l, auto const& t, auto const& squares, auto const& identity, auto const& y) {
    auto kernel = exp(2.0 * s) * exp(squares * (-0.5 * exp(-2.0 * l))) + exp(2.0 * t) * identity;
    auto [quadratic, logarithm] = gaussian_quadratic(kernel, y);
    return 0.5 * (quadratic + logarithm);
};

void gaussian_process(benchmark::State& state) {
    std::size_t const n = 500;
    std::mt19937 random{1};
    std::uniform_real_distribution<double> uniform(0.0, 10.0);
    vector x(std::array<std::size_t, 1>{n}), y = x;
    for (auto& e : x) e = uniform(random);
    for (std::size_t i = 0; i < n; ++i) y(i) = std::sin(x(i)) + 0.02 * uniform(random);
    matrix squares(std::array<std::size_t, 2>{n, n});
    matrix const identity = xt::eye(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) squares(i, j) = (x(i) - x(j)) * (x(i) - x(j));
    std::array<double, 3> const theta{0.1, 0.2, -1.5};
    std::array<double, 3> gradient{};
    limits::gaussian_process hand;
    auto const constants = std::tuple(xgrad::constant(squares), xgrad::constant(identity), xgrad::constant(y));
    auto const& [d2, one, values] = constants;
    auto g = xgrad::prepare_gradient(likelihood, theta[0], theta[1], theta[2], d2, one, values);
    hand(theta, squares, y, gradient);
    auto const& r = g(theta[0], theta[1], theta[2], d2, one, values).gradient;
    std::array<double, 3> const found{std::get<0>(r), std::get<1>(r), std::get<2>(r)};
    if (!perf::agrees(state, perf::difference(found, gradient))) return;
    perf::compare(
        state, 1.15, [&] { benchmark::DoNotOptimize(hand(theta, squares, y, gradient)); },
        [&] { benchmark::DoNotOptimize(g(theta[0], theta[1], theta[2], d2, one, values).value); });
}
BENCHMARK(gaussian_process)->UseManualTime()->Iterations(51);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
