// A function over items in lanes beside its adjoint by hand, in lanes too: the reprojection errors of 31843 observations, ADBench's first problem in size.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/bundle_adjustment.hpp>
#include <perf/limits/reprojection.hpp>
#include <perf/table.hpp>

namespace {

limits::observations problem(std::size_t cameras, std::size_t points, std::size_t n) {
    limits::observations o;
    auto const x = limits::bundle_adjustment_point();
    auto vary = [&x](std::size_t k, std::size_t i) { return x[k] * (1 + 0.1 * std::sin(1.0 + static_cast<double>(i + 3 * k))); };
    for (std::size_t i = 0; i < cameras; ++i)
        for (std::size_t k = 0; k < 11; ++k) o.cameras.push_back(vary(k, i));
    for (std::size_t i = 0; i < points; ++i)
        for (std::size_t k = 0; k < 3; ++k) o.points.push_back(vary(11 + k, i));
    for (std::size_t i = 0; i < n; ++i) {
        o.weights.push_back(vary(14, i));
        o.camera.push_back(static_cast<int>(i % cameras));
        o.point.push_back(static_cast<int>(i % points));
    }
    return o;
}

void reprojection(benchmark::State& state) {
    using xgrad::each, xgrad::pick;
    auto const o = problem(49, 7776, 31843);
    limits::observations by_hand;
    auto matrix = [](std::vector<double> const& v, std::size_t columns) {
        auto m = xt::xtensor<double, 2>::from_shape({v.size() / columns, columns});
        std::copy(v.begin(), v.end(), m.begin());
        return m;
    };
    auto const cameras = matrix(o.cameras, 11), points = matrix(o.points, 3);
    auto weights = xt::xtensor<double, 1>::from_shape({o.weights.size()});
    std::copy(o.weights.begin(), o.weights.end(), weights.begin());
    auto const error = [](auto const& c, auto const& p, auto const& weight) -> xgrad::real {
        return cases::scoped_bundle_adjustment(c(0), c(1), c(2), c(3), c(4), c(5), c(6), c(7), c(8), c(9), c(10), p(0), p(1), p(2), weight);
    };
    auto const loss = [&](auto const& c, auto const& p, auto const& w, auto const& camera, auto const& point) {
        return sum(xgrad::map(error, pick<11>(c, camera), pick<3>(p, point), each(w)));
    };
    auto g = xgrad::prepare_gradient(loss, cameras, points, weights, xgrad::constant(o.camera), xgrad::constant(o.point));
    auto const gradient = [&]() -> auto& { return g(cameras, points, weights, xgrad::constant(o.camera), xgrad::constant(o.point)).gradient; };
    limits::reprojections(o, by_hand);
    auto const& found = gradient();
    auto const& [dc, dp, dw, no_camera, no_point] = found;
    double const apart = std::max({perf::difference(dc, by_hand.cameras), perf::difference(dp, by_hand.points), perf::difference(dw, by_hand.weights)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, 1.3, [&] { benchmark::DoNotOptimize(limits::reprojections(o, by_hand)); }, [&] { benchmark::DoNotOptimize(gradient()); });
}
BENCHMARK(reprojection)->UseManualTime()->Iterations(101);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
