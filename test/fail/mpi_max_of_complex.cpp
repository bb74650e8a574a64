// error: xgrad[E317]
#include <complex>
#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& z) { return xgrad::mpi::all_reduce(abs(z), c, xgrad::mpi::max); }, c);
};
auto bad = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& z) {
        return xgrad::mpi::all_reduce(abs(xgrad::mpi::vary(xgrad::mpi::all_reduce(z, c, xgrad::mpi::max), c)), c);
    }, c);
};

void with(xgrad::mpi::communicator const& c) {
    (void)xgrad::gradient(good(c), std::complex<double>(1.0, 2.0));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad(c), std::complex<double>(1.0, 2.0));
#endif
}

int main() {}
