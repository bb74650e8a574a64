// The programs of docs/parallel.md on ranks.
#include <cmath>
#include <thread>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/mpi.hpp>
#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

namespace mpi = xgrad::mpi;

struct own_threads {
    std::size_t n;
    std::size_t threads() const { return n; }
    void run(std::size_t tasks, xgrad::task_ref task) const {
        std::vector<std::jthread> all;
        for (std::size_t i = 1; i < tasks; ++i) all.emplace_back([task, i] { task(i); });
        task(0);
    }
};
using xt::placeholders::_;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

auto misfit = [](auto const& theta, auto const& x, auto const& y) {
    auto z = sum(x * theta, {1});
    return sum(log(1.0 + exp(z)) - y * z);
};

void data_parallel(mpi::communicator const& comm) {
    matrix const x = xt::reshape_view(xt::linspace(-1.0, 1.0, 60), {20, 3});
    vector const y = xt::arange<double>(20) / 20.0, theta{0.1, 0.2, 0.3};
    auto const rows = mpi::part_of(20, comm);
    matrix const mine = xt::view(x, xt::range(rows.begin, rows.end), xt::all());
    vector const seen = xt::view(y, xt::range(rows.begin, rows.end));

    auto const on_ranks = mpi::data_parallel(misfit, comm);
    auto g = xgrad::prepare_gradient(on_ranks, mpi::replicated(theta), xgrad::constant(mine), xgrad::constant(seen));
    auto const& [value, gradient] = g(mpi::replicated(theta), xgrad::constant(mine), xgrad::constant(seen));
    vector const step = -0.1 * std::get<0>(gradient).get();  // the same on all ranks

    auto const on_both = mpi::data_parallel(xgrad::data_parallel(misfit), comm);
    auto h = xgrad::prepare_gradient(own_threads{2}, on_both, mpi::replicated(theta), xgrad::constant(mine), xgrad::constant(seen));

    auto const whole = xgrad::value_and_gradient(misfit, theta, xgrad::constant(x), xgrad::constant(y));
    check(near(h(mpi::replicated(theta), xgrad::constant(mine), xgrad::constant(seen)).value, whole.value, 1e-13));
    check(near(value, whole.value, 1e-13));
    check(near(step(1), -0.1 * std::get<0>(whole.gradient)(1), 1e-13));

    auto const ridge = mpi::program([comm](auto const& t, auto const& a, auto const& b) {
        auto own = mpi::vary(t, comm);
        auto fit = mpi::all_reduce(misfit(own, a, b), comm);
        auto penalty = mpi::apply([](auto const& p) { return 0.5 * sum(p * p); }, t);
        return fit + penalty;
    }, comm);
    auto const with_penalty = xgrad::value_and_gradient(ridge, mpi::replicated(theta), xgrad::constant(mine), xgrad::constant(seen));
    check(near(std::get<0>(with_penalty.gradient).get()(1), std::get<0>(whole.gradient)(1) + theta(1), 1e-13));
}

void heat(mpi::communicator const& comm) {
    std::size_t const n = 24, steps = 50;
    mpi::grid<2> const ranks(comm, {0, 0}, {false, false});
    auto const rows = ranks.part(n, 0), columns = ranks.part(n, 1);
    matrix u = xt::zeros<double>({rows.size(), columns.size()});
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) u(i, j) = std::sin(0.3 * double(rows.begin + i)) * std::cos(0.2 * double(columns.begin + j));

    auto step = [ranks](auto const& s, auto const& nu) {
        auto h = mpi::with_halo(s, 1, ranks);
        auto inside = xt::range(1, -1);
        auto across = xgrad::view(h, xt::range(2, _), inside) + xgrad::view(h, xt::range(_, -2), inside);
        auto along = xgrad::view(h, inside, xt::range(2, _)) + xgrad::view(h, inside, xt::range(_, -2));
        return s + nu * (across + along - 4.0 * s);
    };
    auto energy = mpi::program([&](auto const& u0, auto const& nu) {
        auto end = xgrad::iterate(steps, step, u0, mpi::vary(nu, comm));
        return mpi::all_reduce(sum(end * end), comm);
    }, comm);
    auto [du, dnu] = xgrad::gradient(energy, u, mpi::replicated(0.2));

    check(dnu.get() < 0);
    check(du.shape() == u.shape());
}

int main(int argc, char** argv) {
    return mpi::run(argc, argv, [](mpi::communicator const& world) {
        data_parallel(world);
        heat(world);
    });
}
