// Σ x²/2 + 1/(1 + x²) and its gradient, beside one hand-written pass; and the same with four names, beside the formula without them. Six names of two arrays,
// some of which are too much to be computed again, beside a pass by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <tuple>

#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/names.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

constexpr auto without_names = [](auto const& x) { return sum(x * x * 0.5 + 1.0 / (1.0 + x * x)); };
constexpr auto four_names = [](auto const& x) {
    auto a = x * x;
    auto b = a * 0.5;
    auto c = 1.0 + a;
    auto d = 1.0 / c;
    return sum(b + d);
};

constexpr auto all_named = [](auto const& x) {
    auto a = x * x;
    auto b = 1.0 + a;
    auto c = 1.0 / b;
    auto d = a / 2.0 + c;
    return sum(d);
};

constexpr auto six = [](auto const& x, auto const& y) {
    auto r = x * x + y * y;
    auto s = 1.0 / (1.0 + r);
    auto t = s * x - y;
    auto u = t * t + s;
    auto w = u * x;
    return sum(w * t);
};

struct data {
    vector x, xbar;
    explicit data(std::size_t n) : x(vector::from_shape({n})), xbar(x) {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> between(-2.0, 2.0);
        for (auto& e : x) e = between(random);
    }
    double limit() { return limits::cheap(x.size(), x.data(), xbar.data()); }
    template <class Result>
    double error(Result const& r) {
        double const y = limit();
        return std::max(perf::difference(std::get<0>(r.gradient), xbar), std::abs(r.value - y) / y);
    }
};

void fused(benchmark::State& state, std::size_t n, double bar) {
    data d(n);
    auto g = xgrad::prepare_gradient(without_names, d.x);
    if (!perf::agrees(state, d.error(g(d.x)))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(d.limit()); }, [&] { benchmark::DoNotOptimize(g(d.x).value); });
}
template <class F>
void beside_fused(benchmark::State& state, F const& f, std::size_t n, double bar) {
    data d(n);
    auto limit = xgrad::prepare_gradient(without_names, d.x);
    auto g = xgrad::prepare_gradient(f, d.x);
    if (!perf::agrees(state, d.error(g(d.x)))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(limit(d.x).value); }, [&] { benchmark::DoNotOptimize(g(d.x).value); });
}

void named(benchmark::State& state, std::size_t n, double bar) { beside_fused(state, four_names, n, bar); }
void six_names(benchmark::State& state, std::size_t n, double bar) {
    data d(n), e(n);
    std::reverse(e.x.begin(), e.x.end());
    auto const limit = [&] { return limits::six_names(n, d.x.data(), e.x.data(), d.xbar.data(), e.xbar.data()); };
    auto g = xgrad::prepare_gradient(six, d.x, e.x);
    double const y = limit();
    auto const& r = g(d.x, e.x);
    double const apart =
        std::max({std::abs(r.value - y) / std::abs(y), perf::difference(std::get<0>(r.gradient), d.xbar), perf::difference(std::get<1>(r.gradient), e.xbar)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(d.x, e.x).value); });
}
void named_to_the_end(benchmark::State& state, std::size_t n, double bar) { beside_fused(state, all_named, n, bar); }

}  // namespace

int main(int argc, char** argv) {
    auto const enter = [](char const* name, void (*row)(benchmark::State&, std::size_t, double), std::size_t n, double bar) {
        benchmark::RegisterBenchmark((name + (", n = " + std::to_string(n))).c_str(), [=](benchmark::State& s) { row(s, n, bar); })
            ->UseManualTime()
            ->Iterations(n < 100000 ? 1001 : 101);
    };
    enter("cheap operations", fused, 100, 1.6);
    enter("cheap operations", fused, 1000, 1.4);
    enter("cheap operations", fused, 1000000, 1.2);
    enter("the same with four names, beside it", named, 1000, 1.5);
    enter("the same with four names, beside it", named, 1000000, 1.15);
    enter("the same with every value named, beside it", named_to_the_end, 1000, 1.5);
    enter("the same with every value named, beside it", named_to_the_end, 1000000, 1.15);
    for (std::size_t const n : {1000, 10000, 100000, 1000000}) enter("six names", six_names, n, 0.0);
    return perf::run(argc, argv);
}
