// The gradient of the sum of squares of A⁻¹ b, n = 300, beside LAPACK called by hand.
#include <algorithm>
#include <cstddef>
#include <random>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/solve.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

void solve(benchmark::State& state) {
    std::size_t const n = 300;
    std::mt19937 random{1};
    std::normal_distribution<double> normal;
    matrix a(std::array<std::size_t, 2>{n, n}), abar = a;
    vector b(std::array<std::size_t, 1>{n}), bbar = b;
    for (auto& e : a) e = normal(random);
    for (auto& e : b) e = normal(random);
    for (std::size_t i = 0; i < n; ++i) a(i, i) += 20.0;
    auto const f = [](auto const& A, auto const& v) { auto x = solve(A, v); return sum(x * x); };
    auto g = xgrad::prepare_gradient(f, a, b);
    limits::solve hand;
    hand(a, b, abar, bbar);
    auto const& [da, db] = g(a, b).gradient;
    if (!perf::agrees(state, std::max(perf::difference(da, abar), perf::difference(db, bbar)))) return;
    perf::compare(
        state, 1.1, [&] { benchmark::DoNotOptimize(hand(a, b, abar, bbar)); }, [&] { benchmark::DoNotOptimize(g(a, b).value); });
}
BENCHMARK(solve)->UseManualTime()->Iterations(101);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
