// One gradient on two threads of oneTBB beside the same on one: bundle adjustment, logistic regression, and a sum that is hardly worth it.
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

template <class F, class... X>
void on_two_threads(benchmark::State& state, double bar, F const& f, X const&... x) {
    static xgrad::tbb_threads const two(2);
    static xgrad::serial const one;
    auto prepared = [&] { return xgrad::prepare_gradient(f, x...); };
    auto a = prepared(), b = prepared();
    auto on = [&](auto& g, auto const& e) {
        xgrad::use_executor const scope(e);
        benchmark::DoNotOptimize(g(x...));
    };
    perf::compare(state, bar, [&] { on(a, one); }, [&] { on(b, two); });
}

// Each observation has a camera and a point of its own.
void bundle_adjustment_of(benchmark::State& state, std::size_t n, double bar) {
    auto const p = limits::bundle_adjustment_point();
    matrix all = matrix::from_shape({n, 15});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 15; ++k) all(i, k) = p[k] * (1.0 + 1e-6 * static_cast<double>(i % 1000));
    auto error = [](auto const& x) -> xgrad::real {
        return cases::scoped_bundle_adjustment(x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8), x(9), x(10), x(11), x(12), x(13), x(14));
    };
    on_two_threads(state, bar, [=](auto const& x) { return xgrad::parallel_sum(x, error); }, all);
}
void bundle_adjustment(benchmark::State& state) { bundle_adjustment_of(state, 100000, 1 / 1.9); }
void bundle_adjustment_of_20_us(benchmark::State& state) { bundle_adjustment_of(state, 100, 1.0); }

matrix rows_of(std::size_t n, std::size_t p) {
    matrix x = matrix::from_shape({n, p});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.7 * static_cast<double>(i));
    return x;
}
void logistic_regression_by_rows(benchmark::State& state) {
    matrix const x = rows_of(1000000, 10);
    auto loss = [](auto const& theta, auto const& rows) {
        return xgrad::parallel_sum(rows, [](auto const& row, auto const& t) -> xgrad::real { return log(1.0 + exp(sum(row * t))); }, theta);
    };
    on_two_threads(state, 1 / 1.9, loss, vector(xt::ones<double>({10}) * 0.1), xgrad::constant(x));
}
void logistic_regression_by_slices(benchmark::State& state) {
    matrix const x = rows_of(1000000, 10);
    auto loss = [](auto const& theta, auto const& rows) {
        auto of_slice = [](xgrad::slice s, auto const& t, auto const& all) {
            auto z = sum(xt::view(all, xt::range(s.begin, s.end), xt::all()) * t, {1});
            return sum(log(1.0 + exp(z)));
        };
        return xgrad::parallel_sum(xgrad::slices(rows.shape()[0]), of_slice, theta, rows);
    };
    on_two_threads(state, 1 / 1.9, loss, vector(xt::ones<double>({10}) * 0.1), xgrad::constant(x));
}

BENCHMARK(bundle_adjustment)->UseManualTime()->Iterations(21);
BENCHMARK(bundle_adjustment_of_20_us)->UseManualTime()->Iterations(1001);
BENCHMARK(logistic_regression_by_rows)->UseManualTime()->Iterations(11);
BENCHMARK(logistic_regression_by_slices)->UseManualTime()->Iterations(11);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
