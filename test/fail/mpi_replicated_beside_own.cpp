// error: xgrad[E310]
#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& r, auto const& x) { return xgrad::mpi::all_reduce(xgrad::mpi::vary(r, c) * x, c); }, c);
};
auto bad = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& r, auto const& x) { return xgrad::mpi::all_reduce(r * x, c); }, c);
};

void with(xgrad::mpi::communicator const& c) {
    (void)xgrad::gradient(good(c), xgrad::mpi::replicated(1.0), 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad(c), xgrad::mpi::replicated(1.0), 2.0);
#endif
}

int main() {}
