// The programs of docs/performance.md.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <tuple>
#include <vector>

#include <xgrad/explain.hpp>
#include <xgrad/map.hpp>
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

namespace {
std::size_t allocations = 0;
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size ? size : 1)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

void fused_and_named() {
    auto fused = [](auto const& a, auto const& x) { return sum(log(1.0 + exp(a * x)) * tanh(x)); };  // one loop, no array
    auto named = [](auto const& a, auto const& x) {
        auto e = exp(a * x);  // three arrays, and three for their cotangents, unless x is long
        auto l = log(1.0 + e);
        auto t = tanh(x);
        return sum(l * t);
    };
    auto moved = [](auto const& a, auto const& x) {
        auto e = exp(a * x);
        auto l = log(1.0 + std::move(e));  // one loop again
        auto t = tanh(x);
        return sum(std::move(l) * std::move(t));
    };
    vector const a = xt::linspace(-1.0, 1.0, 10'000), x = xt::linspace(0.1, 2.0, 10'000);
    auto g = xgrad::prepare_gradient(fused, a, x);
    auto h = xgrad::prepare_gradient(named, a, x);
    auto m = xgrad::prepare_gradient(moved, a, x);
    check(near(g(a, x).value, h(a, x).value) && near(std::get<1>(g(a, x).gradient)(77), std::get<1>(m(a, x).gradient)(77)));
    std::puts(xgrad::explain(named, a, x).text().c_str());
    check(xgrad::explain(named, a, x).forward_passes == 4 && xgrad::explain(moved, a, x).forward_passes == 1);
    check(g.workspace_bytes() < 80'000 && m.workspace_bytes() < 80'000 && h.workspace_bytes() > 6 * 80'000);
}

void what_is_broadcast() {
    auto once = [](auto const& scale, auto const& x) { return sum(exp(scale) * x); };  // exp for each element of scale
    auto normalised = [](auto const& x) {
        auto centred = x - mean(x, {1}, xt::keep_dims);
        return sum(abs(centred / sqrt(mean(centred * centred, {1}, xt::keep_dims) + 1e-5)));  // sqrt for each row
    };
    vector const scale{0.1, 0.2};
    matrix const x{{1, 2}, {3, 4}, {5, 6}};
    auto const [g, h] = xgrad::gradient(once, scale, x);
    for (std::size_t i = 0; i < 2; ++i) check(std::abs(g(i) - std::exp(scale(i)) * xt::sum(xt::col(x, static_cast<std::ptrdiff_t>(i)))()) < 1e-12);
    // rows of two elements are normalised to -1 and 1, nearly
    check(std::abs(xgrad::value(normalised, x) - 6.0) < 1e-3 && std::abs(std::get<0>(xgrad::gradient(normalised, x))(0, 0)) < 1e-3);
}

void no_allocations() {
    auto f = [](auto const& m, auto const& y) {
        auto r = sum(m * m, {1}) - y;
        return sum(r * r);
    };
    matrix const m = xt::ones<double>({50, 40});
    vector const y = xt::zeros<double>({50});
    auto gradient = xgrad::prepare_gradient(f, m, xgrad::constant(y));
    gradient(m, xgrad::constant(y));  // makes the workspace and the gradient
    std::size_t const before = allocations;
    for (int i = 0; i < 10; ++i) gradient(m, xgrad::constant(y));
    check(allocations == before);
}

void small_arrays() {
    // The energy of a bond between two atoms, asked for every pair.
    auto bond = [](auto const& p, auto const& q) -> xgrad::real {
        auto d = p - q;
        auto excess = sqrt(sum(d * d)) - 1.0;
        return excess * excess;
    };
    using point = xt::xtensor_fixed<double, xt::xshape<3>>;
    point const here{0.0, 0.0, 0.0}, there{0.0, 3.0, 4.0};
    auto forces = xgrad::prepare_gradient(bond, here, there);
    auto const& [dhere, dthere] = forces(here, there).gradient;  // (0, -4.8, -6.4) and the opposite

    std::size_t const before = allocations;
    forces(here, there);
    check(allocations == before && forces.workspace_bytes() == 0);
    check(dhere(0) == 0.0 && near(dhere(1), -4.8) && near(dhere(2), -6.4) && near(dthere(1), 4.8) && near(dthere(2), 6.4));
}

void few_numbers() {
    auto const epidemic = [](auto const& infects, auto const& heals) {
        xgrad::number_like<decltype(infects)> healthy = 0.99, ill = 0.01;
        for (int day = 0; day < 100; ++day) {
            auto infected = infects * healthy * ill;
            healthy -= 0.1 * infected;
            ill += 0.1 * (infected - heals * ill);
        }
        return ill;
    };
    xt::xtensor<double, 1> const j = xgrad::jacobian(epidemic, 0.4, 0.1);  // by infects, by heals

    auto const [infects, heals] = xgrad::gradient(epidemic, 0.4, 0.1);
    check(near(j(0), infects) && near(j(1), heals));
}

void many_items() {
    xt::xtensor<int, 1> const from{0, 1, 2, 0}, to{1, 2, 3, 3};
    xt::xtensor<double, 1> const lengths{1.0, 1.0, 1.0, 1.5};
    // The energy of a spring, for every edge of a net.
    auto spring = [](auto const& p, auto const& q, auto const& length, auto const& stiffness) -> xgrad::real {
        auto d = p - q;
        auto excess = sqrt(d(0) * d(0) + d(1) * d(1)) - length;
        return stiffness * excess * excess;
    };
    auto energy = [&](auto const& points, auto const& stiffness) {
        using xgrad::each, xgrad::pick;
        return sum(xgrad::map(spring, pick<2>(points, from), pick<2>(points, to), each(lengths), stiffness));
    };
    xt::xtensor<double, 2> const points{{0.0, 0.0}, {2.0, 0.0}, {2.0, 3.0}, {0.0, 1.0}};
    auto const [dpoints, dstiffness] = xgrad::gradient(energy, points, 0.5);

    check(near(dpoints(1, 0), 1.0) && near(dpoints(1, 1), -2.0) && near(dstiffness, 1.0 + 4.0 + (std::sqrt(8.0) - 1.0) * (std::sqrt(8.0) - 1.0) + 0.25));
}

void second_derivatives_of_items() {
    auto price = [](auto const& s, auto const& k, auto const& t, auto const& v, auto const& r) -> xgrad::real {
        auto width = v * sqrt(t);
        auto d1 = (log(s / k) + (r + 0.5 * v * v) * t) / width;
        return s * normal_cdf(d1) - k * exp(-r * t) * normal_cdf(d1 - width);
    };
    vector const spot{95.0, 100.0, 110.0}, strike{100.0, 100.0, 100.0}, time{1.0, 0.5, 2.0}, volatility{0.2, 0.3, 0.1};
    double const rate = 0.03;
    auto prices = [&](auto const& s, auto const& t, auto const& v, auto const& r) {
        using xgrad::each;
        return xgrad::map(price, each(s), each(strike), each(t), each(v), r);
    };
    auto total = [&](auto const& s, auto const& t, auto const& v, auto const& r) { return sum(prices(s, t, v, r)); };
    vector const ones{1.0, 1.0, 1.0}, none{0.0, 0.0, 0.0};
    auto const [value, gradient, product] = xgrad::hvp(total, std::tuple(spot, time, volatility, rate), std::tuple(ones, none, none, 0.0));
    auto const& [delta, by_time, vega, rho] = gradient;
    auto const& [gamma, charm, vanna, by_rate] = product;

    for (std::size_t i = 0; i < 3; ++i) {
        double const width = volatility(i) * std::sqrt(time(i));
        double const d1 = std::log(spot(i) / strike(i)) / width + (rate + 0.5 * volatility(i) * volatility(i)) * time(i) / width;
        double const density = std::exp(-0.5 * d1 * d1) / std::sqrt(2 * 3.14159265358979);
        check(near(delta(i), 0.5 * std::erfc(-d1 / std::sqrt(2.0))) && near(gamma(i), density / (spot(i) * width)));
        check(near(vega(i), spot(i) * density * std::sqrt(time(i))) && near(vanna(i), -density * (d1 - width) / volatility(i)));
    }
    check(value > 0 && by_time(0) > 0 && rho > 0 && by_rate > 0 && charm(0) != 0);
}

void arrays_by_index() {
    // How far each inner point is from the mean of its neighbours.
    auto each = [](auto i, auto j, auto const& u) -> xgrad::real {
        return u(i + 1, j + 1) - 0.25 * (u(i, j + 1) + u(i + 2, j + 1) + u(i + 1, j) + u(i + 1, j + 2));
    };
    auto roughness = [&](auto const& u) {
        auto y = xgrad::tabulate({u.shape(0) - 2, u.shape(1) - 2}, each, u);
        return sum(y * y);
    };
    matrix u = xt::zeros<double>({5, 5});
    u(2, 2) = 1.0;
    auto const [value, gradient] = xgrad::value_and_gradient(roughness, u);
    check(near(value, 1.25) && near(std::get<0>(gradient)(2, 2), 2.5) && near(std::get<0>(gradient)(2, 1), -1.0));
}

void sums_over_data() {
    matrix const data = xt::linspace(0.0, 1.0, 3'000).reshape({1'000, 3});
    vector const w{0.1, 0.2, 0.3};
    auto loss = [](auto const& p, auto const& d) {
        xgrad::sum_result total;
        for (std::size_t i = 0; i < d.shape(0); ++i) {
            auto z = sum(p * xt::view(d, i, xt::all()));
            total += log(1.0 + exp(z));  // its pullback runs at the end of the loop's body
        }
        return total;
    };
    auto whole = xgrad::prepare_gradient(loss, w, xgrad::constant(data));
    vector const dw = std::get<0>(whole(w, xgrad::constant(data)).gradient);

    std::tuple gradient{xgrad::zero_tangent(w), xgrad::no_tangent{}};  // or a piece of the data at a time
    double value = 0;
    for (std::size_t i = 0; i < 1'000; i += 250) {
        matrix const piece = xt::view(data, xt::range(i, i + 250), xt::all());
        value += xgrad::add_gradient(gradient, loss, w, xgrad::constant(piece));
    }
    check(near(std::get<0>(gradient)(1), dw(1)) && near(value, whole(w, xgrad::constant(data)).value));
    check(whole.workspace_bytes() <= 100'000);
}

void constants() {
    vector const big = xt::ones<double>({100'000}), w{2.0};
    auto copies = [&](auto const& p) { return sum(p * big); };                 // a copy in the workspace, in each call
    auto refers = [&](auto const& p) { return sum(p * std::cref(big)); };      // none: big must stay until the gradient is there
    auto given = [](auto const& p, auto const& k) { return sum(p * k); };      // none
    auto a = xgrad::prepare_gradient(copies, w);
    auto b = xgrad::prepare_gradient(refers, w);
    auto c = xgrad::prepare_gradient(given, w, xgrad::constant(big));
    check(a(w).value == 200'000 && b(w).value == 200'000 && c(w, xgrad::constant(big)).value == 200'000);
    check(a.workspace_bytes() >= 800'000 && b.workspace_bytes() < 100'000 && c.workspace_bytes() < 100'000);
}

}

int main() {
    fused_and_named();
    what_is_broadcast();
    no_allocations();
    small_arrays();
    few_numbers();
    many_items();
    second_derivatives_of_items();
    arrays_by_index();
    sums_over_data();
    constants();
    std::puts("nothing is computed twice, and nothing is copied");
}
