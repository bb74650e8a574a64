// ranks: 1 2 4 8
// What programs send, beside the model of docs/parallel.md: each message and each byte, on each rank; and the gradient with few checkpoints.
#include <cmath>
#include <tuple>

#include <test/mpi/ranks.hpp>
#include <xgrad/loop.hpp>

namespace mpi = xgrad::mpi;

namespace {

constexpr double bytes_of_number = 8;

// What f() has sent by c, in messages and bytes.
template <class F>
void counts(test_ranks& t, mpi::communicator const& c, char const* name, double messages, double numbers, F f) {
    auto const before = c.sent();
    f();
    auto const sent = c.sent() - before;
    t.near(std::string(name) + ", messages", static_cast<double>(sent.messages), messages, 0.0);
    t.near(std::string(name) + ", bytes", static_cast<double>(sent.bytes), bytes_of_number * numbers, 0.0);
}

template <class Policy>
auto heat(mpi::grid<2> const& g, std::size_t steps, Policy policy) {
    return mpi::program([g, steps, policy](auto const& u, auto const& nu) {
        auto step = [g](auto const& s, auto const& k) {
            using xt::placeholders::_;
            auto h = mpi::with_halo(s, 1, g);
            auto in = xt::range(1, -1);
            auto across = xgrad::view(h, xt::range(2, _), in) + xgrad::view(h, xt::range(_, -2), in);
            auto along = xgrad::view(h, in, xt::range(2, _)) + xgrad::view(h, in, xt::range(_, -2));
            return s + k * (across + along - 4.0 * s);
        };
        auto end = xgrad::iterate(steps, step, u, mpi::vary(nu, g.comm()), policy);
        return mpi::all_reduce(sum(end * end * end), g.comm());
    }, g.comm());
}
matrix block_of(mpi::grid<2> const& g, std::size_t rows, std::size_t columns) {
    auto const r = g.part(rows, 0), c = g.part(columns, 1);
    auto u = matrix::from_shape({r.size(), c.size()});
    for (std::size_t i = 0; i < r.size(); ++i)
        for (std::size_t j = 0; j < c.size(); ++j) u(i, j) = std::sin(0.7 * double(r.begin + i)) * std::cos(0.4 * double(c.begin + j));
    return u;
}
void on_a_grid(test_ranks& t, bool periodic) {
    std::size_t const rows = 11, columns = 14, n = 30, c = 4;
    mpi::grid<2> const g(t.comm, {0, 0}, {false, periodic}), one(mpi::communicator(MPI_COMM_SELF), {1, 1}, {false, periodic});
    matrix const u = block_of(g, rows, columns), all = block_of(one, rows, columns);
    auto const nu = mpi::replicated(0.1);
    // neighbours, and numbers in the halo
    double m = 0, h = 0;
    for (int d = 0; d < 2; ++d)
        for (int rank : {g.before(d), g.behind(d)})
            if (rank != MPI_PROC_NULL) {
                m += 1;
                h += static_cast<double>(d == 0 ? u.shape()[1] + 2 : u.shape()[0] + 2);
            }
    auto const steps = static_cast<double>(n);
    auto const kept = heat(g, n, xgrad::keep_states());
    auto const few = heat(g, n, xgrad::checkpoints(c));
    counts(t, g.comm(), "value", steps * m + 1, steps * h + 1, [&] { xgrad::value(kept, u, nu); });
    counts(t, g.comm(), "all states", 2 * steps * m + 2, 2 * steps * h + 2, [&] { xgrad::gradient(kept, u, nu); });
    auto const expected = xgrad::value_and_gradient(heat(one, n, xgrad::checkpoints(c)), all, nu);
    counts(t, g.comm(), "checkpoints", 2 * steps * m + 2, 2 * steps * h + 2, [&] {
        auto const found = xgrad::value_and_gradient(few, u, nu);
        t.near("value", found.value, expected.value, 1e-12);
        t.near("by nu", std::get<1>(found.gradient).get(), std::get<1>(expected.gradient).get(), 1e-12);
        auto const r = g.part(rows, 0), k = g.part(columns, 1);
        for (std::size_t i = 0; i < r.size(); ++i)
            for (std::size_t j = 0; j < k.size(); ++j)
                t.near("by u", std::get<0>(found.gradient)(i, j), std::get<0>(expected.gradient)(r.begin + i, k.begin + j), 1e-12);
    });
}

void training(test_ranks& t) {
    std::size_t const parameters = 9;
    matrix const x = filled({5 + static_cast<std::size_t>(t.comm.rank()), parameters}, 0.1 * t.comm.rank());
    auto loss = [](auto const& m, auto const& rows) { return sum(log(1.0 + exp(sum(rows * m.w, {1}) + m.b))); };
    auto const theta = mpi::replicated(model{xt::zeros<double>({parameters}), 0.0});
    auto g = xgrad::prepare_gradient(mpi::data_parallel(loss, t.comm), theta, xgrad::constant(x));
    for (int again = 0; again < 3; ++again) counts(t, t.comm, "a step of training", 2, 1 + parameters + 1, [&] { g(theta, xgrad::constant(x)); });
}

}

int main(int argc, char** argv) {
    return mpi::run(argc, argv, [](mpi::communicator const& world) {
        test_ranks t{world};
        on_a_grid(t, false);
        on_a_grid(t, true);
        training(t);
        return t.report();
    });
}
