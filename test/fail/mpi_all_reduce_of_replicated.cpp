// error: xgrad[E313]
#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& x) { return xgrad::mpi::all_reduce(x, c) * 2.0; }, c);
};
auto bad = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& x) { return xgrad::mpi::all_reduce(xgrad::mpi::all_reduce(x, c), c); }, c);
};

void with(xgrad::mpi::communicator const& c) {
    (void)xgrad::gradient(good(c), 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad(c), 1.0);
#endif
}

int main() {}
