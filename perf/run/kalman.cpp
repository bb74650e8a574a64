// One step of a Kalman filter with a state of 20 and 10 observations, and its gradient by the system's matrices, beside BLAS and LAPACK called by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/kalman.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

// Minus the logarithm of the density of y, and half the expected square of the state after it.
auto const cost_of_step = [](auto const& s, auto const& mean, auto const& covariance, auto const& y) {
    auto predicted = dot(s.f, mean);
    auto p = dot(dot(s.f, covariance), transpose(s.f)) + s.q;
    auto b = dot(s.h, p);
    auto l = cholesky(dot(b, transpose(s.h)) + s.r);
    auto w = solve_triangular(l, y - dot(s.h, predicted));
    auto c = solve_triangular(l, b);
    auto updated = predicted + dot(transpose(c), w);
    auto variances = diagonal(p) - sum(square(c), {0});
    auto const n = static_cast<double>(y.size());
    return 0.5 * sum(square(w)) + sum(log(diagonal(l))) + 0.5 * n * std::log(2.0 * std::acos(-1.0)) + 0.5 * (sum(square(updated)) + sum(variances));
};

double difference(limits::linear_system const& a, limits::linear_system const& b) {
    return std::max({perf::difference(a.f, b.f), perf::difference(a.q, b.q), perf::difference(a.h, b.h), perf::difference(a.r, b.r)});
}

void kalman(benchmark::State& state) {
    std::size_t const n = 20, m = 10;
    std::mt19937 random{1};
    std::normal_distribution<double> normal;
    auto const matrix_of = [&](std::size_t rows, std::size_t columns, double deviation, double diagonal) {
        auto a = matrix::from_shape({rows, columns});
        for (auto& e : a) e = deviation * normal(random);
        for (std::size_t i = 0; i < std::min(rows, columns); ++i) a(i, i) += diagonal;
        return a;
    };
    auto const covariance_of = [&](std::size_t size) {
        auto const a = matrix_of(size, size, 0.1, 1.0);
        auto s = a;
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j) {
                s(i, j) = 0.0;
                for (std::size_t k = 0; k < size; ++k) s(i, j) += a(i, k) * a(j, k);
            }
        return s;
    };
    limits::linear_system const system{matrix_of(n, n, 0.1, 0.9), covariance_of(n), matrix_of(m, n, 0.3, 1.0), covariance_of(m)};
    auto handbar = system;
    matrix const p = covariance_of(n);
    auto mean = vector::from_shape({n}), y = vector::from_shape({m});
    for (auto& e : mean) e = normal(random);
    for (auto& e : y) e = normal(random);
    limits::kalman hand;
    auto const constants = std::tuple(xgrad::constant(mean), xgrad::constant(p), xgrad::constant(y));
    auto const& [before, covariance, observed] = constants;
    auto g = xgrad::prepare_gradient(cost_of_step, system, before, covariance, observed);
    double const expected = hand(system, mean, p, y, handbar);
    auto const& found = g(system, before, covariance, observed);
    auto const& bar = std::get<0>(found.gradient);
    if (!perf::agrees(state, std::max(difference({bar.f, bar.q, bar.h, bar.r}, handbar), std::abs(found.value / expected - 1.0)))) return;
    perf::compare(
        state, 0.0, [&] { benchmark::DoNotOptimize(hand(system, mean, p, y, handbar)); },
        [&] { benchmark::DoNotOptimize(g(system, before, covariance, observed).value); });
}
BENCHMARK(kalman)->UseManualTime()->Iterations(2001);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
