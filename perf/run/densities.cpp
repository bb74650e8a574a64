// Log-densities and losses of many observations with parameters that are numbers, and their gradients, beside one hand-written pass over xsimd batches.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <string>
#include <tuple>

#include <xgrad/distributions.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/densities.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

vector positive(std::size_t n) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> between(0.2, 4.0);
    auto v = vector::from_shape({n});
    for (auto& e : v) e = between(random);
    return v;
}

// `limit(y, p..., ybar, pbar...)` is the value.
template <class F, class Limit, class... P>
void beside(benchmark::State& state, double bar, std::size_t n, F const& f, Limit limit, P... p) {
    vector const y = positive(n);
    vector ybar = y;
    std::tuple<P...> pbar;
    auto const hand = [&] { return std::apply([&](auto&... b) { return limit(n, y.data(), p..., ybar.data(), b...); }, pbar); };
    auto g = xgrad::prepare_gradient(f, y, p...);
    double const value = hand();
    auto const& r = g(y, p...);
    double error = std::max(perf::difference(std::get<0>(r.gradient), ybar), std::abs(r.value - value) / std::abs(value));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((error = std::max(error, std::abs(std::get<I + 1>(r.gradient) - std::get<I>(pbar)) / std::abs(std::get<I>(pbar)))), ...);
    }(std::index_sequence_for<P...>{});
    if (!perf::agrees(state, error)) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(hand()); }, [&] { benchmark::DoNotOptimize(g(y, p...).value); });
}

template <class F>
void enter(std::string const& name, std::size_t n, F row) {
    benchmark::RegisterBenchmark((name + ", n = " + std::to_string(n)).c_str(), [=](benchmark::State& s) { row(s, n); })
        ->UseManualTime()
        ->Iterations(n < 100000 ? 1001 : 41);
}

}  // namespace

int main(int argc, char** argv) {
    for (std::size_t const n : {1000u, 1000000u}) {
        double const bar = n < 100000 ? 1.3 : 1.15;
        enter("normal density as written", n, [=](benchmark::State& s, std::size_t size) {
            auto const f = [](auto const& y, auto const& mu, auto const& sigma) {
                auto z = (y - mu) / sigma;
                return sum(-0.5 * z * z - log(sigma) - 0.5 * std::log(2 * std::numbers::pi));
            };
            beside(s, bar, size, f, limits::normal, 1.5, 2.0);
        });
        enter("normal_lpdf", n, [=](benchmark::State& s, std::size_t size) {
            beside(s, bar, size, [](auto const& y, auto const& mu, auto const& sigma) { return normal_lpdf(y, mu, sigma); }, limits::normal, 1.5, 2.0);
        });
    }
    for (std::size_t const n : {1000u, 1000000u}) {
        enter("Huber loss as written", n, [=](benchmark::State& s, std::size_t size) {
            auto const f = [](auto const& y, auto const& mu, auto const& c) {
                auto r = y - mu;
                return sum(where(abs(r) <= c, 0.5 * r * r, c * (abs(r) - 0.5 * c)));
            };
            beside(s, n < 100000 ? 2.5 : 1.5, size, f, limits::huber, 2.0, 0.7);
        });
    }
    auto const others = [](std::string const& name, auto f, auto limit, auto... p) {
        enter(name, 1000, [=](benchmark::State& s, std::size_t size) { beside(s, 1.5, size, f, limit, p...); });
    };
    others("cauchy_lpdf", [](auto const&... x) { return cauchy_lpdf(x...); }, limits::cauchy, 1.5, 2.0);
    others("logistic_lpdf", [](auto const&... x) { return logistic_lpdf(x...); }, limits::logistic, 1.5, 2.0);
    others("student_t_lpdf", [](auto const&... x) { return student_t_lpdf(x...); }, limits::student_t, 4.0, 1.5, 2.0);
    others("gamma_lpdf", [](auto const&... x) { return gamma_lpdf(x...); }, limits::gamma, 1.5, 2.0);
    return perf::run(argc, argv);
}
