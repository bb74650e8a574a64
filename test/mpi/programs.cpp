// Programs on several ranks beside the same on one: the heat equation on a grid of ranks, halos with open and periodic ends, training on parts of the data;
// and what is sent, as docs/parallel.md says.
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

#include <test/mpi/ranks.hpp>
#include <xgrad/loop.hpp>

namespace mpi = xgrad::mpi;

namespace {

using cube = xt::xtensor<double, 3>;

double field(std::size_t i, std::size_t j) { return std::sin(0.7 * static_cast<double>(i) + 0.2) * std::cos(0.4 * static_cast<double>(j)); }
matrix block_of(mpi::grid<2> const& g, std::size_t n, std::size_t m) {
    auto const r = g.part(n, 0), c = g.part(m, 1);
    auto u = matrix::from_shape({r.size(), c.size()});
    for (std::size_t i = 0; i < r.size(); ++i)
        for (std::size_t j = 0; j < c.size(); ++j) u(i, j) = field(r.begin + i, c.begin + j);
    return u;
}

// u after so many steps of du/dt = nu (u_xx + u_yy), and how far it is from being the field of before.
auto heat(mpi::grid<2> g, std::size_t steps, matrix const& target) {
    return mpi::program([g, steps, &target](auto const& u, auto const& nu) {
        auto step = [g](auto const& s, auto const& k) {
            auto h = mpi::with_halo(s, 1, g);
            auto in = [] { return xt::range(1, -1); };
            auto up = [] { return xt::range(2, xt::placeholders::_); };
            auto low = [] { return xt::range(xt::placeholders::_, -2); };
            auto across = xgrad::view(h, up(), in()) + xgrad::view(h, low(), in());
            auto along = xgrad::view(h, in(), up()) + xgrad::view(h, in(), low());
            return s + k * (across + along - 4.0 * s);
        };
        auto end = xgrad::iterate(steps, step, u, mpi::vary(nu, g.comm()));
        return mpi::all_reduce(sum((end - target) * (end - target)), g.comm());
    }, g.comm());
}

void heat_on_a_grid(test_ranks& t, std::array<bool, 2> periodic) {
    std::size_t const n = 13, m = 10, steps = 200;
    mpi::communicator const alone(MPI_COMM_SELF);
    mpi::grid<2> const g(t.comm, {0, 0}, periodic), one(alone, {1, 1}, periodic);
    matrix const u = block_of(g, n, m), all = block_of(one, n, m), target = 0.3 * u, whole_target = 0.3 * all;
    auto loss = heat(g, steps, target), serial = heat(one, steps, whole_target);
    auto const expected = xgrad::value_and_gradient(serial, all, mpi::replicated(0.1));
    auto const before = g.comm().sent();
    xgrad::value(loss, u, mpi::replicated(0.1));
    auto const forward = g.comm().sent() - before;
    auto const found = xgrad::value_and_gradient(loss, u, mpi::replicated(0.1));
    auto const both = g.comm().sent() - before;
    t.near("heat value", found.value, expected.value, 1e-13);
    t.near("heat nu", std::get<1>(found.gradient).get(), std::get<1>(expected.gradient).get(), 1e-12);
    auto const r = g.part(n, 0), c = g.part(m, 1);
    for (std::size_t i = 0; i < r.size(); ++i)
        for (std::size_t j = 0; j < c.size(); ++j)
            t.near("heat u", std::get<0>(found.gradient)(i, j), std::get<0>(expected.gradient)(r.begin + i, c.begin + j), 1e-12);
    // messages: a step sends one to each neighbour, and as many when it is pulled; what it has received is kept
    std::size_t neighbours = 0, bytes = 0;
    for (int d = 0; d < 2; ++d)
        for (int rank : {g.before(d), g.behind(d)})
            if (rank != MPI_PROC_NULL) {
                ++neighbours;
                bytes += 8 * (d == 0 ? u.shape()[1] + 2 : u.shape()[0] + 2);
            }
    t.near("messages forward", static_cast<double>(forward.messages), static_cast<double>(steps * neighbours + 1), 0.0);
    t.near("bytes forward", static_cast<double>(forward.bytes), static_cast<double>(steps * bytes + 8), 0.0);
    auto const back = (both - forward) - forward;
    t.near("messages back", static_cast<double>(back.messages), static_cast<double>(steps * neighbours + 1), 0.0);
    t.near("bytes back", static_cast<double>(back.bytes), static_cast<double>(steps * bytes + 8), 0.0);
}

// <ybar, halo(xdot)> = <halo^T(ybar), xdot> over all ranks, and what the halo holds.
template <int D, class A>
void halo(test_ranks& t, std::array<bool, D> periodic, std::size_t width, A x) {
    mpi::grid<D> const g(t.comm, std::array<int, D>{}, periodic);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.1 * static_cast<double>(i) + t.comm.rank());
    A const d = wave(x, 0.3 + t.comm.rank());
    A const y = mpi::with_halo(x, width, g), dy = mpi::with_halo(d, width, g), ybar = wave(y, 0.5 + t.comm.rank());
    auto loss = mpi::program([&](auto const& v) { return mpi::all_reduce(sum(mpi::with_halo(v, width, g) * ybar), g.comm()); }, g.comm());
    double const slope = mpi::all_reduce(dot_of(std::get<0>(xgrad::gradient(loss, x)), d), g.comm()).get();
    t.near("halo", slope, mpi::all_reduce(dot_of(ybar, dy), g.comm()).get(), 1e-13);
    auto cubic = mpi::program([&](auto const& v) {
        auto h = mpi::with_halo(v * v, width, g);
        return mpi::all_reduce(sum(h * h * ybar), g.comm());
    }, g.comm());
    double const step = 1e-5;
    auto slope_at = [&](double s) { return mpi::all_reduce(dot_of(std::get<0>(xgrad::gradient(cubic, A(x + s * d))), d), g.comm()).get(); };
    double const curve = mpi::all_reduce(dot_of(std::get<0>(xgrad::hvp(cubic, x, d).product), d), g.comm()).get();
    t.near("halo hvp", curve, (slope_at(step) - slope_at(-step)) / (2 * step), 1e-7);
}

// A logistic regression, each rank with its part of the data: the loss curve of one rank.
void training(test_ranks& t) {
    std::size_t const n = 101, p = 7, steps = 30;
    auto rows = matrix::from_shape({n, p});
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = std::sin(1.9 * static_cast<double>(i));
    auto labels = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) labels(i) = rows(i, 0) + 0.5 * rows(i, 3) > 0.1;
    auto loss = [](auto const& theta, auto const& x, auto const& y) {
        auto z = sum(x * theta, {1});
        return sum(log(1.0 + exp(z)) - y * z);
    };
    auto const mine = mpi::part_of(n, t.comm);
    matrix const x = xt::view(rows, xt::range(mine.begin, mine.end), xt::all());
    vector const y = xt::view(labels, xt::range(mine.begin, mine.end));
    vector theta = xt::zeros<double>({p}), serial = theta;
    auto const parallel = mpi::data_parallel(loss, t.comm);
    auto g = xgrad::prepare_gradient(parallel, mpi::replicated(theta), xgrad::constant(x), xgrad::constant(y));
    for (std::size_t k = 0; k < steps; ++k) {
        auto const before = t.comm.sent();
        auto const& a = g(mpi::replicated(theta), xgrad::constant(x), xgrad::constant(y));
        auto const sent = t.comm.sent() - before;
        auto const b = xgrad::value_and_gradient(loss, serial, xgrad::constant(rows), xgrad::constant(labels));
        t.near("loss curve", a.value, b.value, 1e-12);
        // one number forward, one gradient back
        t.near("messages of a step", static_cast<double>(sent.messages), 2.0, 0.0);
        t.near("bytes of a step", static_cast<double>(sent.bytes), 8.0 * (1 + p), 0.0);
        vector const first = std::get<0>(a.gradient).get();
        auto const& again = g(mpi::replicated(theta), xgrad::constant(x), xgrad::constant(y));
        t.near("the same bits again", std::get<0>(again.gradient).get() == first, 1.0, 0.0);
        theta -= 0.02 * first;
        serial -= 0.02 * std::get<0>(b.gradient);
    }
}

}

int main(int argc, char** argv) {
    return mpi::run(argc, argv, [](mpi::communicator const& world) {
        test_ranks t{world};
        heat_on_a_grid(t, {false, false});
        heat_on_a_grid(t, {true, false});
        for (bool periodic : {false, true}) {
            halo<1>(t, {periodic}, 2, vector::from_shape({3 + static_cast<std::size_t>(world.rank())}));
            mpi::grid<2> const g(world, {0, 0}, {periodic, periodic});
            auto const r = g.part(9, 0), c = g.part(11, 1);
            halo<2>(t, {periodic, !periodic}, 2, matrix::from_shape({r.size(), c.size()}));
            halo<2>(t, {periodic, periodic}, 1, matrix::from_shape({r.size(), c.size()}));
            halo<3>(t, {periodic, true, !periodic}, 1, cube::from_shape({2, 3, 2}));
        }
        training(t);
        return t.report();
    });
}
