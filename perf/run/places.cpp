// Programs that write into arrays, element by element and by slices, beside their adjoints by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <tuple>
#include <vector>

#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/places.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

vector random_vector(std::size_t n, double low, double high) {
    static std::mt19937 random(1);
    std::uniform_real_distribution<double> between(low, high);
    vector x = vector::from_shape({n});
    for (auto& e : x) e = between(random);
    return x;
}

constexpr auto solve_tridiagonal = [](auto const& a, auto const& b0, auto const& c, auto const& d) {
    xgrad::variable b = b0, x = d;
    std::size_t const n = b.size();
    for (std::size_t i = 1; i < n; ++i) {
        auto const w = a(i) / b(i - 1);
        b(i) -= w * c(i - 1);
        x(i) -= w * x(i - 1);
    }
    x(n - 1) /= b(n - 1);
    for (std::size_t i = n - 1; i-- > 0;) x(i) = (x(i) - c(i) * x(i + 1)) / b(i);
    return sum(x * x);
};
void thomas(benchmark::State& state) {
    constexpr std::size_t n = 100000;
    vector const a = random_vector(n, 0.1, 1.0), b = random_vector(n, 3.0, 4.0), c = random_vector(n, 0.1, 1.0), d = random_vector(n, -1.0, 1.0);
    vector abar = a, bbar = a, cbar = a, dbar = a;
    limits::thomas by_hand(n);
    auto const limit = [&] { return by_hand(a.data(), b.data(), c.data(), d.data(), abar.data(), bbar.data(), cbar.data(), dbar.data()); };
    auto g = xgrad::prepare_gradient(solve_tridiagonal, a, b, c, d);
    double const y = limit();
    auto const& r = g(a, b, c, d);
    auto const& [ga, gb, gc, gd] = r.gradient;
    double const error = std::max({std::abs(r.value / y - 1.0), perf::difference(ga, abar), perf::difference(gb, bbar), perf::difference(gc, cbar),
                                   perf::difference(gd, dbar)});
    if (!perf::agrees(state, error)) return;
    perf::compare(
        state, 0.0, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(a, b, c, d).value); });
}

void burgers(benchmark::State& state) {
    constexpr std::ptrdiff_t n = 1000;
    constexpr std::size_t steps = 1000;
    using limit_type = limits::burgers_steps;
    auto const f = [](auto const& x) {
        xgrad::variable u = x;
        for (std::size_t t = 0; t < steps; ++t) {
            auto const l = view(u, xt::range(0, n - 2)), c = view(u, xt::range(1, n - 1)), r = view(u, xt::range(2, n));
            view(u, xt::range(1, n - 1)) += limit_type::m * (r - 2.0 * c + l) - limit_type::k * c * (r - l);
        }
        return sum(u * u);
    };
    vector const x = random_vector(n, 0.0, 1.0);
    vector xbar = x;
    limit_type by_hand(n, steps);
    auto const limit = [&] { return by_hand(x.data(), xbar.data()); };
    auto g = xgrad::prepare_gradient(f, x);
    double const y = limit();
    auto const& r = g(x);
    if (!perf::agrees(state, std::max(std::abs(r.value / y - 1.0), perf::difference(std::get<0>(r.gradient), xbar)))) return;
    perf::compare(
        state, 2.0, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(x).value); });
}

// f(y) of an array that is filled element by element, or of a stack of numbers.
template <bool Stacked>
constexpr auto neighbours = [](auto const& x) {
    std::size_t const n = x.size() - 1;
    if constexpr (Stacked) {
        std::vector<xgrad::number_like<decltype(x)>> y;
        y.reserve(n);
        for (std::size_t i = 0; i < n; ++i) y.push_back(x(i) * sin(x(i + 1)));
        auto const all = xgrad::stack(y);
        return sum(all * all);
    } else {
        xgrad::array_like<decltype(x), 1> y = vector(xt::zeros<double>({n}));
        for (std::size_t i = 0; i < n; ++i) y(i) = x(i) * sin(x(i + 1));
        return sum(y * y);
    }
};
template <bool Stacked>
constexpr auto rows = [](auto const& x, std::size_t steps) {
    constexpr double k = limits::rows::k;
    if constexpr (Stacked) {
        std::vector<xgrad::variable<vector>> h{x};
        h.reserve(steps);
        for (std::size_t t = 1; t < steps; ++t) {
            auto const& u = h.back();
            h.push_back(u * (1.0 + k - k * u));
        }
        auto const all = xgrad::stack(h);
        return sum(all * all);
    } else {
        xgrad::variable<xt::xtensor<double, 2>> h = xt::xtensor<double, 2>(xt::zeros<double>({steps, x.size()}));
        xgrad::variable u = x;
        for (std::size_t t = 0; t < steps; ++t) {
            view(h, t, xt::all()) = u;
            if (t + 1 < steps) u = u * (1.0 + k - k * u);
        }
        return sum(h * h);
    }
};
constexpr auto lu = [](auto const& a) {
    xgrad::variable u = a;
    std::size_t const n = u.shape(0);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = k + 1; i < n; ++i) {
            u(i, k) /= u(k, k);
            for (std::size_t j = k + 1; j < n; ++j) u(i, j) -= u(i, k) * u(k, j);
        }
    return sum(u * u);
};

// A gradient of one argument beside another way to it: by hand(x, xbar), or by a prepared gradient.
template <class X, class Hand, class F>
void beside_hand(benchmark::State& state, double bar, X const& x, Hand hand, F const& f) {
    X xbar = x;
    auto const limit = [&] { return hand(x.data(), xbar.data()); };
    auto g = xgrad::prepare_gradient(f, x);
    double const y = limit();
    auto const& r = g(x);
    if (!perf::agrees(state, std::max(std::abs(r.value / y - 1.0), perf::difference(std::get<0>(r.gradient), xbar)))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(x).value); });
    state.counters["bytes"] = static_cast<double>(g.workspace_bytes());
}
template <class X, class F, class G>
void beside_another(benchmark::State& state, double bar, X const& x, F const& f, G const& other) {
    auto g = xgrad::prepare_gradient(f, x), h = xgrad::prepare_gradient(other, x);
    X const xbar = std::get<0>(h(x).gradient);
    if (!perf::agrees(state, perf::difference(std::get<0>(g(x).gradient), xbar))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(h(x).value); }, [&] { benchmark::DoNotOptimize(g(x).value); });
    state.counters["bytes"] = static_cast<double>(g.workspace_bytes());
}
constexpr std::size_t many = 100000, steps_of_rows = 1000;
void fill(benchmark::State& state) {
    beside_hand(state, 0.0, random_vector(many, 0.1, 1.0), [](double const* x, double* xbar) { return limits::neighbours(many, x, xbar); }, neighbours<false>);
}
void fill_beside_stack(benchmark::State& state) { beside_another(state, 1.0, random_vector(many, 0.1, 1.0), neighbours<false>, neighbours<true>); }
constexpr auto filled_rows = [](auto const& x) { return rows<false>(x, steps_of_rows); };
constexpr auto stacked_rows = [](auto const& x) { return rows<true>(x, steps_of_rows); };
void trajectory(benchmark::State& state) {
    limits::rows by_hand(1000, steps_of_rows);
    beside_hand(state, 0.0, random_vector(1000, 0.1, 0.9), std::ref(by_hand), filled_rows);
}
void trajectory_beside_stack(benchmark::State& state) { beside_another(state, 1.3, random_vector(1000, 0.1, 0.9), filled_rows, stacked_rows); }
void factors(benchmark::State& state) {
    constexpr std::size_t n = 200;
    limits::in_place_lu by_hand(n);
    xt::xtensor<double, 2> a = xt::xtensor<double, 2>::from_shape({n, n});
    vector const all = random_vector(n * n, -1.0, 1.0);
    std::copy(all.begin(), all.end(), a.begin());
    for (std::size_t i = 0; i < n; ++i) a(i, i) += static_cast<double>(n);
    beside_hand(state, 0.0, a, std::ref(by_hand), lu);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::RegisterBenchmark("Thomas' algorithm by elements, n = 100000", thomas)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("Burgers by slices in place, 1000 x 1000", burgers)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("y(i) = x(i) sin(x(i + 1)), n = 100000", fill)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("the same beside a stack of numbers", fill_beside_stack)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("a trajectory row by row, 1000 x 1000", trajectory)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("the same beside a stack of rows", trajectory_beside_stack)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("LU in place by elements, 200 x 200", factors)->UseManualTime()->Iterations(5);
    return perf::run(argc, argv);
}
