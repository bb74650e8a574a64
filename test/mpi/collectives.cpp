// ranks: 1 2 3 4
// Each exchange between ranks: its value, and <ybar, J xdot> = <J^T ybar, xdot> over all ranks, in the reverse mode and under hvp; empty ranks.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include <test/mpi/ranks.hpp>
#include <xgrad/explain.hpp>
#include <xgrad/parallel.hpp>

namespace mpi = xgrad::mpi;

namespace {

// A loss of an exchange's result, with weights that are each rank's own, so that nothing is the same by chance.
template <class Y>
auto own_loss(Y const& y, int rank) {
    if constexpr (Y::rank == 0) return sin(y) * (1.0 + 0.5 * rank);
    else return sum(sin(y) * (1.0 + 0.5 * rank));
}

// The derivatives of the sum over the ranks of own_loss(g(x)) by this rank's x, against differences of the whole sum: every rank's x in turn.
template <class G, class X>
void check(test_ranks& t, char const* name, G g, X const& x) {
    auto const& comm = t.comm;
    auto loss = mpi::program([&](auto const& v) { return mpi::all_reduce(own_loss(g(v * v + 0.3), comm.rank()), comm); }, comm);
    auto const r = xgrad::value_and_gradient(loss, x);
    X const d = wave(x, 0.7 + comm.rank());
    double const slope = mpi::all_reduce(dot_of(std::get<0>(r.gradient), d), comm).get();
    double const h = 1e-5;
    double const up = xgrad::value(loss, X(x + h * d)), down = xgrad::value(loss, X(x - h * d));
    t.near(std::string(name) + " gradient", slope, (up - down) / (2 * h), 1e-8);
    t.near(std::string(name) + " jvp", xgrad::jvp(loss, std::tuple(x), std::tuple(d)).tangent, slope, 1e-12);
    auto const p = xgrad::hvp(loss, x, d);
    double const curve = mpi::all_reduce(dot_of(std::get<0>(p.product), d), comm).get();
    double const slope_up = mpi::all_reduce(dot_of(std::get<0>(xgrad::gradient(loss, X(x + h * d))), d), comm).get();
    double const slope_down = mpi::all_reduce(dot_of(std::get<0>(xgrad::gradient(loss, X(x - h * d))), d), comm).get();
    t.near(std::string(name) + " hvp", curve, (slope_up - slope_down) / (2 * h), 1e-6);
    auto pulled = xgrad::vjp(loss, x);
    for (int i = 0; i < 2; ++i) t.near(std::string(name) + " vjp", mpi::all_reduce(dot_of(std::get<0>(pulled.pullback(1.0)), d), comm).get(), slope, 1e-12);
}

}

int main(int argc, char** argv) {
    return mpi::run(argc, argv, [](mpi::communicator const& world) {
        test_ranks t{world};
        auto const rank = static_cast<std::size_t>(world.rank());
        int const size = world.size(), last = size - 1;
        matrix const x = filled({3, 2}, 0.1 + 0.3 * world.rank());
        double const s = 0.4 + 0.1 * world.rank();
        // rows as chance has it, of some ranks none; in the first draw of rank 0 where there are others
        auto drawn = [&](std::size_t draw) {
            std::size_t const n = size == 1 ? 2 + draw : draw == 0 ? (rank * 2) % 5 : (rank * 7919 + draw * 104729 + rank * draw * 31) % 97 % 5;
            return filled({n, 2}, 0.2 + 0.3 * world.rank());
        };
        matrix const part = drawn(0);

        auto both = [&](char const* name, auto g) {
            check(t, name, g, x);
            check(t, name, g, s);
        };
        both("all_reduce sum", [&](auto const& v) { return mpi::vary(mpi::all_reduce(v, world), world); });
        both("all_reduce max", [&](auto const& v) { return mpi::vary(mpi::all_reduce(v, world, mpi::max), world); });
        both("all_reduce min", [&](auto const& v) { return mpi::vary(mpi::all_reduce(v, world, mpi::min), world); });
        both("all_reduce prod", [&](auto const& v) { return mpi::vary(mpi::all_reduce(v, world, mpi::prod), world); });
        for (int root : {0, last}) {
            both("broadcast", [&](auto const& v) { return mpi::broadcast(v, root, world); });
            both("reduce", [&](auto const& v) { return mpi::reduce(v, root, world); });
            both("gather", [&](auto const& v) { return mpi::gather(v, root, world); });
            for (std::size_t draw = 0; draw < 4; ++draw) {
                check(t, "gather of parts", [&](auto const& v) { return mpi::gather(v, root, world); }, drawn(draw));
                check(t, "scatter of parts", [&](auto const& v) { return mpi::scatter(v, root, world); }, drawn(draw));
            }
        }
        both("all_gather", [&](auto const& v) { return mpi::all_gather(v, world); });
        for (std::size_t draw = 0; draw < 4; ++draw) check(t, "all_gather of parts", [&](auto const& v) { return mpi::all_gather(v, world); }, drawn(draw));
        both("reduce_scatter", [&](auto const& v) { return mpi::reduce_scatter(v, world); });
        if (size > 1)
            both("send and receive", [&](auto const& v) {
                auto const there = mpi::send(v, (world.rank() + 1) % size, world, 3);
                return mpi::receive(v, (world.rank() + size - 1) % size, world, 3) * there;
            });

        // values
        auto const all = mpi::all_gather(vector{1.0 * world.rank()}, world);
        for (std::size_t r = 0; r < all.size(); ++r) t.near("all_gather", all(r), static_cast<double>(r), 0.0);
        t.near("max", mpi::all_reduce(1.0 * world.rank(), world, mpi::max).get(), last, 0.0);
        // ties share
        auto tie = mpi::program([&](auto const& v) { return mpi::all_reduce(v, world, mpi::max); }, world);
        t.near("ties", std::get<0>(xgrad::gradient(tie, 2.0)), 1.0 / size, 1e-15);
        // zeros in a product
        auto product = mpi::program([&](auto const& v) { return mpi::all_reduce(v, world, mpi::prod); }, world);
        t.near("zeros", std::get<0>(xgrad::gradient(product, rank == 0 ? 0.0 : 2.0)), rank == 0 ? std::pow(2.0, last) : 0.0, 1e-15);

        // what is no number
        double const nan = std::numeric_limits<double>::quiet_NaN();
        for (int which = 0; which < size; ++which)
            for (bool largest : {true, false}) {
                vector const v{world.rank() == which ? nan : 1.0 * world.rank(), 2.0};
                vector const m = largest ? mpi::all_reduce(v, world, mpi::max).get() : mpi::all_reduce(v, world, mpi::min).get();
                t.near("no number", std::isnan(m(0)) && m(1) == 2.0, 1.0, 0.0);
            }
        // in words
        auto const words = xgrad::explain(mpi::program([&](auto const& v) {
            return mpi::all_reduce(sum(mpi::broadcast(v, 0, world)), world);
        }, world), vector{1.0, 2.0, 3.0}).text();
        auto says = [&](char const* text) { t.near(text, words.find(text) != words.npos, 1.0, 0.0); };
        says("broadcast(x, root, comm)    [forward 1 message of 24 bytes, backward 1 message of 24 bytes]");
        says("all_reduce(x, comm)    [forward 1 message of 8 bytes, backward 0 messages of 0 bytes]");
        // complex factors
        using complex = std::complex<double>;
        auto fourth = mpi::program([&](auto const& z) {
            auto y = mpi::vary(mpi::all_reduce(z * z, world, mpi::prod), world);
            return mpi::all_reduce(real(y * y), world);
        }, world);
        auto const factor = [](int r) { return complex(0.9 + 0.1 * r, 0.4 - 0.3 * r); };
        complex whole_product = 1.0;
        for (int r = 0; r < size; ++r) whole_product *= factor(r);
        complex const z = factor(world.rank()), slope = std::conj(4.0 * std::pow(whole_product, 4) / z) * static_cast<double>(size);
        complex const dz = std::get<0>(xgrad::gradient(fourth, z));
        t.near("complex product, re", dz.real(), slope.real(), 1e-12);
        t.near("complex product, im", dz.imag(), slope.imag(), 1e-12);
        // all ranks send before they receive, more than MPI takes at once
        vector const big = xt::linspace(0.0, 1.0 + world.rank(), 200000);
        auto ring = mpi::program([&](auto const& v) {
            auto const there = mpi::send(v, (world.rank() + 1) % size, world);
            return mpi::all_reduce(sum(mpi::receive(v, (world.rank() + size - 1) % size, world) * there), world);
        }, world);
        if (size > 1) {
            auto const r = xgrad::value_and_gradient(ring, big);
            double const neighbours = (1.0 + (world.rank() + 1) % size) + (1.0 + (world.rank() + size - 1) % size);
            t.near("ring", std::get<0>(r.gradient)(199999), neighbours, 1e-12);
        }

        // a replicated struct, which is neither summed twice nor missed
        model const m{{0.3, -0.2}, 0.5};
        auto serial = [](auto const& p, auto const& c) { return sin(sum(p.w * c)) * p.b; };
        vector const c{1.0 + world.rank(), 0.5};
        auto const g = xgrad::value_and_gradient(mpi::data_parallel(serial, world), mpi::replicated(m), xgrad::constant(c));
        double value = 0, db = 0;
        vector dw{0.0, 0.0};
        for (int r = 0; r < size; ++r) {
            auto const one = xgrad::value_and_gradient(serial, m, xgrad::constant(vector{1.0 + r, 0.5}));
            value += one.value;
            db += std::get<0>(one.gradient).b;
            dw += std::get<0>(one.gradient).w;
        }
        t.near("data_parallel value", g.value, value, 1e-14);
        t.near("data_parallel number", std::get<0>(g.gradient).get().b, db, 1e-14);
        t.near("data_parallel array", std::get<0>(g.gradient).get().w(0), dw(0), 1e-14);
        auto sines = [](auto const& p, auto const& k) { return sum(sin(p * k)) * sum(p * p); };
        vector const at{0.3, -0.8}, along{1.0, 0.4};
        auto of_part = mpi::data_parallel([&](auto const& p) { return sines(p, c); }, world);
        auto const whole = xgrad::hvp(of_part, mpi::replicated(at), mpi::replicated(along));
        vector of_all{0.0, 0.0};
        for (int r = 0; r < size; ++r) {
            vector const k{1.0 + r, 0.5};
            of_all += std::get<0>(xgrad::hvp([&](auto const& p) { return sines(p, k); }, at, along).product);
        }
        t.near("data_parallel hvp", std::get<0>(whole.product).get()(0), of_all(0), 1e-13);
        matrix const curves = xgrad::hessian(of_part, mpi::replicated(at));
        matrix whole_curves = xt::zeros<double>({2, 2});
        for (int r = 0; r < size; ++r) {
            vector const k{1.0 + r, 0.5};
            whole_curves += xgrad::hessian([&](auto const& p) { return sines(p, k); }, at);
        }
        for (std::size_t i = 0; i < 4; ++i) t.near("data_parallel hessian", curves.data()[i], whole_curves.data()[i], 1e-12);
        // and where replicated values meet each other
        auto ridge = mpi::program([&](auto const& p, auto const& k) {
            auto own = mpi::vary(p, world);
            return mpi::all_reduce(serial(own, k), world) + mpi::apply([](auto const& q) { return sum(q.w * q.w); }, p) * 0.5;
        }, world);
        auto const rg = xgrad::value_and_gradient(ridge, mpi::replicated(m), xgrad::constant(c));
        t.near("ridge", std::get<0>(rg.gradient).get().w(1), dw(1) + m.w(1), 1e-14);

        // the rows of a struct of arrays, of which rank 0 has none, to all, to one and back
        samples const mine{part, vector(0.5 * xt::sum(part, {1}))};
        auto of_rows = [&](auto const& v) {
            auto spread = [&](auto const& a) { return sum(sin(a.x) * (1.0 + 0.5 * world.rank())) + sum(a.y * a.y) * (2.0 - 0.1 * world.rank()); };
            return mpi::all_reduce(spread(mpi::all_gather(v, world)) + spread(mpi::scatter(mpi::gather(v, last, world), last, world)), world);
        };
        auto const rows = mpi::program(of_rows, world);
        auto const of_mine = xgrad::value_and_gradient(rows, mine);
        auto moved = [&](double h) {
            return xgrad::value(rows, samples{part + h * wave(part, 0.7 + world.rank()), vector(mine.y + h * wave(mine.y, 0.2 + world.rank()))});
        };
        double const along_wave = mpi::all_reduce(dot_of(std::get<0>(of_mine.gradient).x, wave(part, 0.7 + world.rank())) +
                                                      dot_of(std::get<0>(of_mine.gradient).y, wave(mine.y, 0.2 + world.rank())), world).get();
        t.near("rows of a struct", along_wave, (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-8);
        samples const together = mpi::gather(mine, 0, world);
        double const rows_there = rank == 0 ? mpi::all_gather(part, world).shape()[0] : (mpi::all_gather(part, world), 0.0);
        t.near("rows at the root", static_cast<double>(together.y.size()), rows_there, 0.0);

        // What one rank does not use is exchanged all the same, in one order.
        auto uneven = mpi::program([&](auto const& v) {
            auto a = mpi::all_gather(v, world);
            auto b = mpi::broadcast(v, 0, world);
            auto d = mpi::reduce_scatter(a, world);
            if (rank == 0) return mpi::all_reduce(sum(a) + b, world);
            else return mpi::all_reduce(sum(d) * 0.0 + v, world);
        }, world);
        t.near("uneven", std::get<0>(xgrad::gradient(uneven, 1.0)), rank == 0 ? 2.0 : 2.0, 1e-14);

        // what does not fit is found on all ranks, and the program goes on as if nothing had been
        auto refused = [&](char const* name, std::string const& id, auto call) {
            bool found = false;
            try {
                call();
            } catch (std::exception const& e) {
                found = std::string(e.what()).starts_with("xgrad[" + id + "]");
            }
            t.near(name, found, 1.0, 0.0);
        };
        std::size_t const odd = rank % 2;
        if (size > 1) {
            refused("other numbers", "E320", [&] { (void)mpi::all_reduce(vector(xt::zeros<double>({2 + rank})), world); });
            refused("other shapes", "E320", [&] { (void)mpi::all_reduce(filled({2 + odd, 3 - odd}, 0.1), world); });
            refused("other rows", "E320", [&] { (void)mpi::all_gather(filled({2, 2 + odd}, 0.1), world); });
            mpi::grid<2> const line(world, {size, 1}, {true, true});
            // on all ranks, also on one between two that fit
            std::size_t const is_last = world.rank() == last;
            refused("other neighbours", "E320", [&] { (void)mpi::with_halo(filled({3, 4 + is_last}, 0.1), 1, line); });
            refused("other widths", "E320", [&] { (void)mpi::with_halo(filled({3, 4}, 0.1), 1 + is_last, line); });
            refused("a small block", "E325", [&] { (void)mpi::with_halo(filled({3 - 2 * is_last, 4}, 0.1), 2, line); });
            refused("a halo beside a sum", "E320", [&] {
                if (is_last != 0) (void)mpi::all_reduce(1.0, line.comm());
                else (void)mpi::with_halo(filled({3, 4}, 0.1), 1, line);
            });
            line.comm().compare_shapes(false);
            auto const checks = line.comm().sent().checks;
            (void)mpi::with_halo(filled({3 + odd, 4}, 0.1), 1, line);
            t.near("no checks", static_cast<double>(line.comm().sent().checks - checks), 0.0, 0.0);
        }
        auto late = mpi::program([&](auto const& v) {
            auto a = mpi::vary(mpi::all_reduce(v, world), world);
            auto b = mpi::all_gather(a * v, world);
            if (size > 1) b = mpi::all_gather(vector(xt::zeros<double>({2 + rank})), world) * b(0);
            if (true) throw std::invalid_argument("xgrad[E320] here");
            return mpi::all_reduce(sum(b), world);
        }, world);
        for (int again = 0; again < 3; ++again) {
            bool found = false;
            try {
                xgrad::gradient(late, 1.0);
            } catch (std::invalid_argument const&) {
                found = true;
            }
            t.near("an exception", found, 1.0, 0.0);
        }
        t.near("after it", std::get<0>(xgrad::gradient(tie, 2.0)), 1.0 / size, 1e-15);
        auto inside = mpi::program([&](auto const& v) {
            return mpi::all_reduce(xgrad::parallel_sum(3, [&](std::size_t, auto const& u) { return mpi::broadcast(u, 0, world); }, v), world);
        }, world);
        refused("in a parallel sum", "E327", [&] { xgrad::gradient(inside, 1.0); });
        return t.report();
    });
}
