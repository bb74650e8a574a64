// Functions of one item over many, in lanes, beside loops by hand, in lanes too: options, pairs of atoms, observations in groups, paths.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <tuple>
#include <vector>

#include <xgrad/distributions.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/map_jacobian.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/items.hpp>
#include <perf/table.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using xgrad::constant, xgrad::each, xgrad::pick;

std::vector<double> uniform(std::size_t n, double from, double to) {
    static std::mt19937 random(1);
    std::uniform_real_distribution<double> between(from, to);
    std::vector<double> v(n);
    for (auto& e : v) e = between(random);
    return v;
}
std::vector<int> integers(std::size_t n, int below) {
    static std::mt19937 random(1);
    std::uniform_int_distribution<int> between(0, below - 1);
    std::vector<int> v(n);
    for (auto& e : v) e = between(random);
    return v;
}
vector array(std::vector<double> const& v) {
    vector a = vector::from_shape({v.size()});
    std::copy(v.begin(), v.end(), a.begin());
    return a;
}

auto const call_price = [](auto const& s, auto const& k, auto const& t, auto const& v, auto const& r) -> xgrad::real {
    auto width = v * sqrt(t);
    auto d1 = (log(s / k) + (r + 0.5 * v * v) * t) / width;
    auto d2 = d1 - width;
    return s * normal_cdf(d1) - k * exp(-r * t) * normal_cdf(d2);
};
auto const prices = [](auto const& s, auto const& k, auto const& t, auto const& v, auto const& r) {
    return sum(xgrad::map(call_price, each(s), each(k), each(t), each(v), each(r)));
};

void black_scholes(benchmark::State& state) {
    constexpr std::size_t n = 100000;
    limits::options const o{uniform(n, 80, 120), uniform(n, 80, 120), uniform(n, 0.2, 2), uniform(n, 0.1, 0.5), uniform(n, 0.0, 0.05)};
    limits::options by_hand = o;
    vector const s = array(o.spot), k = array(o.strike), t = array(o.time), v = array(o.volatility), r = array(o.rate);
    auto g = xgrad::prepare_gradient(prices, s, k, t, v, r);
    double const y = limits::black_scholes(o, by_hand);
    auto const& [value, gradient] = g(s, k, t, v, r);
    auto const& [ds, dk, dt, dv, dr] = gradient;
    double const apart = std::max({std::abs(value / y - 1), perf::difference(ds, by_hand.spot), perf::difference(dk, by_hand.strike),
                                   perf::difference(dt, by_hand.time), perf::difference(dv, by_hand.volatility), perf::difference(dr, by_hand.rate)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, 1.2, [&] { benchmark::DoNotOptimize(limits::black_scholes(o, by_hand)); }, [&] { benchmark::DoNotOptimize(g(s, k, t, v, r).value); });
}
BENCHMARK(black_scholes)->UseManualTime()->Iterations(51);

// The first derivatives by all five numbers, and the second ones by the spot: along a one for each option, which knows no other.
void black_scholes_gamma(benchmark::State& state) {
    constexpr std::size_t n = 100000;
    limits::options const o{uniform(n, 80, 120), uniform(n, 80, 120), uniform(n, 0.2, 2), uniform(n, 0.1, 0.5), uniform(n, 0.0, 0.05)};
    limits::options by_hand = o;
    std::vector<double> gamma(n);
    vector const s = array(o.spot), k = array(o.strike), t = array(o.time), v = array(o.volatility), r = array(o.rate);
    vector const ones = xt::ones<double>({n}), none = xt::zeros<double>({n});
    auto const x = std::tie(s, k, t, v, r), along = std::tie(ones, none, none, none, none);
    double const y = limits::black_scholes(o, by_hand, gamma.data());
    auto product = xgrad::prepare_hvp(prices, s, k, t, v, r);
    auto const& second = product(x, along);
    double const apart = std::max({std::abs(second.value / y - 1), perf::difference(std::get<0>(second.gradient), by_hand.spot),
                                   perf::difference(std::get<3>(second.gradient), by_hand.volatility), perf::difference(std::get<0>(second.product), gamma)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, 2.0, [&] { benchmark::DoNotOptimize(limits::black_scholes(o, by_hand, gamma.data())); },
        [&] { benchmark::DoNotOptimize(product(x, along).value); });
}
BENCHMARK(black_scholes_gamma)->UseManualTime()->Iterations(51);

void lennard_jones(benchmark::State& state) {
    auto const energy = [](auto const& p, auto const& q) -> xgrad::real {
        auto a = p(0) - q(0);
        auto b = p(1) - q(1);
        auto c = p(2) - q(2);
        auto r2 = 1.0 / (a * a + b * b + c * c);
        auto r6 = r2 * r2 * r2;
        return 4.0 * r6 * (r6 - 1.0);
    };
    // a lattice that is a little off, and the pairs that are near
    constexpr int side = 21;
    auto const noise = uniform(3 * side * side * side, -0.1, 0.1);
    std::vector<double> x;
    limits::pairs p;
    auto at = [](int i, int j, int k) { return (i * side + j) * side + k; };
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j)
            for (int k = 0; k < side; ++k) {
                for (int const c : {i, j, k}) x.push_back(1.1 * c + noise[x.size()]);
                for (int a = -1; a <= 1; ++a)
                    for (int b = -1; b <= 1; ++b)
                        for (int c = -1; c <= 1; ++c) {
                            int const l = i + a, m = j + b, n = k + c;
                            if (std::min({l, m, n}) < 0 || std::max({l, m, n}) >= side || at(l, m, n) <= at(i, j, k)) continue;
                            p.first.push_back(at(i, j, k));
                            p.second.push_back(at(l, m, n));
                        }
            }
    std::vector<double> by_hand = x;
    matrix places = matrix::from_shape({x.size() / 3, 3});
    std::copy(x.begin(), x.end(), places.begin());
    auto g = xgrad::prepare_gradient(
        [&](auto const& r, auto const& i, auto const& j) { return sum(xgrad::map(energy, pick<3>(r, i), pick<3>(r, j))); }, places, constant(p.first),
        constant(p.second));
    double const y = limits::lennard_jones(x, p, by_hand);
    auto const& r = g(places, constant(p.first), constant(p.second));
    if (!perf::agrees(state, std::max(std::abs(r.value / y - 1), perf::difference(std::get<0>(r.gradient), by_hand)))) return;
    perf::compare(
        state, 1.5, [&] { benchmark::DoNotOptimize(limits::lennard_jones(x, p, by_hand)); },
        [&] { benchmark::DoNotOptimize(g(places, constant(p.first), constant(p.second)).value); });
}
BENCHMARK(lennard_jones)->UseManualTime()->Iterations(51);

// A sheet of 10^5 triangles: the energy and its gradient by the one map, the second derivatives of each triangle by the other.
void dirichlet_energy(benchmark::State& state) {
    auto const energy = [](auto const& a, auto const& b, auto const& c, auto const& rest) -> xgrad::real {
        auto ux = b(0) - a(0), uy = b(1) - a(1), vx = c(0) - a(0), vy = c(1) - a(1);
        auto jxx = ux * rest(0) + vx * rest(2), jxy = ux * rest(1) + vx * rest(3);
        auto jyx = uy * rest(0) + vy * rest(2), jyy = uy * rest(1) + vy * rest(3);
        auto squares = jxx * jxx + jxy * jxy + jyx * jyx + jyy * jyy;
        auto det = jxx * jyy - jxy * jyx;
        return rest(4) * (squares + squares / (det * det));
    };
    constexpr int side = 224;
    auto const noise = uniform(2 * side * side, -0.2, 0.2);
    std::vector<double> x;
    limits::triangles t;
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            for (int const c : {i, j}) x.push_back(c + noise[x.size()]);
            if (i + 1 == side || j + 1 == side) continue;
            int const k = i * side + j;
            for (auto const& corner : {std::array{k, k + side, k + 1}, std::array{k + side + 1, k + 1, k + side}}) {
                double const sign = corner[0] == k ? 1.0 : -1.0;
                for (std::size_t p = 0; p < 3; ++p) t.corner[p].push_back(corner[p]);
                t.rest.insert(t.rest.end(), {sign, 0.0, 0.0, sign, 0.5});
            }
        }
    std::size_t const n = t.corner[0].size();
    std::vector<double> xbar = x, hessians;
    matrix points = matrix::from_shape({x.size() / 2, 2}), rest = matrix::from_shape({n, 5});
    std::copy(x.begin(), x.end(), points.begin());
    std::copy(t.rest.begin(), t.rest.end(), rest.begin());
    auto g = xgrad::prepare_gradient(
        [&](auto const& p) {
            auto const corner = [&](std::size_t k) { return pick<2>(p, std::cref(t.corner[k])); };
            return sum(xgrad::map(energy, corner(0), corner(1), corner(2), each<5>(std::cref(rest))));
        },
        points);
    xt::xtensor<double, 3> second;
    auto const ours = [&]() -> auto& {
        auto const corner = [&](std::size_t k) { return pick<2>(std::cref(points), std::cref(t.corner[k])); };
        xgrad::map_hessian_to(second, energy, corner(0), corner(1), corner(2), each<5>(constant(rest)));
        return g(points);
    };
    double const y = limits::distortion(x, t, xbar, hessians);
    auto const& r = ours();
    double const apart = std::max({std::abs(r.value / y - 1), perf::difference(std::get<0>(r.gradient), xbar), perf::difference(second, hessians)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, 0.4, [&] { benchmark::DoNotOptimize(limits::distortion(x, t, xbar, hessians)); }, [&] { benchmark::DoNotOptimize(ours().value); });
}
BENCHMARK(dirichlet_energy)->UseManualTime()->Iterations(51);

// Observations in 85 groups: f is the log-density of one.
template <class F, class Limit>
void regression(benchmark::State& state, F const& f, Limit hand, std::vector<double> const& observed) {
    constexpr int groups = 85;
    std::size_t const n = observed.size();
    limits::grouped const o{uniform(n, -1, 1), observed, integers(n, groups)};
    limits::effects const e{uniform(groups, 0, 1), 0.3, -0.2};
    limits::effects by_hand = e;
    vector const effect = array(e.group), x = array(o.x), y = array(o.y);
    auto g = xgrad::prepare_gradient(
        [&](auto const& a, auto const& slope, auto const& deviation, auto const& u, auto const& v, auto const& group) {
            return sum(xgrad::map(f, pick(a, group), slope, deviation, each(u), each(v)));
        },
        effect, e.slope, e.log_deviation, constant(x), constant(y), constant(o.group));
    auto const call = [&]() -> auto& { return g(effect, e.slope, e.log_deviation, constant(x), constant(y), constant(o.group)); };
    double const value = hand(o, e, by_hand);
    auto const& r = call();
    double const apart = std::max({std::abs(r.value / value - 1), perf::difference(std::get<0>(r.gradient), by_hand.group),
                                   std::abs(std::get<1>(r.gradient) / by_hand.slope - 1)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, 1.2, [&] { benchmark::DoNotOptimize(hand(o, e, by_hand)); }, [&] { benchmark::DoNotOptimize(call().value); });
}
void normal_regression(benchmark::State& state) {
    auto const f = [](auto const& effect, auto const& slope, auto const& log_deviation, auto const& x, auto const& y) -> xgrad::real {
        return normal_lpdf(y, effect + slope * x, exp(log_deviation));
    };
    regression(state, f, limits::normal_regression, uniform(100000, -1, 2));
}
void poisson_regression(benchmark::State& state) {
    auto const f = [](auto const& effect, auto const& slope, auto const&, auto const& x, auto const& y) -> xgrad::real {
        auto eta = effect + slope * x;
        return y * eta - exp(eta);
    };
    auto counts = uniform(100000, 0, 6);
    for (auto& c : counts) c = std::floor(c);
    regression(state, f, limits::poisson_regression, counts);
}
BENCHMARK(normal_regression)->UseManualTime()->Iterations(51);
BENCHMARK(poisson_regression)->UseManualTime()->Iterations(51);

// 252 steps of 8000 paths.
void asian_call(benchmark::State& state) {
    constexpr std::size_t steps = 252, paths = 8000;
    auto const step = [](auto const& s, auto const& z, auto const& drift, auto const& volatility) -> xgrad::result<std::tuple<double, double>> {
        auto const& [price, total] = s;
        auto next = price * exp(drift + volatility * z);
        return std::tuple(next, total + next);
    };
    auto const payoff = [=](auto const& spot, auto const& mu, auto const& sigma, auto const& z) -> xgrad::real {
        constexpr double dt = 1.0 / static_cast<double>(steps);
        auto drift = (mu - 0.5 * sigma * sigma) * dt;
        auto volatility = sigma * std::sqrt(dt);
        auto const last = xgrad::scan(step, std::tuple(spot, 0.0), z, drift, volatility);
        return maximum(std::get<1>(last) * dt - 100.0, 0.0);
    };
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::vector<double> z(steps * paths);
    for (auto& e : z) e = normal(random);
    matrix rows = matrix::from_shape({paths, steps});
    std::copy(z.begin(), z.end(), rows.begin());
    auto g = xgrad::prepare_gradient(
        [&](auto const& spot, auto const& mu, auto const& sigma, auto const& r) { return mean(xgrad::map(payoff, spot, mu, sigma, each<steps>(r))); }, 100.0,
        0.03, 0.2, constant(rows));
    auto const hand = [&] { return limits::asian_call(z, steps, 100.0, 0.03, 0.2, 100.0); };
    auto const by_hand = hand();
    auto const& r = g(100.0, 0.03, 0.2, constant(rows));
    auto const& [spot, mu, sigma, none] = r.gradient;
    double const apart = std::max({std::abs(r.value / by_hand[0] - 1), std::abs(spot / by_hand[1] - 1), std::abs(mu / by_hand[2] - 1),
                                   std::abs(sigma / by_hand[3] - 1)});
    if (!perf::agrees(state, apart)) return;
    perf::compare(
        state, 1.5, [&] { benchmark::DoNotOptimize(hand()); }, [&] { benchmark::DoNotOptimize(g(100.0, 0.03, 0.2, constant(rows)).value); });
}
BENCHMARK(asian_call)->UseManualTime()->Iterations(11);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
