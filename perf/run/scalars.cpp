// Small states in loops, and small functions called with constants: numbers and arrays of fixed shape beside plain C++.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/reductions.hpp>
#include <perf/table.hpp>

namespace {

constexpr std::size_t steps = 1000;
constexpr auto automatic = [](auto const& x0, auto const& r) {
    xgrad::variable x = x0;
    for (std::size_t i = 0; i < steps; ++i) x = r * x * (1.0 - x);
    return x;
};
constexpr auto declared = [](auto const& x0, auto const& r) -> xgrad::real {
    xgrad::variable x = x0;
    for (std::size_t i = 0; i < steps; ++i) x = r * x * (1.0 - x);
    return x;
};

// The map is not chaotic for this r.
template <class F>
void logistic_map(benchmark::State& state, F f, double bar) {
    double x0 = 0.3, r = 2.9, x0bar = 0.0, rbar = 0.0;
    std::vector<double> states(steps);
    auto g = xgrad::prepare_gradient(f, x0, r);
    auto const limit = [&] { return limits::logistic_map(steps, x0, r, states.data(), x0bar, rbar); };
    double const y = limit();
    auto const& found = g(x0, r);
    auto const& [slope, slope_of_rate] = found.gradient;
    if (!perf::agrees(state, std::max({std::abs(found.value - y), std::abs(slope - x0bar), std::abs(slope_of_rate - rbar)}))) return;
    perf::compare(
        state, bar,
        [&] {
            benchmark::DoNotOptimize(x0);
            benchmark::DoNotOptimize(limit());
        },
        [&] {
            benchmark::DoNotOptimize(x0);
            benchmark::DoNotOptimize(g(x0, r).value);
        });
}
void recurrence(benchmark::State& state) { logistic_map(state, automatic, 4.0); }
void recurrence_declared(benchmark::State& state) { logistic_map(state, declared, 4.0); }
BENCHMARK(recurrence)->UseManualTime()->Iterations(1001);
BENCHMARK(recurrence_declared)->UseManualTime()->Iterations(1001);

// The distance of a point that is turned about an axis, seen by a camera, from where it was observed: the observation and its weight are constants.
using vector3 = xt::xtensor_fixed<double, xt::xshape<3>>;
using vector2 = xt::xtensor_fixed<double, xt::xshape<2>>;
constexpr auto distance = [](auto const& r, auto const& c, auto const& p, auto const& seen, auto const& weight) -> xgrad::real {
    using std::cos, std::sin, std::sqrt;
    auto x0 = p(0) - c(0);
    auto x1 = p(1) - c(1);
    auto x2 = p(2) - c(2);
    auto angle = sqrt(r(0) * r(0) + r(1) * r(1) + r(2) * r(2));
    auto s = sin(angle) / angle;
    auto k = (1.0 - cos(angle)) / (angle * angle);
    auto along = r(0) * x0 + r(1) * x1 + r(2) * x2;
    auto turned = cos(angle);
    auto y0 = x0 * turned + (r(1) * x2 - r(2) * x1) * s + r(0) * along * k;
    auto y1 = x1 * turned + (r(2) * x0 - r(0) * x2) * s + r(1) * along * k;
    auto y2 = x2 * turned + (r(0) * x1 - r(1) * x0) * s + r(2) * along * k;
    auto e0 = weight * (y0 / y2 - seen(0));
    auto e1 = weight * (y1 / y2 - seen(1));
    return e0 * e0 + e1 * e1;
};
double plain_distance(vector3 const& r, vector3 const& c, vector3 const& p, vector2 const& seen, double weight) {
    double const x0 = p(0) - c(0), x1 = p(1) - c(1), x2 = p(2) - c(2), angle = std::sqrt(r(0) * r(0) + r(1) * r(1) + r(2) * r(2));
    double const s = std::sin(angle) / angle, turned = std::cos(angle), k = (1.0 - turned) / (angle * angle), along = r(0) * x0 + r(1) * x1 + r(2) * x2;
    double const y0 = x0 * turned + (r(1) * x2 - r(2) * x1) * s + r(0) * along * k, y1 = x1 * turned + (r(2) * x0 - r(0) * x2) * s + r(1) * along * k,
                 y2 = x2 * turned + (r(0) * x1 - r(1) * x0) * s + r(2) * along * k;
    double const e0 = weight * (y0 / y2 - seen(0)), e1 = weight * (y1 / y2 - seen(1));
    return e0 * e0 + e1 * e1;
}
void beside_constants(benchmark::State& state) {
    vector3 r{0.1, 0.2, 0.3}, c{0.4, 0.5, -3.0}, p{1.0, 2.0, 3.5};
    vector2 const seen{0.3, 0.7};
    auto const found = [&](auto& g) -> auto& { return g(r, c, p, xgrad::constant(seen), xgrad::constant(0.9)); };
    auto g = xgrad::prepare_gradient(distance, r, c, p, xgrad::constant(seen), xgrad::constant(0.9));
    if (!perf::agrees(state, std::abs(found(g).value - plain_distance(r, c, p, seen, 0.9)))) return;
    perf::compare(
        state, 3.0,
        [&] {
            benchmark::DoNotOptimize(r);
            benchmark::DoNotOptimize(plain_distance(r, c, p, seen, 0.9));
        },
        [&] {
            benchmark::DoNotOptimize(r);
            benchmark::DoNotOptimize(found(g).value);
        });
}
BENCHMARK(beside_constants)->UseManualTime()->Iterations(1001);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
