// The gradients of functions of 3×3 and 4×4 matrices of fixed size beside code written out by hand: determinants, inverses, solutions, and a loop of products;
// by a prepared gradient, and in a function with a declared result.
#include <algorithm>
#include <cstddef>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/fixed.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using limits::fixed_matrix;
using limits::fixed_vector;

template <std::size_t N>
fixed_matrix<N> regular() {
    fixed_matrix<N> a;
    for (std::size_t i = 0; i < N * N; ++i) a.data()[i] = static_cast<double>((7 * i + 3) % 11) * 0.1 - 0.4;
    for (std::size_t i = 0; i < N; ++i) a(i, i) += 2.0;
    return a;
}

constexpr double bar = 1.5;

template <class Limit, std::size_t N, class F>
void of_a_matrix(benchmark::State& state, F const& f) {
    auto a = regular<N>(), abar = a;
    auto g = xgrad::prepare_gradient(f, a);
    double const y = Limit::gradient(a, abar);
    auto const& found = g(a);
    if (!perf::agrees(state, std::max(std::abs(found.value - y), perf::difference(std::get<0>(found.gradient), abar)))) return;
    // so that neither gradient is optimised away
    benchmark::DoNotOptimize(a), benchmark::DoNotOptimize(abar);
    perf::compare(
        state, bar, [&] { benchmark::DoNotOptimize(Limit::gradient(a, abar)); }, [&] { benchmark::DoNotOptimize(g(a).value); });
}
template <class Limit, std::size_t N, class F>
void of_a_system(benchmark::State& state, double size, double most, F const& f) {
    fixed_matrix<N> a = size * regular<N>(), abar = a;
    fixed_vector<N> b, bbar;
    for (std::size_t i = 0; i < N; ++i) b(i) = 1.0 + static_cast<double>(i);
    auto g = xgrad::prepare_gradient(f, a, b);
    Limit::gradient(a, b, abar, bbar);
    auto const& [da, db] = g(a, b).gradient;
    if (!perf::agrees(state, std::max(perf::difference(da, abar), perf::difference(db, bbar)))) return;
    benchmark::DoNotOptimize(a), benchmark::DoNotOptimize(abar), benchmark::DoNotOptimize(b), benchmark::DoNotOptimize(bbar);
    perf::compare(
        state, most, [&] { benchmark::DoNotOptimize(Limit::gradient(a, b, abar, bbar)); }, [&] { benchmark::DoNotOptimize(g(a, b).value); });
}

template <std::size_t N>
void determinant(benchmark::State& state) {
    of_a_matrix<limits::determinant, N>(state, [](auto const& A) { return det(A); });
}
template <std::size_t N>
void determinant_declared(benchmark::State& state) {
    of_a_matrix<limits::determinant, N>(state, [](auto const& A) -> xgrad::real { return det(A); });
}
template <std::size_t N>
void inverse(benchmark::State& state) {
    of_a_matrix<limits::inverse, N>(state, [](auto const& A) { auto y = inv(A); return sum(y * y); });
}
template <std::size_t N>
void inverse_declared(benchmark::State& state) {
    of_a_matrix<limits::inverse, N>(state, [](auto const& A) -> xgrad::real { auto y = inv(A); return sum(y * y); });
}
template <std::size_t N>
void solution(benchmark::State& state) {
    of_a_system<limits::solution, N>(state, 1.0, bar, [](auto const& A, auto const& b) { auto x = solve(A, b); return sum(x * x); });
}
template <std::size_t N>
void solution_declared(benchmark::State& state) {
    of_a_system<limits::solution, N>(state, 1.0, bar, [](auto const& A, auto const& b) -> xgrad::real { auto x = solve(A, b); return sum(x * x); });
}

constexpr auto recursion_of = [](auto const& A, auto const& b) {
    xgrad::variable x = b;
    for (std::size_t t = 0; t < limits::recursion::steps; ++t) x = dot(A, x) + b;
    return sum(x * x);
};
template <std::size_t N>
void recursion(benchmark::State& state) {
    of_a_system<limits::recursion, N>(state, 0.3, 5.0, recursion_of);
}
template <std::size_t N>
void recursion_declared(benchmark::State& state) {
    of_a_system<limits::recursion, N>(state, 0.3, 5.0, [](auto const& A, auto const& b) -> xgrad::real { return recursion_of(A, b); });
}

#define XGRAD_PERF_FIXED(NAME) \
    BENCHMARK(NAME<3>)->UseManualTime()->Iterations(101); \
    BENCHMARK(NAME<4>)->UseManualTime()->Iterations(101)
XGRAD_PERF_FIXED(determinant);
XGRAD_PERF_FIXED(determinant_declared);
XGRAD_PERF_FIXED(inverse);
XGRAD_PERF_FIXED(inverse_declared);
XGRAD_PERF_FIXED(solution);
XGRAD_PERF_FIXED(solution_declared);
XGRAD_PERF_FIXED(recursion);
XGRAD_PERF_FIXED(recursion_declared);
#undef XGRAD_PERF_FIXED

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
