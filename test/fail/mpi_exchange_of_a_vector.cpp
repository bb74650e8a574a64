// error: xgrad[E311]
#include <vector>

#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& v) { return xgrad::mpi::all_reduce(v[0], c); }, c);
};
auto bad = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& v) { return xgrad::mpi::all_reduce(xgrad::mpi::broadcast(v, 0, c)[0], c); }, c);
};

void with(xgrad::mpi::communicator const& c) {
    (void)xgrad::gradient(good(c), std::vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad(c), std::vector{1.0, 2.0});
#endif
}

int main() {}
