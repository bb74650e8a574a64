// Sums over stencils, written by views of one array that overlap or by tabulate, and their gradients, beside loops written by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/stencils.hpp>
#include <perf/table.hpp>

namespace {

template <class A>
A uniform(typename A::shape_type const& shape) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> between(-2.0, 2.0);
    auto v = A::from_shape(shape);
    for (auto& e : v) e = between(random);
    return v;
}

template <class A, class F, class Limit>
void of_one(benchmark::State& state, F const& f, Limit hand, typename A::shape_type const& shape, double bar) {
    A const x = uniform<A>(shape);
    A xbar = x;
    auto g = xgrad::prepare_gradient(f, x);
    double const y = hand(x.data(), xbar.data());
    auto const& [value, gradient] = g(x);
    if (!perf::agrees(state, std::max(perf::difference(std::get<0>(gradient), xbar), std::abs(value - y) / y))) return;
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(hand(x.data(), xbar.data())); }, [&] { benchmark::DoNotOptimize(g(x).value); });
}
template <class F, class Limit>
void of_numbers(benchmark::State& state, F const& f, Limit hand, std::size_t n, double bar) {
    of_one<xt::xtensor<double, 1>>(state, f, hand, {n}, bar);
}
template <class F, class Limit>
void of_a_grid(benchmark::State& state, F const& f, Limit hand, std::size_t n, double bar) {
    of_one<xt::xtensor<double, 2>>(state, f, hand, {n, n}, bar);
}

void rosenbrock(benchmark::State& state, std::ptrdiff_t n) {
    auto const f = [n](auto const& x) {
        auto const a = view(x, xt::range(0, n - 1)), b = view(x, xt::range(1, n));
        return sum(100.0 * square(b - a * a) + square(1.0 - a));
    };
    auto const count = static_cast<std::size_t>(n);
    of_numbers(state, f, limits::rosenbrock(count), count, 2.0);
}
void burgers(benchmark::State& state, std::ptrdiff_t n) {
    auto const f = [n](auto const& x) {
        auto const l = view(x, xt::range(0, n - 2)), c = view(x, xt::range(1, n - 1)), r = view(x, xt::range(2, n));
        return sum(square(c - limits::burgers::k * c * (r - l) + limits::burgers::m * (r - 2.0 * c + l)));
    };
    auto const count = static_cast<std::size_t>(n);
    of_numbers(state, f, limits::burgers(count), count, 3.0);
}
void five_taps(benchmark::State& state, std::ptrdiff_t n) {
    auto const f = [n](auto const& x) {
        auto const at = [&](std::ptrdiff_t k) { return view(x, xt::range(k, n - 4 + k)); };
        auto const& w = limits::taps::w;
        return sum(square(w[0] * at(0) + w[1] * at(1) + w[2] * at(2) + w[3] * at(3) + w[4] * at(4)));
    };
    auto const count = static_cast<std::size_t>(n);
    of_numbers(state, f, limits::taps(count), count, 2.0);
}
void named_differences(benchmark::State& state, std::ptrdiff_t n) {
    auto const f = [n](auto const& x) {
        auto const down = view(x, xt::range(1, n), xt::all()) - view(x, xt::range(0, n - 1), xt::all());
        auto const right = view(x, xt::all(), xt::range(1, n)) - view(x, xt::all(), xt::range(0, n - 1));
        return sum(down * down) + sum(right * right);
    };
    auto const count = static_cast<std::size_t>(n);
    of_a_grid(state, f, limits::differences(count), count, 2.0);
}
// The inner points of a grid, or their neighbours so many rows and columns on.
template <class X>
auto inner(X const& x, std::ptrdiff_t n, std::ptrdiff_t i, std::ptrdiff_t j) {
    return view(x, xt::range(1 + i, n - 1 + i), xt::range(1 + j, n - 1 + j));
}
void five_point(benchmark::State& state, std::ptrdiff_t n) {
    auto const f = [n](auto const& x) {
        using limit = limits::five_point;
        auto const at = [&](std::ptrdiff_t i, std::ptrdiff_t j) { return inner(x, n, i, j); };
        return sum(square(limit::a * at(0, 0) - limit::b * ((at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1)))));
    };
    auto const count = static_cast<std::size_t>(n);
    of_a_grid(state, f, limits::five_point(count), count, 2.0);
}
void nine_point(benchmark::State& state, std::ptrdiff_t n) {
    auto const f = [n](auto const& x) {
        using limit = limits::nine_point;
        auto const at = [&](std::ptrdiff_t i, std::ptrdiff_t j) { return inner(x, n, i, j); };
        return sum(square(limit::a * at(0, 0) - limit::b * ((at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1))) -
                          limit::d * ((at(-1, -1) + at(-1, 1)) + (at(1, -1) + at(1, 1)))));
    };
    auto const count = static_cast<std::size_t>(n);
    of_a_grid(state, f, limits::nine_point(count), count, 2.0);
}

void rosenbrock_tabulated(benchmark::State& state, std::ptrdiff_t n) {
    auto const each = [](auto i, auto const& x) -> xgrad::real {
        auto a = x(i), b = x(i + 1);
        auto t = b - a * a, u = 1.0 - a;
        return 100.0 * t * t + u * u;
    };
    auto const f = [=](auto const& x) { return sum(xgrad::tabulate(n - 1, each, x)); };
    auto const count = static_cast<std::size_t>(n);
    of_numbers(state, f, limits::rosenbrock(count), count, 3.0);
}
void five_point_tabulated(benchmark::State& state, std::ptrdiff_t n) {
    auto const each = [](auto i, auto j, auto const& x) -> xgrad::real {
        using limit = limits::five_point;
        auto v = limit::a * x(i + 1, j + 1) - limit::b * ((x(i, j + 1) + x(i + 2, j + 1)) + (x(i + 1, j) + x(i + 1, j + 2)));
        return v * v;
    };
    auto const f = [=](auto const& x) { return sum(xgrad::tabulate({n - 2, n - 2}, each, x)); };
    auto const count = static_cast<std::size_t>(n);
    of_a_grid(state, f, limits::five_point(count), count, 3.0);
}

}  // namespace

int main(int argc, char** argv) {
    auto const enter = [](char const* name, void (*row)(benchmark::State&, std::ptrdiff_t), std::ptrdiff_t n) {
        benchmark::RegisterBenchmark(name, [=](benchmark::State& s) { row(s, n); })->UseManualTime()->Iterations(n == 1000 ? 1001 : 101);
    };
    enter("Rosenbrock, n = 1000", rosenbrock, 1000);
    enter("Rosenbrock, n = 100000", rosenbrock, 100000);
    enter("Burgers, n = 1000", burgers, 1000);
    enter("five taps, n = 1000", five_taps, 1000);
    enter("named differences, 512 x 512", named_differences, 512);
    enter("five points, 512 x 512", five_point, 512);
    enter("five points, 100 x 100", five_point, 100);
    enter("five points, 12 x 12", five_point, 12);
    enter("nine points, 512 x 512", nine_point, 512);
    enter("Rosenbrock by tabulate, n = 1000", rosenbrock_tabulated, 1000);
    enter("five points by tabulate, 512 x 512", five_point_tabulated, 512);
    return perf::run(argc, argv);
}
