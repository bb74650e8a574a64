// Long functions, value and gradient of their sum beside one pass by hand over xsimd batches; and a while_loop in a map whose items need different numbers of
// steps, beside one in lanes by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/functions.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
constexpr std::size_t n = 2048;

vector spread(double low, double high) {
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = low + (high - low) * static_cast<double>(i * 7919 % n) / n;
    return x;
}

template <class F, class Limit>
void compare(benchmark::State& state, double bar, F const& f, vector const& x, Limit limit) {
    vector xbar = x;
    auto g = xgrad::prepare_gradient(f, x);
    double const value = limit(x.data(), xbar.data());
    auto const& found = g(x);
    if (!perf::agrees(state, std::max(std::abs(found.value / value - 1), perf::difference(std::get<0>(found.gradient), xbar)))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(limit(x.data(), xbar.data())); }, [&] { benchmark::DoNotOptimize(g(x).value); });
}

#define XGRAD_PERF_FUNCTION(NAME, LIMIT, LOW, HIGH)                                                                                   \
    void NAME(benchmark::State& state) {                                                                                              \
        compare(state, 1.3, [](auto const& x) { return sum(xgrad::NAME(x)); }, spread(LOW, HIGH),                                     \
                [](double const* x, double* xbar) { return limits::function_of(limits::LIMIT, n, x, xbar); });                        \
    }                                                                                                                                 \
    BENCHMARK(NAME)->UseManualTime()->Iterations(1001);
XGRAD_PERF_FUNCTION(sin, sine, -9.0, 9.0)
XGRAD_PERF_FUNCTION(tanh, hyperbolic_tangent, -2.0, 2.0)
XGRAD_PERF_FUNCTION(sigmoid, sigmoid, -6.0, 6.0)
XGRAD_PERF_FUNCTION(silu, silu, -6.0, 6.0)
#undef XGRAD_PERF_FUNCTION

void power(benchmark::State& state) {
    compare(state, 2.0, [](auto const& x) { return sum(pow(x, 1.7)); }, spread(0.1, 9.0),
            [](double const* x, double* xbar) { return limits::function_of(limits::power, n, x, xbar); });
}
BENCHMARK(power)->UseManualTime()->Iterations(1001);

void roots_by_while_loop(benchmark::State& state) {
    auto const root = [](auto const& a) -> xgrad::real {
        auto far = [](auto const& x, auto const& b) { return abs(x * x - b) > 1e-10; };
        auto newton = [](auto const& x, auto const& b) -> xgrad::real { return 0.5 * (x + b / x); };
        return xgrad::while_loop(far, newton, 1.0, a);
    };
    compare(
        state, 3.0, [&](auto const& a) { return sum(xgrad::map(root, xgrad::each(a))); }, spread(1.5, 90.0),
        [](double const* x, double* xbar) { return limits::roots(n, x, xbar); });
}
BENCHMARK(roots_by_while_loop)->UseManualTime()->Iterations(501);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
