// The gradient of a perceptron, 784-256-128-10 with a batch of 128, beside hand-written matrix products on the same BLAS library.
#include <algorithm>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/cases.hpp>
#include <perf/compare.hpp>
#include <perf/limits/mlp.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

struct data {
    std::mt19937 random{1};
    cases::perceptron p{layer(784, 256), layer(256, 128), layer(128, 10)};
    matrix x = normal<matrix>({128, 784}, 0.3);
    matrix y = xt::zeros<double>({128, 10});
    cases::perceptron gradient = p;
    limits::mlp limit;

    data() {
        for (std::size_t r = 0; r < y.shape(0); ++r) y(r, random() % 10) = 1.0;
    }
    template <class A>
    A normal(typename A::shape_type const& shape, double deviation) {
        std::normal_distribution<double> distribution(0.0, deviation);
        A a(shape);
        for (auto& e : a) e = distribution(random);
        return a;
    }
    cases::layer layer(std::size_t in, std::size_t out) { return {normal<matrix>({in, out}, 0.05), normal<vector>({out}, 0.05)}; }
};

template <class G>
double error(G const& g, cases::perceptron const& limit) {
    auto const of = [](auto const& a, auto const& b) { return std::max(perf::difference(a.weight, b.weight), perf::difference(a.bias, b.bias)); };
    return std::max({of(g.first, limit.first), of(g.second, limit.second), of(g.output, limit.output)});
}

void mlp(benchmark::State& state) {
    data d;
    auto g = xgrad::prepare_gradient(cases::cross_entropy, d.p, xgrad::constant(d.x), xgrad::constant(d.y));
    auto const xgrad = [&] { return g(d.p, xgrad::constant(d.x), xgrad::constant(d.y)).value; };
    auto const limit = [&] { return d.limit(d.p, d.x, d.y, d.gradient); };
    limit();
    if (!perf::agrees(state, error(std::get<0>(g(d.p, xgrad::constant(d.x), xgrad::constant(d.y)).gradient), d.gradient))) return;
    perf::compare(
        state, 1.03, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(xgrad()); });
}
BENCHMARK(mlp)->UseManualTime()->Iterations(201);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
