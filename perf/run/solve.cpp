// The gradient of the sum of |x|² of x = A⁻¹ b, n = 300, of real and of complex numbers, beside LAPACK called by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <tuple>
#include <type_traits>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/solve.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

template <class T, class F>
void beside_lapack(benchmark::State& state, F const& f) {
    std::size_t const n = 300;
    std::mt19937 random{1};
    std::normal_distribution<double> normal;
    auto const draw = [&] {
        if constexpr (std::is_floating_point_v<T>) return normal(random);
        else return T(normal(random), normal(random));
    };
    typename limits::solve<T>::matrix a(std::array<std::size_t, 2>{n, n}), abar = a;
    typename limits::solve<T>::vector b(std::array<std::size_t, 1>{n}), bbar = b;
    for (auto& e : a) e = draw();
    for (auto& e : b) e = draw();
    for (std::size_t i = 0; i < n; ++i) a(i, i) += 20.0;
    auto g = xgrad::prepare_gradient(f, a, b);
    limits::solve<T> hand;
    double const y = hand(a, b, abar, bbar);
    auto const& [value, gradient] = g(a, b);
    auto const& [da, db] = gradient;
    if (!perf::agrees(state, std::max({perf::difference(da, abar), perf::difference(db, bbar), std::abs(value - y) / y}))) return;
    perf::compare(
        state, 1.1, [&] { benchmark::DoNotOptimize(hand(a, b, abar, bbar)); }, [&] { benchmark::DoNotOptimize(g(a, b).value); });
}

void solve(benchmark::State& state) {
    beside_lapack<double>(state, [](auto const& A, auto const& v) { auto x = solve(A, v); return sum(x * x); });
}
BENCHMARK(solve)->UseManualTime()->Iterations(101);

void complex_solve(benchmark::State& state) {
    beside_lapack<std::complex<double>>(state, [](auto const& A, auto const& v) { return norm_sq(solve(A, v)); });
}
BENCHMARK(complex_solve)->UseManualTime()->Iterations(101);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
