// The sum of squares of what pad, roll and concatenate give, and its gradient, beside copies of blocks written by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>

#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/moves.hpp>
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

template <class F, class Limit>
void of_one(benchmark::State& state, F const& f, Limit hand, std::size_t n) {
    vector const x = uniform(n, 1);
    vector xbar = x;
    auto g = xgrad::prepare_gradient(f, x);
    double const y = hand(x.data(), xbar.data());
    auto const& [value, gradient] = g(x);
    if (!perf::agrees(state, std::max(perf::difference(std::get<0>(gradient), xbar), std::abs(value - y) / y))) return;
    perf::compare(
        state, 1.3, [&] { benchmark::DoNotOptimize(hand(x.data(), xbar.data())); }, [&] { benchmark::DoNotOptimize(g(x).value); });
}
void padded(benchmark::State& state, std::size_t n) {
    of_one(state, [](auto const& x) { auto y = pad(x, 8, {}, 1.0); return sum(y * y); }, limits::padded(n, 8), n);
}
void rolled(benchmark::State& state, std::size_t n) {
    of_one(state, [](auto const& x) { auto y = roll(x, 3); return sum(y * y); }, limits::rolled(n, 3), n);
}
void joined(benchmark::State& state, std::size_t n) {
    vector const a = uniform(n, 1), b = uniform(n, 2);
    vector abar = a, bbar = b;
    auto f = [](auto const& u, auto const& v) { auto y = concatenate(xt::xtuple(u, v)); return sum(y * y); };
    auto g = xgrad::prepare_gradient(f, a, b);
    limits::joined hand(n);
    double const y = hand(a.data(), b.data(), abar.data(), bbar.data());
    auto const& [value, gradient] = g(a, b);
    auto const& [da, db] = gradient;
    if (!perf::agrees(state, std::max({perf::difference(da, abar), perf::difference(db, bbar), std::abs(value - y) / y}))) return;
    perf::compare(
        state, 1.3, [&] { benchmark::DoNotOptimize(hand(a.data(), b.data(), abar.data(), bbar.data())); },
        [&] { benchmark::DoNotOptimize(g(a, b).value); });
}

}  // namespace

int main(int argc, char** argv) {
    for (std::size_t const n : {100u, 1000000u}) {
        auto const enter = [n](std::string const& name, void (*row)(benchmark::State&, std::size_t)) {
            benchmark::RegisterBenchmark((name + ", n = " + std::to_string(n)).c_str(), [=](benchmark::State& s) { row(s, n); })
                ->UseManualTime()
                ->Iterations(n < 1000 ? 1001 : 41);
        };
        enter("pad", padded);
        enter("roll", rolled);
        enter("concatenate", joined);
    }
    return perf::run(argc, argv);
}
