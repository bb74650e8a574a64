// The logarithm of a Gaussian density in 100 dimensions at 1000 points and its gradient by mean and covariance, beside BLAS and LAPACK called by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/gaussian_density.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

// The rows of x are points.
auto const log_density = [](auto const& mean, auto const& covariance, auto const& x) {
    auto const n = static_cast<double>(x.shape(0)), d = static_cast<double>(x.shape(1));
    auto l = cholesky(covariance);
    auto z = solve_triangular(l, transpose(x - mean));
    return -0.5 * sum(z * z) - n * sum(log(diagonal(l))) - 0.5 * n * d * std::log(2.0 * std::acos(-1.0));
};

void gaussian_density(benchmark::State& state) {
    std::size_t const d = 100, n = 1000;
    std::mt19937 random{1};
    std::normal_distribution<double> normal;
    auto x = matrix::from_shape({n, d}), covariance = matrix::from_shape({d, d}), covariancebar = covariance;
    auto mean = vector::from_shape({d}), meanbar = mean;
    for (auto& e : x) e = normal(random);
    for (auto& e : mean) e = 0.1 * normal(random);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) covariance(i, j) = std::exp(-0.1 * static_cast<double>(i < j ? j - i : i - j)) + (i == j ? 0.5 : 0.0);
    limits::gaussian_density hand;
    auto const points = xgrad::constant(x);
    auto g = xgrad::prepare_gradient(log_density, mean, covariance, points);
    double const expected = hand(mean, covariance, x, meanbar, covariancebar);
    auto const& found = g(mean, covariance, points);
    auto const& [dmean, dcovariance, none] = found.gradient;
    double const worst = std::max({perf::difference(dmean, meanbar), perf::difference(dcovariance, covariancebar), std::abs(found.value / expected - 1.0)});
    if (!perf::agrees(state, worst)) return;
    perf::compare(
        state, 0.0, [&] { benchmark::DoNotOptimize(hand(mean, covariance, x, meanbar, covariancebar)); },
        [&] { benchmark::DoNotOptimize(g(mean, covariance, points).value); });
}
BENCHMARK(gaussian_density)->UseManualTime()->Iterations(101);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
