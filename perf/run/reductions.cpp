// logsumexp and prod and their gradients, beside loops by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/reductions.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

template <class F>
void reduction(benchmark::State& state, std::size_t n, F f, double (*by_hand)(std::size_t, double const*, double*), double bar) {
    vector x = vector::from_shape({n}), xbar = x;
    std::mt19937 random(1);
    std::normal_distribution<double> normal(1.0, 0.1);
    for (auto& e : x) e = normal(random);
    auto g = xgrad::prepare_gradient(f, x);
    auto const limit = [&] { return by_hand(n, x.data(), xbar.data()); };
    double const y = limit();
    if (!perf::agrees(state, std::max(perf::difference(std::get<0>(g(x).gradient), xbar), std::abs(g(x).value - y) / std::abs(y)))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(x).value); });
}

constexpr auto log_sum = [](auto const& x) { return xgrad::logsumexp(x); };
constexpr auto product = [](auto const& x) { return prod(x); };

void logsumexp_1000(benchmark::State& state) { reduction(state, 1000, log_sum, limits::log_sum_exp, 1.3); }
void logsumexp_1000000(benchmark::State& state) { reduction(state, 1000000, log_sum, limits::log_sum_exp, 1.1); }
void prod_100(benchmark::State& state) { reduction(state, 100, product, limits::product, 1.3); }
BENCHMARK(logsumexp_1000)->UseManualTime()->Iterations(1001);
BENCHMARK(logsumexp_1000000)->UseManualTime()->Iterations(101);
BENCHMARK(prod_100)->UseManualTime()->Iterations(1001);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
