// Programs on arrays as a user writes them, beside loops by hand: a mixture by its components, distances along short axes, rows that are normalised, a stack of
// small matrices, a dense Jacobian, column-major arrays beside row-major ones, and the value of a loop.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>
#include <vector>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/arrays.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
using columns = xt::xtensor<double, 2, xt::layout_type::column_major>;

template <class A>
A random_array(typename A::shape_type const& shape) {
    static std::mt19937 random(1);
    std::uniform_real_distribution<double> between(0.1, 1.0);
    A a(shape);
    for (auto& e : a) e = between(random);
    return a;
}

constexpr auto log_density = [](auto const& heights, auto const& means, auto const& logarithms, auto const& x) {
    std::vector<xgrad::variable<vector>> terms;
    for (std::size_t c = 0; c < means.shape()[0]; ++c) {
        auto z = (x - row(means, c)) * exp(row(logarithms, c));
        terms.emplace_back(heights(c) + sum(row(logarithms, c)) - 0.5 * sum(square(z), {1}));
    }
    return sum(logsumexp(xgrad::stack(terms), 0));
};
void mixture(benchmark::State& state) {
    constexpr std::size_t n = 1000, d = 10, k = 25;
    matrix const x = random_array<matrix>({n, d}), turned = xt::transpose(x), m = random_array<matrix>({k, d}), l = random_array<matrix>({k, d});
    vector const a = random_array<vector>({k});
    matrix mbar = m, lbar = l;
    vector abar = a;
    limits::mixture by_hand(n, d, k);
    auto const limit = [&] { return by_hand(turned.data(), a.data(), m.data(), l.data(), abar.data(), mbar.data(), lbar.data()); };
    auto g = xgrad::prepare_gradient(log_density, a, m, l, xgrad::constant(x));
    double const y = limit();
    auto const& r = g(a, m, l, xgrad::constant(x));
    auto const& [ga, gm, gl, none] = r.gradient;
    double const error = std::max({std::abs(r.value / y - 1.0), perf::difference(ga, abar), perf::difference(gm, mbar), perf::difference(gl, lbar)});
    if (!perf::agrees(state, error)) return;
    perf::compare(
        state, 2.0, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(g(a, m, l, xgrad::constant(x)).value); });
}
BENCHMARK(mixture)->UseManualTime()->Iterations(101);

// f of two arrays, beside limit(abar, bbar), which gives its value and writes its gradients.
template <class F, class A, class Limit>
void of_two(benchmark::State& state, double bar, F f, A const& a, A const& b, Limit limit) {
    A abar = a, bbar = b;
    auto g = xgrad::prepare_gradient(f, a, b);
    double const y = limit(abar.data(), bbar.data());
    auto const& r = g(a, b);
    auto const& [ga, gb] = r.gradient;
    if (!perf::agrees(state, std::max({std::abs(r.value / y - 1.0), perf::difference(ga, abar), perf::difference(gb, bbar)}))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(limit(abar.data(), bbar.data())); }, [&] { benchmark::DoNotOptimize(g(a, b).value); });
}
void distances(benchmark::State& state) {
    cube const a = random_array<cube>({10000, 10, 8}), b = random_array<cube>({10000, 10, 8});
    of_two(
        state, 1.5, [](auto const& x, auto const& y) { return sum(sqrt(sum(square(x - y), {2}))); }, a, b,
        [&](double* abar, double* bbar) { return limits::distances(a.size() / 8, a.data(), b.data(), abar, bbar); });
}
BENCHMARK(distances)->UseManualTime()->Iterations(41);

// Rows of two elements, which every operand lies in pieces along.
void centres(benchmark::State& state) {
    constexpr std::size_t n = 1000, k = 5;
    matrix const p = random_array<matrix>({n, 2}), c = random_array<matrix>({k, 2});
    of_two(
        state, 2.0, [](auto const& x, auto const& y) { return sum(sqrt(sum(square(view(x, xt::all(), xt::newaxis(), xt::all()) - y), {2}) + 0.1)); }, p, c,
        [&](double* pbar, double* cbar) { return limits::centres(n, k, p.data(), c.data(), pbar, cbar); });
}
BENCHMARK(centres)->UseManualTime()->Iterations(101);

// What is broadcast has one element along the rows: a root and a mean for each of them.
void normalised_rows(benchmark::State& state) {
    matrix const x = random_array<matrix>({128, 64}), g = random_array<matrix>({1, 64});
    of_two(
        state, 2.0,
        [](auto const& p, auto const& scale) {
            auto centred = p - mean(p, {1}, xt::keep_dims);
            return sum(square(centred / sqrt(mean(centred * centred, {1}, xt::keep_dims) + 1e-5) * scale));
        },
        x, g, [&](double* xbar, double* gbar) { return limits::normalised_rows(128, 64, x.data(), g.data(), xbar, gbar); });
}
BENCHMARK(normalised_rows)->UseManualTime()->Iterations(301);

void products(benchmark::State& state) {
    cube const a = random_array<cube>({300, 3, 3}), b = random_array<cube>({300, 3, 3});
    of_two(
        state, 4.0, [](auto const& x, auto const& y) { return sum(square(matmul(x, y))); }, a, b,
        [&](double* abar, double* bbar) { return limits::products(300, a.data(), b.data(), abar, bbar); });
}
BENCHMARK(products)->UseManualTime()->Iterations(301);

void jacobian(benchmark::State& state) {
    constexpr std::size_t n = 1000;
    auto const f = [](auto const& x) { return x * exp(x); };
    vector const x = random_array<vector>({n});
    matrix y = matrix::from_shape({n, n});
    limits::jacobian_of_elements(n, x.data(), y.data());
    if (!perf::agrees(state, perf::difference(xgrad::jacobian(f, x), y))) return;
    perf::compare(
        state, 2.0,
        [&] {
            limits::jacobian_of_elements(n, x.data(), y.data());
            benchmark::DoNotOptimize(y.data());
        },
        [&] { benchmark::DoNotOptimize(xgrad::jacobian(f, x).data()); });
}
BENCHMARK(jacobian)->UseManualTime()->Iterations(101);

void column_major(benchmark::State& state) {
    auto const f = [](auto const& x, auto const& y) { return sum(log(1.0 + exp(x * y)) * tanh(x)); };
    matrix const a = random_array<matrix>({300, 300}), b = random_array<matrix>({300, 300});
    columns const c = a, d = b;
    auto g = xgrad::prepare_gradient(f, a, b);
    auto h = xgrad::prepare_gradient(f, c, d);
    if (!perf::agrees(state, std::abs(g(a, b).value / h(c, d).value - 1.0))) return;
    perf::compare(
        state, 1.1, [&] { benchmark::DoNotOptimize(g(a, b).value); }, [&] { benchmark::DoNotOptimize(h(c, d).value); });
}
BENCHMARK(column_major)->UseManualTime()->Iterations(101);

// A value alone: nothing of the steps stays.
void value_of_a_loop(benchmark::State& state) {
    vector const x = random_array<vector>({1000}), c = random_array<vector>({8});
    std::vector<double> a(x.size());
    auto const f = [](auto const& v, auto const& p) {
        xgrad::array_like<decltype(v), 1> y = 0.0 * v + p(7);
        for (std::size_t j = 7; j-- != 0;) y = y * v + p(j);
        return sum(y * y);
    };
    auto const limit = [&] { return limits::polynomial(x.size(), c.size(), x.data(), c.data(), a.data()); };
    if (!perf::agrees(state, std::abs(xgrad::value(f, x, c) / limit() - 1.0))) return;
    perf::compare(
        state, 1.3, [&] { benchmark::DoNotOptimize(limit()); }, [&] { benchmark::DoNotOptimize(xgrad::value(f, x, c)); });
}
BENCHMARK(value_of_a_loop)->UseManualTime()->Iterations(1001);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
