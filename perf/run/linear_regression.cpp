// A least-squares fit of 20 coefficients to 1000 observations by QR, and the gradient by the observations of its residual norm and of the norm of its error on
// other data, beside BLAS and LAPACK called by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/linear_regression.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

auto const residual = [](auto const& x, auto const& y) {
    auto b = lstsq(x, y);
    return norm(y - dot(x, b));
};
auto const held_out = [](auto const& x, auto const& y, auto const& u, auto const& v) {
    auto b = lstsq(x, y);
    return norm(v - dot(u, b));
};

struct data {
    static constexpr std::size_t m = 1000, n = 20;
    std::mt19937 random{1};
    matrix x = normal<matrix>({m, n}), u = normal<matrix>({m / 4, n}), xbar = x;
    vector y = observe(x), v = observe(u), ybar = y;

    template <class A>
    A normal(typename A::shape_type const& shape) {
        std::normal_distribution<double> distribution;
        A a(shape);
        for (auto& e : a) e = distribution(random);
        return a;
    }
    vector observe(matrix const& a) {
        vector const noise = normal<vector>({a.shape(0)});
        return xt::sum(a, {1}) + noise;
    }
};

template <class Gradient>
bool agrees(benchmark::State& state, data const& d, Gradient const& gradient, double ratio) {
    return perf::agrees(state,
                        std::max({perf::difference(std::get<0>(gradient), d.xbar), perf::difference(std::get<1>(gradient), d.ybar), std::abs(ratio - 1.0)}));
}

void regression_residual(benchmark::State& state) {
    data d;
    limits::linear_regression limit;
    auto g = xgrad::prepare_gradient(residual, d.x, d.y);
    auto const hand = [&] { return limit.residual(d.x, d.y, d.xbar, d.ybar); };
    auto const xgrad = [&]() -> auto const& { return g(d.x, d.y); };
    double const expected = hand();
    if (!agrees(state, d, xgrad().gradient, xgrad().value / expected)) return;
    perf::compare(state, 0.0, [&] { benchmark::DoNotOptimize(hand()); }, [&] { benchmark::DoNotOptimize(xgrad().value); });
}
void regression_held_out(benchmark::State& state) {
    data d;
    limits::linear_regression limit;
    auto const constants = std::tuple(xgrad::constant(d.u), xgrad::constant(d.v));
    auto const& [u, v] = constants;
    auto g = xgrad::prepare_gradient(held_out, d.x, d.y, u, v);
    auto const hand = [&] { return limit.held_out(d.x, d.y, d.u, d.v, d.xbar, d.ybar); };
    auto const xgrad = [&]() -> auto const& { return g(d.x, d.y, u, v); };
    double const expected = hand();
    if (!agrees(state, d, xgrad().gradient, xgrad().value / expected)) return;
    perf::compare(state, 0.0, [&] { benchmark::DoNotOptimize(hand()); }, [&] { benchmark::DoNotOptimize(xgrad().value); });
}
BENCHMARK(regression_residual)->UseManualTime()->Iterations(301);
BENCHMARK(regression_held_out)->UseManualTime()->Iterations(301);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
