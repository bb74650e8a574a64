// The gradient of an attention block, 128 rows of 64 with four projections, beside matrix products on the same BLAS library by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/attention.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;

auto const error_of_attention = [](auto const& p, auto const& x, auto const& target) {
    auto q = dot(x, p.query);
    auto k = dot(x, p.key);
    auto v = dot(x, p.value);
    auto weights = softmax(dot(q, transpose(k)) / std::sqrt(static_cast<double>(x.shape(1))), 1);
    return mean(square(dot(dot(weights, v), p.output) - target));
};

double difference(limits::projections const& a, limits::projections const& b) {
    return std::max(
        {perf::difference(a.query, b.query), perf::difference(a.key, b.key), perf::difference(a.value, b.value), perf::difference(a.output, b.output)});
}

void attention(benchmark::State& state) {
    std::size_t const n = 128, d = 64;
    std::mt19937 random{1};
    auto const normal = [&](std::size_t rows, double deviation) {
        std::normal_distribution<double> distribution(0.0, deviation);
        auto a = matrix::from_shape({rows, d});
        for (auto& e : a) e = distribution(random);
        return a;
    };
    double const deviation = 1.0 / std::sqrt(static_cast<double>(d));
    limits::projections const p{normal(d, deviation), normal(d, deviation), normal(d, deviation), normal(d, deviation)};
    auto handbar = p;
    matrix const x = normal(n, 1.0), target = normal(n, 1.0);
    limits::attention hand;
    auto const inputs = xgrad::constant(x), targets = xgrad::constant(target);
    auto g = xgrad::prepare_gradient(error_of_attention, p, inputs, targets);
    double const expected = hand(p, x, target, handbar);
    auto const& found = g(p, inputs, targets);
    auto const& of_p = std::get<0>(found.gradient);
    if (!perf::agrees(state, std::max(difference({of_p.query, of_p.key, of_p.value, of_p.output}, handbar), std::abs(found.value / expected - 1.0)))) return;
    perf::compare(
        state, 0.0, [&] { benchmark::DoNotOptimize(hand(p, x, target, handbar)); }, [&] { benchmark::DoNotOptimize(g(p, inputs, targets).value); });
}
BENCHMARK(attention)->UseManualTime()->Iterations(201);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
