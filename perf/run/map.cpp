// A function over items in lanes beside its adjoint by hand, in lanes too: the reprojection errors of 31843 observations, ADBench's first problem in size.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <tuple>
#include <vector>

#include <xgrad/map.hpp>
#include <xgrad/map_jacobian.hpp>
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

xt::xtensor<double, 2> matrix(std::vector<double> const& v, std::size_t columns) {
    auto m = xt::xtensor<double, 2>::from_shape({v.size() / columns, columns});
    std::copy(v.begin(), v.end(), m.begin());
    return m;
}

void reprojection(benchmark::State& state) {
    using xgrad::each, xgrad::pick;
    auto const o = problem(49, 7776, 31843);
    limits::observations by_hand;
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

// The Jacobian of both residuals of each observation.
auto const residuals = [](auto const& camera, auto const& point, auto const& weight) -> xgrad::result<std::array<double, 2>> {
    auto x0 = point(0) - camera(3);
    auto x1 = point(1) - camera(4);
    auto x2 = point(2) - camera(5);
    auto angle = sqrt(camera(0) * camera(0) + camera(1) * camera(1) + camera(2) * camera(2));
    auto c = cos(angle);
    auto s = sin(angle);
    auto inverse = 1.0 / angle;
    auto w0 = camera(0) * inverse;
    auto w1 = camera(1) * inverse;
    auto w2 = camera(2) * inverse;
    auto n0 = w1 * x2 - w2 * x1;
    auto n1 = w2 * x0 - w0 * x2;
    auto n2 = w0 * x1 - w1 * x0;
    auto along = (w0 * x0 + w1 * x1 + w2 * x2) * (1.0 - c);
    auto y0 = x0 * c + n0 * s + w0 * along;
    auto y1 = x1 * c + n1 * s + w1 * along;
    auto y2 = x2 * c + n2 * s + w2 * along;
    auto a = y0 / y2;
    auto b = y1 / y2;
    auto squared = a * a + b * b;
    auto scale = camera(6) * (1.0 + camera(9) * squared + camera(10) * squared * squared);
    return std::tuple(weight * (a * scale + camera(7) - 0.3), weight * (b * scale + camera(8) - 0.7));
};

void jacobians(benchmark::State& state) {
    using xgrad::each, xgrad::pick;
    auto const o = problem(49, 7776, 31843);
    auto const cameras = matrix(o.cameras, 11), points = matrix(o.points, 3);
    std::vector<double> by_hand;
    xt::xtensor<double, 3> found;
    auto const ours = [&]() -> auto& {
        xgrad::map_jacobian_to(found, residuals, pick<11>(cameras, std::cref(o.camera)), pick<3>(points, std::cref(o.point)), each(std::cref(o.weights)));
        return found;
    };
    limits::residual_jacobians(o, by_hand);
    if (!perf::agrees(state, perf::difference(ours(), by_hand))) return;
    perf::compare(
        state, 0.5,
        [&] {
            limits::residual_jacobians(o, by_hand);
            benchmark::DoNotOptimize(by_hand.data());
        },
        [&] { benchmark::DoNotOptimize(ours().data()); });
}
BENCHMARK(jacobians)->UseManualTime()->Iterations(101);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
