// Loops that carry a state by iterate, beside adjoints by hand that store the states.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

#include <xgrad/linalg.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/filter.hpp>
#include <perf/limits/loops.hpp>
#include <perf/limits/lstm.hpp>
#include <perf/limits/places.hpp>
#include <perf/limits/reductions.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

// 10⁶ steps; it is not chaotic for this r.
constexpr std::size_t steps = 1'000'000;
constexpr auto logistic = [](auto const& x, auto const& r) -> xgrad::real { return r * x * (1.0 - x); };
void logistic_map(benchmark::State& state) {
    double x0 = 0.3, r = 2.9, x0bar = 0.0, rbar = 0.0;
    std::vector<double> states(steps);
    auto const limit = [&] { return limits::logistic_map(steps, x0, r, states.data(), x0bar, rbar); };
    auto g = xgrad::prepare_gradient([](auto const& x, auto const& q) { return xgrad::iterate(steps, logistic, x, q, xgrad::keep_states()); }, x0, r);
    double const y = limit();
    auto const& found = g(x0, r);
    auto const& [slope, slope_of_rate] = found.gradient;
    if (!perf::agrees(state, std::max({std::abs(found.value - y), std::abs(slope - x0bar), std::abs(slope_of_rate - rbar)}))) return;
    perf::compare(
        state, 2.0, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(x0, r).value); });
}
// 100 states beside all of them: 3.82 times as many steps run forward.
void logistic_map_checkpoints(benchmark::State& state) {
    double x0 = 0.3, r = 2.9;
    auto all = xgrad::prepare_gradient([](auto const& x, auto const& q) { return xgrad::iterate(steps, logistic, x, q, xgrad::keep_states()); }, x0, r);
    auto g = xgrad::prepare_gradient([](auto const& x, auto const& q) { return xgrad::iterate(steps, logistic, x, q, xgrad::checkpoints(100)); }, x0, r);
    if (!perf::agrees(state, std::abs(std::get<1>(g(x0, r).gradient) - std::get<1>(all(x0, r).gradient)))) return;
    perf::compare(
        state, 2.5, [&] { benchmark::DoNotOptimize(all(x0, r).value); }, [&] { benchmark::DoNotOptimize(g(x0, r).value); });
}

// A field of 1000 numbers, 1000 steps.
template <class Policy>
void burgers(benchmark::State& state, Policy policy, double bar) {
    constexpr std::ptrdiff_t n = 1000;
    using limit_type = limits::burgers_steps;
    auto const step = [](auto const& u) {
        auto const l = view(u, xt::range(0, n - 2)), c = view(u, xt::range(1, n - 1)), r = view(u, xt::range(2, n));
        auto inside = c + limit_type::m * (r - 2.0 * c + l) - limit_type::k * c * (r - l);
        return concatenate(xt::xtuple(view(u, xt::range(0, 1)), std::move(inside), view(u, xt::range(n - 1, n))));
    };
    auto const f = [=](auto const& x) {
        auto const u = xgrad::iterate(1000, step, x, policy);
        return sum(u * u);
    };
    vector x = vector::from_shape({static_cast<std::size_t>(n)});
    for (std::size_t i = 0; i < x.size(); ++i) x(i) = 0.5 + 0.5 * std::sin(0.37 * static_cast<double>(i * i % 1000));
    vector xbar = x;
    limit_type by_hand(n, 1000);
    auto const limit = [&] { return by_hand(x.data(), xbar.data()); };
    auto g = xgrad::prepare_gradient(f, x);
    limit();
    if (!perf::agrees(state, perf::difference(std::get<0>(g(x).gradient), xbar))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(x).value); });
}
void burgers_all(benchmark::State& state) { burgers(state, xgrad::keep_states(), 1.2); }
void burgers_kept(benchmark::State& state) { burgers(state, xgrad::keep_all(), 0.0); }
void burgers_checkpoints(benchmark::State& state) { burgers(state, xgrad::checkpoints(100), 0.0); }

// Runge and Kutta's method, 10⁴ steps, a state of two numbers.
void lotka_volterra(benchmark::State& state) {
    using limit_type = limits::lotka_volterra;
    constexpr std::size_t n = 10'000;
    constexpr auto step = [](auto const& s, auto const& a, auto const& b, auto const& c, auto const& d) -> xgrad::result<std::tuple<double, double>> {
        constexpr double h = limit_type::h;
        auto const& [x, y] = s;
        auto x1 = a * x - b * x * y;
        auto y1 = d * x * y - c * y;
        auto u2 = x + 0.5 * h * x1;
        auto v2 = y + 0.5 * h * y1;
        auto x2 = a * u2 - b * u2 * v2;
        auto y2 = d * u2 * v2 - c * v2;
        auto u3 = x + 0.5 * h * x2;
        auto v3 = y + 0.5 * h * y2;
        auto x3 = a * u3 - b * u3 * v3;
        auto y3 = d * u3 * v3 - c * v3;
        auto u4 = x + h * x3;
        auto v4 = y + h * y3;
        auto x4 = a * u4 - b * u4 * v4;
        auto y4 = d * u4 * v4 - c * v4;
        return std::tuple(x + h / 6 * (x1 + 2.0 * x2 + 2.0 * x3 + x4), y + h / 6 * (y1 + 2.0 * y2 + 2.0 * y3 + y4));
    };
    auto const f = [](auto const& a, auto const& b, auto const& c, auto const& d, auto const& x0, auto const& y0) {
        auto const last = xgrad::iterate(n, step, std::tuple(x0, y0), a, b, c, d);
        return std::get<0>(last) + std::get<1>(last);
    };
    limit_type::six p{1.1, 0.4, 0.4, 0.1, 10.0, 5.0}, pbar;
    limit_type by_hand(n);
    double const y = by_hand(p, pbar);
    auto g = xgrad::prepare_gradient(f, p[0], p[1], p[2], p[3], p[4], p[5]);
    auto const gradient = [&]() -> auto& { return g(p[0], p[1], p[2], p[3], p[4], p[5]); };
    auto const& found = gradient();
    auto const slopes = std::apply([](auto const&... s) { return limit_type::six{s...}; }, found.gradient);
    if (!perf::agrees(state, std::max(std::abs(found.value - y), perf::difference(slopes, pbar)))) return;
    perf::compare(
        state, 2.0, [&] { benchmark::DoNotOptimize(by_hand(p, pbar)); }, [&] { benchmark::DoNotOptimize(gradient().value); });
}

// The likelihood of 10⁴ observations by a Kalman filter of four states, on arrays of fixed shape.
void filter(benchmark::State& state) {
    using limit_type = limits::filter;
    using four = xt::xtensor_fixed<double, xt::xshape<4>>;
    using square = xt::xtensor_fixed<double, xt::xshape<4, 4>>;
    constexpr std::size_t n = 10'000;
    constexpr auto step = [](auto const& s, auto const& y, auto const& f, auto const& q, auto const& h, auto const& r)
        -> xgrad::result<std::tuple<std::tuple<four, square>, xgrad::summed<double>>> {
        auto const& [mean, p] = s;
        auto ahead = dot(f, mean);
        auto spread = dot(dot(f, p), transpose(f)) + q;
        auto ph = dot(spread, h);
        auto variance = dot(h, ph) + r;
        auto error = y - dot(h, ahead);
        auto gain = ph / variance;
        auto cost = 0.5 * (error * error / variance + log(variance));
        auto less = outer(gain, ph);
        return std::tuple(std::tuple(ahead + gain * error, spread - less), xgrad::summed(cost));
    };
    auto const f = [](auto const& a, auto const& q, auto const& h, auto const& r, auto const& y) {
        four const mean = xt::zeros<double>({4});
        square const p = xt::eye<double>(4);
        return std::get<1>(xgrad::scan(step, std::tuple(mean, p), y, a, q, h, r));
    };
    limit_type::system system{}, bar;
    for (std::size_t i = 0; i < 4; ++i) {
        system.f[5 * i] = 0.95;
        system.q[5 * i] = 0.1;
        if (i != 3) system.f[5 * i + 1] = 0.1;
    }
    system.h = {1.0, 0.0, 0.5, 0.0};
    system.r = 0.5;
    vector y = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) y(i) = std::sin(0.1 * static_cast<double>(i));
    square a, q;
    four h;
    std::copy_n(system.f.data(), 16, a.data());
    std::copy_n(system.q.data(), 16, q.data());
    std::copy_n(system.h.data(), 4, h.data());
    limit_type by_hand(n);
    double const value = by_hand(system, y.data(), bar);
    auto g = xgrad::prepare_gradient(f, a, q, h, system.r, xgrad::constant(y));
    auto const gradient = [&]() -> auto& { return g(a, q, h, system.r, xgrad::constant(y)); };
    auto const& found = gradient();
    auto const& [abar, qbar, hbar, rbar, none] = found.gradient;
    double const apart = std::max({std::abs(found.value / value - 1), perf::difference(abar, bar.f), perf::difference(qbar, bar.q),
                                   perf::difference(hbar, bar.h), std::abs(rbar / bar.r - 1)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, 2.0, [&] { benchmark::DoNotOptimize(by_hand(system, y.data(), bar)); }, [&] { benchmark::DoNotOptimize(gradient().value); });
}

// A cell of 64 units, 100 steps, 16 rows.
template <class Policy>
void lstm(benchmark::State& state, Policy policy, double bar) {
    using matrix = xt::xtensor<double, 2>;
    using rows = xt::xtensor<double, 3>;
    constexpr std::size_t n = 100, batch = 16, units = 64;
    auto const cell = [](auto const& s, auto const& x, auto const& w) {
        auto const& [h, c] = s;
        auto z = x + dot(h, w);
        auto part = [&z](std::size_t k) { return view(z, xt::all(), xt::range(k * units, (k + 1) * units)); };
        auto memory = sigmoid(part(1)) * c + sigmoid(part(0)) * tanh(part(3));
        return std::tuple(sigmoid(part(2)) * tanh(memory), memory);
    };
    auto const f = [=](auto const& x, auto const& w) {
        matrix const zeros = xt::zeros<double>({batch, units});
        auto const h = std::get<0>(xgrad::scan(cell, std::tuple(zeros, zeros), x, w, policy));
        return sum(h * h);
    };
    rows x = rows::from_shape({n, batch, 4 * units});
    matrix w = matrix::from_shape({units, 4 * units});
    for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(1.0 + 0.37 * static_cast<double>(i * i % 1000));
    for (std::size_t i = 0; i < w.size(); ++i) w.flat(i) = 0.1 * std::cos(1.0 + 0.61 * static_cast<double>(i * i % 1000));
    rows xbar = x;
    matrix wbar = w;
    limits::lstm by_hand(n, batch, units);
    double const value = by_hand(x.data(), w.data(), xbar.data(), wbar.data());
    auto g = xgrad::prepare_gradient(f, x, w);
    auto const& found = g(x, w);
    auto const& [xfound, wfound] = found.gradient;
    if (!perf::agrees(state, std::max({std::abs(found.value / value - 1), perf::difference(xfound, xbar), perf::difference(wfound, wbar)}))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(by_hand(x.data(), w.data(), xbar.data(), wbar.data())); },
        [&] { benchmark::DoNotOptimize(g(x, w).value); });
}
void lstm_all(benchmark::State& state) { lstm(state, xgrad::keep_all(), 1.1); }
void lstm_states(benchmark::State& state) { lstm(state, xgrad::keep_states(), 0.0); }

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    benchmark::RegisterBenchmark("logistic map, 10^6 steps, all states", logistic_map)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("the same, 100 checkpoints, beside all states", logistic_map_checkpoints)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("Burgers by iterate, 1000 x 1000", burgers_all)->UseManualTime()->Iterations(51);
    benchmark::RegisterBenchmark("the same, all kept", burgers_kept)->UseManualTime()->Iterations(51);
    benchmark::RegisterBenchmark("the same, 100 checkpoints", burgers_checkpoints)->UseManualTime()->Iterations(51);
    benchmark::RegisterBenchmark("Lotka-Volterra by RK4, 10^4 steps", lotka_volterra)->UseManualTime()->Iterations(51);
    benchmark::RegisterBenchmark("Kalman filter of 4 states, 10^4 steps", filter)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("LSTM cell of 64 units, 100 steps, all kept", lstm_all)->UseManualTime()->Iterations(51);
    benchmark::RegisterBenchmark("the same, states kept", lstm_states)->UseManualTime()->Iterations(51);
    return perf::run(argc, argv);
}
