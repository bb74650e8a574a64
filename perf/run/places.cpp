// Programs that write into arrays, element by element and by slices, beside their adjoints by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>

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

}  // namespace

int main(int argc, char** argv) {
    benchmark::RegisterBenchmark("Thomas' algorithm by elements, n = 100000", thomas)->UseManualTime()->Iterations(21);
    benchmark::RegisterBenchmark("Burgers by slices in place, 1000 x 1000", burgers)->UseManualTime()->Iterations(21);
    return perf::run(argc, argv);
}
