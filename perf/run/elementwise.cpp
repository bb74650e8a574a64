// Σ log(1 + exp(a x + b)) tanh(x) and its three gradients, beside one hand-written pass over xsimd batches.
#include <cstddef>
#include <random>
#include <string>
#include <tuple>

#include <xgrad/xgrad.hpp>

#include <perf/cases.hpp>
#include <perf/compare.hpp>
#include <perf/limits/elementwise.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

vector uniform(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> between(-2.0, 2.0);
    auto v = vector::from_shape({n});
    for (auto& e : v) e = between(random);
    return v;
}

struct data {
    vector a, b, x, abar, bbar, xbar;
    explicit data(std::size_t n) : a(uniform(n, 1)), b(uniform(n, 2)), x(uniform(n, 3)), abar(a), bbar(b), xbar(x) {}

    double limit() { return limits::elementwise(a.size(), a.data(), b.data(), x.data(), abar.data(), bbar.data(), xbar.data()); }
    double error(std::tuple<vector, vector, vector> const& g) {
        limit();
        return std::max({perf::difference(std::get<0>(g), abar), perf::difference(std::get<1>(g), bbar), perf::difference(std::get<2>(g), xbar)});
    }
};

template <class F>
void prepared(benchmark::State& state, F const& f, std::size_t n, double bar) {
    data d(n);
    auto g = xgrad::prepare_gradient(f, d.a, d.b, d.x);
    if (!perf::agrees(state, d.error(g(d.a, d.b, d.x).gradient))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(d.limit()); }, [&] { benchmark::DoNotOptimize(g(d.a, d.b, d.x).value); });
}

template <class F>
void at_once(benchmark::State& state, F const& f, std::size_t n, double bar) {
    data d(n);
    if (!perf::agrees(state, d.error(xgrad::gradient(f, d.a, d.b, d.x)))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(d.limit()); }, [&] { benchmark::DoNotOptimize(xgrad::value_and_gradient(f, d.a, d.b, d.x).value); });
}

// A bar of 0: a figure to know, with nothing to hold it against.
template <class F>
void enter(std::string const& name, F const& f, std::size_t n, double bar) {
    auto const repetitions = static_cast<benchmark::IterationCount>(n < 100000 ? 1001 : 41);
    auto const row = name + ", n = " + std::to_string(n);
    benchmark::RegisterBenchmark((row + ", prepared").c_str(), [=](benchmark::State& s) { prepared(s, f, n, bar); })->UseManualTime()->Iterations(repetitions);
    benchmark::RegisterBenchmark((row + ", value_and_gradient").c_str(), [=](benchmark::State& s) { at_once(s, f, n, 0.0); })
        ->UseManualTime()
        ->Iterations(repetitions);
}

}  // namespace

int main(int argc, char** argv) {
    enter("fused", cases::fused, 10, 1.5);
    enter("fused", cases::fused, 1000, 1.15);
    enter("fused", cases::fused, 1000000, 0.0);
    enter("named", cases::named, 10, 0.0);
    enter("named", cases::named, 1000, 2.0);
    enter("named", cases::named, 1000000, 0.0);
    return perf::run(argc, argv);
}
