// The programs of docs/parallel.md on threads.
#include <cmath>
#include <thread>
#include <tuple>
#include <vector>

#include <xgrad/map.hpp>
#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// An executor of one's own: a thread for each task but the first.
struct own_threads {
    std::size_t n = std::thread::hardware_concurrency();
    std::size_t threads() const { return n; }
    void run(std::size_t tasks, xgrad::task_ref task) const {
        std::vector<std::jthread> all;
        for (std::size_t i = 1; i < tasks; ++i) all.emplace_back([task, i] { task(i); });
        task(0);
    }
};

auto misfit = [](auto const& theta, auto const& x, auto const& y) {
    auto z = sum(x * theta, {1});
    return sum(log(1.0 + exp(z)) - y * z);
};

void sums() {
    matrix const rows = xt::reshape_view(xt::linspace(-1.0, 1.0, 3000), {1000, 3});
    vector const theta{0.3, -0.2, 0.9};
    auto loss = [&](auto const& t) {
        auto of_row = [](auto const& row, auto const& u) -> xgrad::real { return log(1.0 + exp(sum(row * u))); };
        return xgrad::parallel_sum(rows, of_row, t) + 0.1 * sum(t * t);
    };
    own_threads const threads{4};
    xgrad::use_executor const scope(threads);
    auto [value, gradient] = xgrad::value_and_gradient(loss, theta);

    auto whole = [&](auto const& t) { return sum(log(1.0 + exp(sum(rows * t, {1})))) + 0.1 * sum(t * t); };
    auto const expected = xgrad::value_and_gradient(whole, theta);
    check(std::abs(value / expected.value - 1.0) < 1e-13);
    check(xt::amax(xt::abs(std::get<0>(gradient) - std::get<0>(expected.gradient)))() < 1e-10);
}

void additive() {
    matrix const x = xt::reshape_view(xt::linspace(-1.0, 1.0, 3000), {1000, 3});
    vector const y = xt::linspace(0.0, 1.0, 1000), theta{0.3, -0.2, 0.9};
    auto const on_slices = xgrad::data_parallel(misfit);
    auto g = xgrad::prepare_gradient(own_threads{4}, on_slices, theta, xgrad::constant(x), xgrad::constant(y));
    auto const& [value, gradient] = g(theta, xgrad::constant(x), xgrad::constant(y));

    auto const expected = xgrad::value_and_gradient(misfit, theta, xgrad::constant(x), xgrad::constant(y));
    check(std::abs(value / expected.value - 1.0) < 1e-13);
    check(xt::amax(xt::abs(std::get<0>(gradient) - std::get<0>(expected.gradient)))() < 1e-10);
}

void lanes() {
    std::size_t const n = 1000;
    vector const a = xt::linspace(0.1, 1.0, n), b = xt::linspace(-1.0, 1.0, n);
    own_threads const threads{2};
    auto bump = [](auto const& p, auto const& q, auto const& c) -> xgrad::real { return exp(-c * p * p) * q; };
    auto total = [&](auto const& u, auto const& v, auto const& k) { return sum(xgrad::map(threads, bump, xgrad::each(u), xgrad::each(v), k)); };

    auto const found = xgrad::value_and_gradient(total, a, b, 0.7);
    auto const expected = xgrad::value_and_gradient([](auto const& x, auto const& y, auto const& k) { return sum(exp(-k * x * x) * y); }, a, b, 0.7);
    check(near(found.value, expected.value));
    check(xt::amax(xt::abs(std::get<0>(found.gradient) - std::get<0>(expected.gradient)))() < 1e-12);
    check(near(std::get<2>(found.gradient), std::get<2>(expected.gradient)));
}

void maps() {
    auto heights = [](auto const& speed, auto const& drag) {
        auto flight = [](std::size_t i, auto const& v, auto const& k) {
            auto angle = 0.01 * static_cast<double>(i + 1);
            return v * v * std::sin(angle) * std::sin(angle) / (19.62 + k * v);
        };
        auto h = xgrad::parallel_map(100, flight, speed, drag);
        return sum(h * h);
    };
    auto [dspeed, ddrag] = xgrad::gradient(heights, 10.0, 0.1);
    check(dspeed > 0 && ddrag < 0);
}

void pools() {
    auto loss = [](auto const& x, auto const& c) { return sum(sin(x) * c); };
    vector const x{0.1, 0.2}, c{1.0, 2.0};
    auto const pool = xgrad::make_gradient_pool(loss, x, xgrad::constant(c));
    auto serve = [&] {
        auto [value, gradient] = pool(x, xgrad::constant(c));
        check(near(std::get<0>(gradient)(0), std::cos(0.1)) && value > 0);
    };
    std::jthread const one(serve), two(serve);
}

int main() {
    sums();
    additive();
    lanes();
    maps();
    pools();

}
