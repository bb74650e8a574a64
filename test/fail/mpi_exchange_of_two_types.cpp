// error: xgrad[E312]
#include <tuple>

#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

auto both = [](auto const& x, auto const& y, xgrad::mpi::communicator const& c) {
    return std::get<0>(xgrad::mpi::broadcast(std::tuple(x, y), 0, c));
};
auto good = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& x, auto const&) { return xgrad::mpi::all_reduce(both(x, x, c), c); }, c);
};
auto bad = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& x, auto const& y) { return xgrad::mpi::all_reduce(both(x, y, c), c); }, c);
};

void with(xgrad::mpi::communicator const& c) {
    (void)xgrad::gradient(good(c), 1.0, 2.0f);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad(c), 1.0, 2.0f);
#endif
}

int main() {}
