// error: xgrad[E315]
#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
auto total = [](auto const& grid, xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([=](auto const& u) { return xgrad::mpi::all_reduce(sum(xgrad::mpi::with_halo(u, 1, grid)), c); }, c);
};
auto good = [](xgrad::mpi::communicator const& c) { return total(xgrad::mpi::grid<2>(c, {0, 0}, {false, false}), c); };
auto bad = [](xgrad::mpi::communicator const& c) { return total(xgrad::mpi::grid<1>(c, {0}, {false}), c); };

void with(xgrad::mpi::communicator const& c) {
    (void)xgrad::gradient(good(c), matrix{{1.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad(c), matrix{{1.0}});
#endif
}

int main() {}
