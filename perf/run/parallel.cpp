// One gradient on two threads of oneTBB beside what two threads do at best: bundle adjustment, logistic regression, a map; and a sum that is hardly worth it.
#include <cmath>
#include <cstddef>
#include <tuple>

#include <xgrad/parallel.hpp>
#include <xgrad/tbb.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/cases.hpp>
#include <perf/compare.hpp>
#include <perf/limits/bundle_adjustment.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

xgrad::tbb_threads const two(2);
xgrad::serial const one;
constexpr double bar = 2 / 1.9;  // 1.9 times as fast as one thread, where two cores are twice as fast as one

// f of x(n), whose first part is active, on two threads beside two calls with x(n / 2), one on each: what the machine can do at best.
template <class F, class X>
void on_two_threads(benchmark::State& state, F const& f, X const& x, std::size_t n) {
    auto prepared = [&](auto const& a) {
        return std::apply([&](auto const& v, auto const&... e) { return xgrad::prepare_gradient(f, v, xgrad::constant(e)...); }, a);
    };
    auto on = [](auto const& executor, auto& g, auto const& a) {
        xgrad::use_executor const scope(executor);
        std::apply([&](auto const& v, auto const&... e) { benchmark::DoNotOptimize(g(v, xgrad::constant(e)...)); }, a);
    };
    // each half has data of its own, as the halves of the whole are
    auto const whole = x(n), half = x(n / 2), other = x(n / 2);
    auto g = prepared(whole), first = prepared(half), second = prepared(other);
    auto halves = [&](std::size_t i) {
        if (i == 0) on(one, first, half);
        else on(one, second, other);
    };
    perf::compare(state, bar, [&] { two.run(2, xgrad::task_ref(halves)); }, [&] { on(two, g, whole); });
}

// Each observation has a camera and a point of its own.
auto const observations = [](std::size_t n) {
    auto const p = limits::bundle_adjustment_point();
    matrix all = matrix::from_shape({n, 15});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 15; ++k) all(i, k) = p[k] * (1.0 + 1e-6 * static_cast<double>(i % 1000));
    return std::tuple(all);
};
auto const errors = [](auto const& x) {
    auto error = [](auto const& o) -> xgrad::real {
        return cases::scoped_bundle_adjustment(o(0), o(1), o(2), o(3), o(4), o(5), o(6), o(7), o(8), o(9), o(10), o(11), o(12), o(13), o(14));
    };
    return xgrad::parallel_sum(x, error);
};
void two_threads_bundle_adjustment(benchmark::State& state) { on_two_threads(state, errors, observations, 100000); }
// What is hardly worth it: 20 us on two threads beside one.
void two_threads_bundle_adjustment_of_20_us(benchmark::State& state) {
    auto const x = std::get<0>(observations(36));
    auto a = xgrad::prepare_gradient(errors, x), b = xgrad::prepare_gradient(errors, x);
    auto on = [&](auto const& e, auto& g) {
        xgrad::use_executor const scope(e);
        benchmark::DoNotOptimize(g(x));
    };
    perf::compare(state, 1.0, [&] { on(one, a); }, [&] { on(two, b); });
}

matrix rows_of(std::size_t n, std::size_t p) {
    matrix x = matrix::from_shape({n, p});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.7 * static_cast<double>(i));
    return x;
}
auto const regression = [](std::size_t n) { return std::tuple(vector(xt::ones<double>({10}) * 0.1), rows_of(n, 10)); };
void two_threads_logistic_regression_by_rows(benchmark::State& state) {
    auto loss = [](auto const& theta, auto const& rows) {
        return xgrad::parallel_sum(rows, [](auto const& row, auto const& t) -> xgrad::real { return log(1.0 + exp(sum(row * t))); }, theta);
    };
    on_two_threads(state, loss, regression, 1000000);
}
void two_threads_logistic_regression_by_slices(benchmark::State& state) {
    auto loss = xgrad::data_parallel([](auto const& theta, auto const& rows) { return sum(log(1.0 + exp(sum(rows * theta, {1})))); });
    on_two_threads(state, loss, regression, 1000000);
}
// Items a SIMD register at a time: both arrays are active, and so is a number that all items share.
void two_threads_map_of_a_million_items(benchmark::State& state) {
    auto bump = [](auto const& p, auto const& q, auto const& c) -> xgrad::real { return exp(-c * p * p) * q; };
    auto loss = [bump](auto const& x, auto const& y) {
        return sum(xgrad::map(xgrad::current_executor(), bump, xgrad::each(x), xgrad::each(y), xgrad::eval(x(0))));
    };
    auto vectors = [](std::size_t n) { return std::tuple(vector(xt::linspace(0.1, 1.0, n)), vector(xt::linspace(-1.0, 1.0, n))); };
    on_two_threads(state, loss, vectors, 1000000);
}

BENCHMARK(two_threads_bundle_adjustment)->UseManualTime()->Iterations(21);
BENCHMARK(two_threads_bundle_adjustment_of_20_us)->UseManualTime()->Iterations(1001);
BENCHMARK(two_threads_logistic_regression_by_rows)->UseManualTime()->Iterations(11);
BENCHMARK(two_threads_logistic_regression_by_slices)->UseManualTime()->Iterations(11);
BENCHMARK(two_threads_map_of_a_million_items)->UseManualTime()->Iterations(21);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
