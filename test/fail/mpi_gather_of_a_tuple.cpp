// error: xgrad[E314]
#include <tuple>

#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& x) { return xgrad::mpi::all_reduce(sum(xgrad::mpi::gather(x, 0, c)), c); }, c);
};
auto bad = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& x) { return xgrad::mpi::all_reduce(xgrad::mpi::gather(std::tuple(x, x), 0, c), c); }, c);
};

void with(xgrad::mpi::communicator const& c) {
    (void)xgrad::gradient(good(c), 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad(c), 1.0);
#endif
}

int main() {}
