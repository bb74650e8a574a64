// ranks: 1 2 4
// Exchanges in steps that run again: each message is sent once, whatever states a rank stores. Beside the same steps written out, all of whose values stay.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include <test/mpi/ranks.hpp>
#include <xgrad/loop.hpp>

namespace mpi = xgrad::mpi;

namespace {

// A step with every kind of exchange, of which ranks receive different numbers.
auto every_exchange(mpi::communicator const& c) {
    return [c](auto const& s, auto const& k) {
        int const size = c.size(), rank = c.rank(), last = size - 1;
        auto rows = mpi::all_gather(s, c);
        auto mine = mpi::scatter(mpi::gather(s, last, c), last, c) * k;
        auto part = mpi::reduce_scatter(sin(rows), c);
        auto root = mpi::broadcast(sum(s), 0, c) + mpi::reduce(k * k, last, c);
        auto most = mpi::vary(mpi::all_reduce(s, c, mpi::max), c) * mpi::vary(mpi::all_reduce(1.0 + 0.1 * s, c, mpi::prod), c);
        auto there = mpi::send(s, (rank + 1) % size, c);
        auto here = mpi::receive(s, (rank + last) % size, c);
        return 0.2 * (mine + part + most + here * there) + 0.1 * root * k * sin(s);
    };
}

void in_every_loop(test_ranks& t) {
    auto const& c = t.comm;
    auto const step = every_exchange(c);
    auto const end = [c](auto const& s) { return mpi::all_reduce(sum(s * s * s), c); };
    vector const u{0.3 + 0.1 * c.rank(), 0.8 - 0.2 * c.rank(), 0.5};
    auto const k = mpi::replicated(0.6);
    auto written_out = mpi::program([&](auto const& s0, auto const& r) {
        auto const q = mpi::vary(r, c);
        xgrad::variable s = s0;
        for (int i = 0; i < 6; ++i) s = step(s, q);
        return end(s);
    }, c);
    auto const before = c.sent();
    auto const expected = xgrad::value_and_gradient(written_out, u, k);
    auto const sent = c.sent() - before;
    std::tuple const along(vector(0.5 * u), mpi::replicated(0.3));
    auto const bent = xgrad::hvp(written_out, std::tuple(u, k), along);
    auto same = [&](char const* name, auto loop, auto second_order) {
        auto program = mpi::program([&](auto const& s0, auto const& r) { return end(loop(s0, mpi::vary(r, c))); }, c);
        auto check = [&](char const* mode, auto const& found, auto const& right) {
            for (std::size_t i = 0; i < u.size(); ++i) t.near(std::string(name) + mode, std::get<0>(found)(i), std::get<0>(right)(i), 1e-13);
            t.near(std::string(name) + mode, std::get<1>(found).get(), std::get<1>(right).get(), 1e-13);
        };
        auto const start = c.sent();
        auto const found = xgrad::value_and_gradient(program, u, k);
        auto const by_loop = c.sent() - start;
        t.near(name, found.value, expected.value, 1e-13);
        check(" gradient", found.gradient, expected.gradient);
        t.near(std::string(name) + " messages", static_cast<double>(by_loop.messages), static_cast<double>(sent.messages), 0.0);
        t.near(std::string(name) + " bytes", static_cast<double>(by_loop.bytes), static_cast<double>(sent.bytes), 0.0);
        t.near(std::string(name) + " comparisons", static_cast<double>(by_loop.checks), static_cast<double>(sent.checks), 0.0);
        if constexpr (second_order) check(" hvp", xgrad::hvp(program, std::tuple(u, k), along).product, bent.product);
        else {
            auto pulled = xgrad::vjp(program, u, k);
            for (int again = 0; again < 2; ++again) check(" vjp", pulled.pullback(1.0), expected.gradient);
        }
    };
    std::true_type const hvp{};
    std::false_type const vjp{};
    same("keep_states", [&](auto const& s, auto const& q) { return xgrad::iterate(6, step, s, q, xgrad::keep_states()); }, vjp);
    // each rank stores what it has room for
    auto const places = static_cast<std::size_t>(1 + c.rank());
    same("checkpoints", [&](auto const& s, auto const& q) { return xgrad::iterate(6, step, s, q, xgrad::checkpoints(places)); }, hvp);
    same("loops in loops", [&](auto const& s, auto const& q) {
        auto two = [step, places](auto const& state, auto const& p) { return xgrad::iterate(2, step, state, p, xgrad::checkpoints(places)); };
        return xgrad::iterate(3, two, s, q, xgrad::checkpoints(places));
    }, vjp);
    same("checkpoint", [&](auto const& s, auto const& q) {
        auto three = [step](auto const& state, auto const& p) { return step(step(step(state, p), p), p); };
        return xgrad::checkpoint(three, xgrad::checkpoint(three, s, q), q);
    }, vjp);
}

// A condition and a step with plain values that all ranks share: they run until the sum over the ranks is small.
template <class Policy>
void until_all_agree(test_ranks& t, char const* name, Policy policy) {
    auto const& c = t.comm;
    auto far = [c](auto const& s) { return mpi::all_reduce(1.0 * (std::get<0>(s) > 0.1), c).get() > 0.0; };
    auto body = [c](auto const& s) {
        auto const& [x, i] = s;
        double const scale = mpi::all_reduce(0.01 * i, c).get();
        return std::tuple(x * (0.8 - 0.01 * scale) * cos(mpi::vary(mpi::all_reduce(x, c), c)), i + 1);
    };
    auto total = mpi::program([&](auto const& x) {
        auto const s = xgrad::while_loop(far, body, std::tuple(x, 0), policy);
        return mpi::all_reduce(std::get<0>(s), c);
    }, c);
    auto written_out = mpi::program([&](auto const& x) {
        xgrad::variable y = x;
        for (int i = 0; far(std::tie(y, i));) {
            auto next = body(std::tie(y, i));
            y = std::get<0>(next);
            i = std::get<1>(next);
        }
        return mpi::all_reduce(y, c);
    }, c);
    double const x = 0.9 + 0.3 * c.rank();
    auto const found = xgrad::value_and_gradient(total, x), expected = xgrad::value_and_gradient(written_out, x);
    t.near(name, found.value, expected.value, 1e-14);
    t.near(name, std::get<0>(found.gradient), std::get<0>(expected.gradient), 1e-13);
}

// Ranks that use other parts of what they exchange in steps, of loops whose results some ranks do not use: in one order all the same.
void uneven(test_ranks& t) {
    auto const& c = t.comm;
    bool const first = c.rank() == 0;
    auto step = [c, first](auto const& s) {
        auto a = mpi::all_gather(s, c);
        auto b = mpi::broadcast(s, 0, c);
        auto d = mpi::reduce_scatter(a * a, c);
        auto e = mpi::vary(mpi::all_reduce(d, c), c);
        xgrad::variable y = s;
        if (first) y = 0.1 * b + 0.3 * sum(a);
        else y = 0.2 * sum(d) * s + 0.0 * e;
        return y;
    };
    auto program = [&](auto policy) {
        return mpi::program([&, policy](auto const& x) {
            auto y = xgrad::iterate(3, step, x, policy);
            auto z = xgrad::iterate(2, step, x, policy);
            auto w = xgrad::checkpoint(step, x);
            auto v = mpi::broadcast(sum(x), 0, c);
            if (first) return mpi::all_reduce(sum(z * z), c);
            else return mpi::all_reduce(sum(y) * v + sum(w), c);
        }, c);
    };
    vector const x{0.6 + 0.1 * c.rank()}, d{0.7 - 0.2 * c.rank()};
    auto slope = [&](auto const& p) { return mpi::all_reduce(dot_of(std::get<0>(xgrad::gradient(p, x)), d), c).get(); };
    auto const kept = program(xgrad::keep_states());
    auto const stored = program(xgrad::checkpoints(1));
    double const h = 1e-5, up = xgrad::value(kept, vector(x + h * d)), down = xgrad::value(kept, vector(x - h * d));
    t.near("uneven", slope(kept), (up - down) / (2 * h), 1e-8);
    t.near("uneven with checkpoints", slope(stored), (up - down) / (2 * h), 1e-8);
}

// Steps that declare a number as their result are pulled with the seed 1.
void declared(test_ranks& t) {
    auto const& c = t.comm;
    double const x = 0.7 + 0.1 * c.rank();
    auto number = [c](auto const& s) -> xgrad::real { return sin(mpi::vary(mpi::all_reduce(s, c), c)); };
    bool refused = false;
    try {
        xgrad::gradient(mpi::program([&](auto const& v) { return mpi::all_reduce(xgrad::iterate(3, number, v), c); }, c), x);
    } catch (std::logic_error const& e) {
        refused = std::string(e.what()).starts_with("xgrad[E328]");
    }
    t.near("a declared number", refused, 1.0, 0.0);
}

}

int main(int argc, char** argv) {
    return mpi::run(argc, argv, [](mpi::communicator const& world) {
        test_ranks t{world};
        in_every_loop(t);
        uneven(t);
        declared(t);
        until_all_agree(t, "while", xgrad::keep_states());
        until_all_agree(t, "while with checkpoints", xgrad::checkpoints(static_cast<std::size_t>(1 + world.rank())));
        return t.report();
    });
}
