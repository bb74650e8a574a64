// Forward mode and second derivatives: a fused chain of ten operations with a broadcast operand, n = 10⁴, the residual of bundle adjustment on duals, a
// loop of numbers, and one over elements.
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include <xgrad/xgrad.hpp>

#include <perf/cases.hpp>
#include <perf/compare.hpp>
#include <perf/limits/bundle_adjustment.hpp>
#include <perf/limits/chain.hpp>
#include <perf/table.hpp>

namespace {

constexpr std::size_t rows = 100, columns = 104;

xt::xtensor<double, 2> waves() {
    auto x = xt::xtensor<double, 2>::from_shape({rows, columns});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<double>(i));
    return x;
}
struct data {
    xt::xtensor<double, 2> x = waves(), xbar = x, xdot = xt::cos(x);
    xt::xtensor<double, 1> b = xt::cos(xt::arange<double>(columns)), bbar = b, bdot = b;
    double gradient() { return limits::chain(rows, columns, x.data(), b.data(), xbar.data(), bbar.data()); }
    double value() const { return limits::chain(rows, columns, x.data(), b.data()); }
};

auto const chain = [](auto const& x, auto const& b) { return sum(log(1.0 + exp(tanh(x * b + 0.1) * x - sqrt(x * x + 1.0)))); };

void chain_gradient(benchmark::State& state) {
    data d;
    auto g = xgrad::prepare_gradient(chain, d.x, d.b);
    auto const& found = g(d.x, d.b).gradient;
    d.gradient();
    if (!perf::agrees(state, std::max(perf::difference(std::get<0>(found), d.xbar), perf::difference(std::get<1>(found), d.bbar)))) return;
    perf::compare(state, 1.15, [&] { benchmark::DoNotOptimize(d.gradient()); }, [&] { benchmark::DoNotOptimize(g(d.x, d.b).value); });
}
void chain_jvp(benchmark::State& state) {
    data d;
    d.gradient();
    double const expected = xt::sum(d.xbar * d.xdot)() + xt::sum(d.bbar * d.bdot)();
    auto const run = [&] { return xgrad::jvp(chain, std::tie(d.x, d.b), std::tie(d.xdot, d.bdot)); };
    if (!perf::agrees(state, std::abs(run().tangent / expected - 1))) return;
    perf::compare(state, 2.0, [&] { benchmark::DoNotOptimize(d.value()); }, [&] { benchmark::DoNotOptimize(run().tangent); });
}
void chain_hvp(benchmark::State& state) {
    data d;
    auto const run = [&] { return xgrad::hvp(chain, std::tie(d.x, d.b), std::tie(d.xdot, d.bdot)); };
    d.gradient();
    if (!perf::agrees(state, perf::difference(std::get<0>(run().gradient), d.xbar))) return;
    perf::compare(
        state, 2.5, [&] { benchmark::DoNotOptimize(xgrad::value_and_gradient(chain, d.x, d.b).value); }, [&] { benchmark::DoNotOptimize(run().value); });
}

// The inputs of the residual with N tangents, which are unit vectors.
template <std::size_t N>
auto lift(limits::camera_and_point const& x, std::size_t first) {
    using D = xgrad::dual<double, N>;
    std::array<D, std::tuple_size_v<limits::camera_and_point>> lifted;
    for (std::size_t i = 0; i < lifted.size(); ++i) {
        lifted[i] = D(x[i]);
        for (std::size_t k = 0; k < N; ++k) lifted[i].direction(k) = first + k == i ? 1.0 : 0.0;
    }
    return lifted;
}
// one copy of it, as in a program
template <class X>
[[gnu::noinline]] auto residual(X const& lifted) {
    return std::apply([](auto const&... e) { return cases::bundle_adjustment(e...); }, lifted);
}
void residual_in_eight_lanes(benchmark::State& state) {
    auto const x = limits::bundle_adjustment_point();
    auto const reference = limits::bundle_adjustment_gradient(x);
    auto eight = lift<8>(x, 0);
    std::array<decltype(lift<1>(x, 0)), 8> one;
    for (std::size_t k = 0; k < 8; ++k) one[k] = lift<1>(x, k);
    auto const y = residual(eight);
    double worst = 0;
    for (std::size_t k = 0; k < 8; ++k) worst = std::max({worst, std::abs(y.direction(k) - reference[k]), std::abs(residual(one[k]).tangent - reference[k])});
    if (!perf::agrees(state, worst)) return;
    perf::compare(
        state, 0.6,
        [&] {
            benchmark::DoNotOptimize(one);
            for (auto const& l : one) benchmark::DoNotOptimize(residual(l));
        },
        [&] {
            benchmark::DoNotOptimize(eight);
            benchmark::DoNotOptimize(residual(eight));
        });
}

// An epidemic of 500 days, and how far it is from what was seen.
struct epidemic {
    xt::xtensor<double, 1> seen = 0.1 * xt::square(xt::sin(0.01 * xt::arange<double>(500)));
    template <class T>
    auto operator()(T const& infects, T const& heals) const {
        xgrad::number_like<T> healthy = 0.99, ill = 0.01, loss = 0.0;
        for (std::size_t day = 0; day < seen.size(); ++day) {
            auto const infected = infects * healthy * ill;
            auto const healed = heals * ill;
            healthy -= 0.1 * infected;
            ill += 0.1 * (infected - healed);
            auto const wrong = ill - seen(day);
            loss += wrong * wrong;
        }
        return loss;
    }
    // The value and its derivative along a direction.
    std::pair<double, double> by_hand(double infects, double heals, double infects_dot, double heals_dot) const {
        double healthy = 0.99, ill = 0.01, loss = 0, healthy_dot = 0, ill_dot = 0, loss_dot = 0;
        for (double s : seen) {
            double const infected = infects * healthy * ill,
                         infected_dot = infects_dot * healthy * ill + infects * (healthy_dot * ill + healthy * ill_dot);
            healthy -= 0.1 * infected;
            healthy_dot -= 0.1 * infected_dot;
            ill_dot += 0.1 * (infected_dot - heals * ill_dot - heals_dot * ill);
            ill += 0.1 * (infected - heals * ill);
            double const wrong = ill - s;
            loss += wrong * wrong;
            loss_dot += 2 * wrong * ill_dot;
        }
        return {loss, loss_dot};
    }
};
// The model's parameters are not known to the compiler.
template <class Limit, class Ours>
void compare_loops(benchmark::State& state, double bar, double& infects, Limit limit, Ours ours) {
    auto const anew = [&infects](auto f) {
        return [&infects, f] {
            benchmark::DoNotOptimize(infects);
            f();
        };
    };
    perf::compare(state, bar, anew(limit), anew(ours));
}
void loop_of_numbers_jvp(benchmark::State& state) {
    epidemic const f;
    double infects = 0.4, heals = 0.1;
    auto const run = [&] { return xgrad::jvp(f, std::tuple(infects, heals), std::tuple(1.0, 0.0)); };
    if (!perf::agrees(state, std::abs(run().tangent / f.by_hand(infects, heals, 1, 0).second - 1))) return;
    compare_loops(
        state, 2.0, infects, [&] { benchmark::DoNotOptimize(f.by_hand(infects, heals, 1, 0)); }, [&] { benchmark::DoNotOptimize(run()); });
}
// Both derivatives in one pass.
void loop_of_numbers_jacobian(benchmark::State& state) {
    epidemic const f;
    double infects = 0.4, heals = 0.1;
    auto const run = [&] { return xgrad::jacobian(f, infects, heals); };
    auto const j = run();
    auto const error = [&](double found, double infects_dot, double heals_dot) {
        return std::abs(found / f.by_hand(infects, heals, infects_dot, heals_dot).second - 1);
    };
    if (!perf::agrees(state, std::max(error(j(0), 1, 0), error(j(1), 0, 1)))) return;
    compare_loops(
        state, 3.0, infects,
        [&] {
            benchmark::DoNotOptimize(f.by_hand(infects, heals, 1, 0));
            benchmark::DoNotOptimize(f.by_hand(infects, heals, 0, 1));
        },
        [&] { benchmark::DoNotOptimize(run()); });
}
void loop_of_numbers_value(benchmark::State& state) {
    epidemic const f;
    double infects = 0.4, heals = 0.1;
    if (!perf::agrees(state, std::abs(xgrad::value(f, infects, heals) / f(infects, heals) - 1))) return;
    compare_loops(
        state, 3.0, infects, [&] { benchmark::DoNotOptimize(f(infects, heals)); }, [&] { benchmark::DoNotOptimize(xgrad::value(f, infects, heals)); });
}

auto const elements = [](auto const& x) {
    xgrad::variable s = x(0) * 0.0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) s = s + x(i) * x(i + 1);
    return s;
};
// Ten times the elements take ten times as long.
void loop_over_elements(benchmark::State& state) {
    xt::xtensor<double, 1> const small = xt::cos(xt::arange<double>(10000)), large = xt::cos(xt::arange<double>(100000));
    auto g = xgrad::prepare_gradient(elements, small);
    auto h = xgrad::prepare_gradient(elements, large);
    perf::compare(
        state, 1.5,
        [&] {
            for (int i = 0; i < 10; ++i) benchmark::DoNotOptimize(g(small).value);
        },
        [&] { benchmark::DoNotOptimize(h(large).value); });
}

BENCHMARK(chain_gradient)->UseManualTime()->Iterations(301);
BENCHMARK(chain_jvp)->UseManualTime()->Iterations(301);
BENCHMARK(chain_hvp)->UseManualTime()->Iterations(301);
BENCHMARK(residual_in_eight_lanes)->UseManualTime()->Iterations(1001);
BENCHMARK(loop_of_numbers_jvp)->UseManualTime()->Iterations(301);
BENCHMARK(loop_of_numbers_jacobian)->UseManualTime()->Iterations(301);
BENCHMARK(loop_of_numbers_value)->UseManualTime()->Iterations(301);
BENCHMARK(loop_over_elements)->UseManualTime()->Iterations(41);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
