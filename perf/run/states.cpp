// Small states in loops, as a user writes them, beside the plain program or its adjoint by hand: Runge-Kutta steps of three numbers, a Kalman filter and a
// hidden Markov model of four states, a recurrent cell.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

#include <xgrad/linalg.hpp>
#include <xgrad/loop.hpp>
#include <xtensor-blas/xlinalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/states.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
constexpr std::size_t steps = 100;
constexpr double h = 0.01;

// Lorenz' equations.
constexpr auto slope_of_numbers = [](auto const& x, auto const& y, auto const& z, auto const& p) {
    return std::tuple(p(0) * (y - x), x * (p(1) - z) - y, x * y - p(2) * z);
};

constexpr auto by_numbers = [](auto const& s0, auto const& p) {
    xgrad::number_like<decltype(s0)> x = s0(0), y = s0(1), z = s0(2);
    for (std::size_t i = 0; i < steps; ++i) {
        auto const [a0, a1, a2] = slope_of_numbers(x, y, z, p);
        auto const [b0, b1, b2] = slope_of_numbers(x + 0.5 * h * a0, y + 0.5 * h * a1, z + 0.5 * h * a2, p);
        auto const [c0, c1, c2] = slope_of_numbers(x + 0.5 * h * b0, y + 0.5 * h * b1, z + 0.5 * h * b2, p);
        auto const [d0, d1, d2] = slope_of_numbers(x + h * c0, y + h * c1, z + h * c2, p);
        x += h / 6.0 * (a0 + 2.0 * b0 + 2.0 * c0 + d0);
        y += h / 6.0 * (a1 + 2.0 * b1 + 2.0 * c1 + d1);
        z += h / 6.0 * (a2 + 2.0 * b2 + 2.0 * c2 + d2);
    }
    return x * x + y * y + z * z;
};
constexpr auto by_arrays = [](auto const& s0, auto const& p) {
    auto slope = [&](auto const& u) { return xgrad::stack(xt::xtuple(p(0) * (u(1) - u(0)), u(0) * (p(1) - u(2)) - u(1), u(0) * u(1) - p(2) * u(2))); };
    xgrad::variable s = s0;
    for (std::size_t i = 0; i < steps; ++i) {
        xgrad::variable k1 = slope(s), s1 = s + 0.5 * h * k1, k2 = slope(s1), s2 = s + 0.5 * h * k2, k3 = slope(s2), s3 = s + h * k3, k4 = slope(s3);
        s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return sum(s * s);
};

constexpr auto declared = [](auto const& s0, auto const& p) -> xgrad::real {
    xgrad::number_like<decltype(s0)> x = s0(0), y = s0(1), z = s0(2);
    for (std::size_t i = 0; i < steps; ++i) {
        xgrad::number_like<decltype(s0)> a0, a1, a2, b0, b1, b2, c0, c1, c2, d0, d1, d2;
        std::tie(a0, a1, a2) = slope_of_numbers(x, y, z, p);
        std::tie(b0, b1, b2) = slope_of_numbers(x + 0.5 * h * a0, y + 0.5 * h * a1, z + 0.5 * h * a2, p);
        std::tie(c0, c1, c2) = slope_of_numbers(x + 0.5 * h * b0, y + 0.5 * h * b1, z + 0.5 * h * b2, p);
        std::tie(d0, d1, d2) = slope_of_numbers(x + h * c0, y + h * c1, z + h * c2, p);
        x += h / 6.0 * (a0 + 2.0 * b0 + 2.0 * c0 + d0);
        y += h / 6.0 * (a1 + 2.0 * b1 + 2.0 * c1 + d1);
        z += h / 6.0 * (a2 + 2.0 * b2 + 2.0 * c2 + d2);
    }
    return x * x + y * y + z * z;
};

// As the page on loops advises: a body that declares its result.
constexpr auto by_iterate = [](auto const& s0, auto const& p) {
    auto const step = [](auto const& s, auto const& p0, auto const& p1, auto const& p2) -> xgrad::result<std::tuple<double, double, double>> {
        auto const& [x, y, z] = s;
        auto const slope = [&](auto const& u, auto const& v, auto const& w) { return std::tuple(p0 * (v - u), u * (p1 - w) - v, u * v - p2 * w); };
        auto const [a0, a1, a2] = slope(x, y, z);
        auto const u1 = x + 0.5 * h * a0;
        auto const v1 = y + 0.5 * h * a1;
        auto const w1 = z + 0.5 * h * a2;
        auto const [b0, b1, b2] = slope(u1, v1, w1);
        auto const u2 = x + 0.5 * h * b0;
        auto const v2 = y + 0.5 * h * b1;
        auto const w2 = z + 0.5 * h * b2;
        auto const [c0, c1, c2] = slope(u2, v2, w2);
        auto const u3 = x + h * c0;
        auto const v3 = y + h * c1;
        auto const w3 = z + h * c2;
        auto const [d0, d1, d2] = slope(u3, v3, w3);
        return std::tuple(x + h / 6.0 * (a0 + 2.0 * b0 + 2.0 * c0 + d0), y + h / 6.0 * (a1 + 2.0 * b1 + 2.0 * c1 + d1),
                          z + h / 6.0 * (a2 + 2.0 * b2 + 2.0 * c2 + d2));
    };
    auto const [x, y, z] = xgrad::iterate(steps, step, std::tuple(s0(0), s0(1), s0(2)), p(0), p(1), p(2));
    return x * x + y * y + z * z;
};

vector const start{1.0, 2.0, 20.0}, parameters{10.0, 28.0, 8.0 / 3.0};

template <class F>
void lorenz(benchmark::State& state, F f, double bar) {
    vector s = start;
    auto const limit = [&] { return limits::lorenz(steps, h, s.data(), parameters.data()); };
    auto g = xgrad::prepare_gradient(f, s, parameters);
    if (!perf::agrees(state, std::abs(g(s, parameters).value / limit() - 1.0))) return;
    perf::compare(
        state, bar,
        [&] {
            benchmark::DoNotOptimize(s.data());
            benchmark::DoNotOptimize(limit());
        },
        [&] { benchmark::DoNotOptimize(g(s, parameters).value); });
}
void lorenz_by_arrays(benchmark::State& state) { lorenz(state, by_arrays, 20.0); }
void lorenz_by_numbers(benchmark::State& state) { lorenz(state, by_numbers, 15.0); }
void lorenz_declared(benchmark::State& state) {
    lorenz(state, declared, 6.0);
}
void lorenz_by_iterate(benchmark::State& state) { lorenz(state, by_iterate, 6.0); }
BENCHMARK(lorenz_by_arrays)->UseManualTime()->Iterations(301);
BENCHMARK(lorenz_by_numbers)->UseManualTime()->Iterations(301);
BENCHMARK(lorenz_declared)->UseManualTime()->Iterations(301);
BENCHMARK(lorenz_by_iterate)->UseManualTime()->Iterations(301);

// h = tanh(W h + U x + b), beside its adjoint by hand.
constexpr std::size_t units = 14, times = 20;
constexpr auto cell = [](auto const& w, auto const& u, auto const& b, auto const& xs) {
    xgrad::variable<vector> state = xt::zeros<double>({units});
    for (std::size_t t = 0; t < times; ++t) state = tanh(dot(w, state) + u * xs(t) + b);
    return sum(state * state);
};
void recurrent_cell(benchmark::State& state) {
    matrix w = matrix::from_shape({units, units});
    vector u = vector::from_shape({units}), b = u, xs = vector::from_shape({times});
    for (std::size_t i = 0; i < w.size(); ++i) w.flat(i) = 0.1 * std::sin(double(i));
    for (std::size_t i = 0; i < units; ++i) u(i) = std::cos(double(i)), b(i) = 0.1 * double(i % 3);
    for (std::size_t i = 0; i < times; ++i) xs(i) = std::sin(0.3 * double(i));
    matrix wbar = w;
    vector ubar = u, bbar = b;
    limits::recurrent_cell hand(units, times);
    auto g = xgrad::prepare_gradient(cell, w, u, b, xgrad::constant(xs));
    auto const limit = [&] { return hand(w.data(), u.data(), b.data(), xs.data(), wbar.data(), ubar.data(), bbar.data()); };
    double const y = limit();
    auto const& r = g(w, u, b, xgrad::constant(xs));
    auto const& [gw, gu, gb, none] = r.gradient;
    double const error = std::max({std::abs(r.value / y - 1.0), perf::difference(gw, wbar), perf::difference(gu, ubar), perf::difference(gb, bbar)});
    if (!perf::agrees(state, error)) return;
    perf::compare(
        state, 1.6, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(w, u, b, xgrad::constant(xs)).value); });
}
BENCHMARK(recurrent_cell)->UseManualTime()->Iterations(1001);

// Statements on four elements, one of them on a column, and a product: the log-likelihood of a hidden Markov model. A bar that only guards.
constexpr auto likelihood = [](auto const& p, auto const& a, auto const& b, auto const& seen) {
    xgrad::variable now = p * view(b, xt::all(), seen[0]);
    xgrad::variable value = 0.0 * p(0);
    for (std::size_t t = 1; t < seen.size(); ++t) {
        auto c = sum(now);
        value += log(c);
        now = dot(now / c, a) * view(b, xt::all(), seen[t]);
    }
    return value + log(sum(now));
};
void hidden_states(benchmark::State& state) {
    constexpr std::size_t kinds = 6, observations = 500;
    vector p{0.1, 0.2, 0.3, 0.4};
    matrix a = matrix::from_shape({4, 4}), b = matrix::from_shape({4, kinds});
    for (std::size_t i = 0; i < a.size(); ++i) a.flat(i) = 0.25 + 0.1 * std::sin(double(i));
    for (std::size_t i = 0; i < b.size(); ++i) b.flat(i) = 0.2 + 0.1 * std::cos(double(i));
    std::vector<std::size_t> seen(observations);
    for (std::size_t t = 0; t < seen.size(); ++t) seen[t] = t * t % kinds;
    vector pbar = p;
    matrix abar = a, bbar = b;
    limits::hidden_states hand(observations);
    auto g = xgrad::prepare_gradient([&](auto const&... x) { return likelihood(x..., seen); }, p, a, b);
    auto const limit = [&] { return hand(p.data(), a.data(), b.data(), kinds, seen.data(), pbar.data(), abar.data(), bbar.data()); };
    double const y = limit();
    auto const& r = g(p, a, b);
    auto const& [gp, ga, gb] = r.gradient;
    double const error = std::max({std::abs(r.value / y - 1.0), perf::difference(gp, pbar), perf::difference(ga, abar), perf::difference(gb, bbar)});
    if (!perf::agrees(state, error)) return;
    perf::compare(
        state, 8.0, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(p, a, b).value); });
}
BENCHMARK(hidden_states)->UseManualTime()->Iterations(301);

// Minus the log-likelihood of 200 observations by a filter of four states, beside the same program on plain arrays.
constexpr auto filter = [](auto const& f, auto const& q, auto const& hh, auto const& r, auto const& ys) {
    xgrad::number_like<decltype(f)> cost = 0.0;
    xgrad::variable<vector> mean = xt::zeros<double>({4});
    xgrad::variable<matrix> p = xt::eye<double>(4);
    for (std::size_t t = 0; t < ys.shape()[0]; ++t) {
        mean = dot(f, mean);
        p = dot(dot(f, p), transpose(f)) + q;
        auto ph = dot(p, hh);
        auto s = dot(hh, ph) + r;
        auto e = ys(t) - dot(hh, mean);
        auto k = ph / s;
        mean = mean + k * e;
        p = p - view(k, xt::all(), xt::newaxis()) * view(ph, xt::newaxis(), xt::all());
        cost += 0.5 * (e * e / s + log(s));
    }
    return cost;
};
double plain_filter(matrix const& f, matrix const& q, vector const& hh, double r, vector const& ys) {
    double cost = 0.0;
    vector mean = xt::zeros<double>({4});
    matrix p = xt::eye<double>(4);
    for (std::size_t t = 0; t < ys.shape()[0]; ++t) {
        mean = xt::linalg::dot(f, mean);
        p = xt::linalg::dot(xt::linalg::dot(f, p), xt::transpose(f)) + q;
        vector const ph = xt::linalg::dot(p, hh);
        double const s = xt::linalg::dot(hh, ph)(0) + r;
        double const e = ys(t) - xt::linalg::dot(hh, mean)(0);
        vector const k = ph / s;
        mean = vector(mean + k * e);
        p = matrix(p - xt::view(k, xt::all(), xt::newaxis()) * xt::view(ph, xt::newaxis(), xt::all()));
        cost += 0.5 * (e * e / s + std::log(s));
    }
    return cost;
}
template <class F>
void kalman(benchmark::State& state, F run, double bar) {
    matrix f = xt::eye<double>(4), q = 0.1 * xt::eye<double>(4);
    for (std::size_t i = 0; i < 3; ++i) f(i, i + 1) = 0.1;
    vector hh{1.0, 0.0, 0.5, 0.0}, ys = vector::from_shape({200});
    for (std::size_t i = 0; i < ys.size(); ++i) ys(i) = std::sin(0.1 * double(i));
    double r = 0.5;
    auto ours = run(f, q, hh, r, ys);
    if (!perf::agrees(state, std::abs(ours() / plain_filter(f, q, hh, r, ys) - 1.0))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(plain_filter(f, q, hh, r, ys)); }, [&] { benchmark::DoNotOptimize(ours()); });
}
void filter_gradient(benchmark::State& state) {
    kalman(state, [](auto const&... x) {
        return [g = xgrad::prepare_gradient(filter, x...), &x...]() mutable { return g(x...).value; };
    }, 10.0);
}
void filter_value(benchmark::State& state) {
    kalman(state, [](auto const&... x) { return [&] { return double(xgrad::value(filter, x...)); }; }, 1.3);
}
BENCHMARK(filter_gradient)->UseManualTime()->Iterations(101);
BENCHMARK(filter_value)->UseManualTime()->Iterations(101);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
