// The posterior density of a Gaussian mixture on 1000 points, ADBench's objective, and its gradient, beside matrix products on the same BLAS library by hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/gmm.hpp>
#include <perf/mixture.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace {

double difference(cases::mixture const& a, cases::mixture const& b) {
    return std::max({perf::difference(a.alphas, b.alphas), perf::difference(a.means, b.means), perf::difference(a.icf, b.icf)});
}

void gmm(benchmark::State& state, std::size_t d, std::size_t k) {
    std::size_t const n = 1000;
    auto const p = cases::random_mixture(k, d);
    auto handbar = p;
    auto const points = cases::random_points(d, n);
    cases::wishart const prior;
    auto const places = cases::places_in_icf(k, d);
    auto const constants = std::tuple(xgrad::constant(points), xgrad::constant(places), xgrad::constant(prior));
    auto const& [x, at, w] = constants;
    auto g = xgrad::prepare_gradient(cases::posterior, p, x, at, w);
    limits::gmm hand;
    double const expected = hand(p, points, prior, handbar);
    auto const& found = g(p, x, at, w);
    auto const& of_p = std::get<0>(found.gradient);
    if (!perf::agrees(state, std::max(difference({of_p.alphas, of_p.means, of_p.icf}, handbar), std::abs(found.value / expected - 1.0)))) return;
    perf::compare(
        state, 1.2, [&] { benchmark::DoNotOptimize(hand(p, points, prior, handbar)); }, [&] { benchmark::DoNotOptimize(g(p, x, at, w).value); });
}
void gmm_10_25(benchmark::State& state) { gmm(state, 10, 25); }
void gmm_64_50(benchmark::State& state) { gmm(state, 64, 50); }
BENCHMARK(gmm_10_25)->UseManualTime()->Iterations(301);
BENCHMARK(gmm_64_50)->UseManualTime()->Iterations(31);

}  // namespace

int main(int argc, char** argv) {
    perf::settle_blas(argv);
    return perf::run(argc, argv);
}
