// error: xgrad[E318]
#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto loss = [](xgrad::mpi::communicator const& c) {
    return xgrad::mpi::program([c](auto const& x) { return xgrad::mpi::all_reduce(sum(x * x), c); }, c);
};

void with(xgrad::mpi::communicator const& c) {
    vector const x{1.0, 2.0};
    (void)xgrad::hvp(loss(c), x, x);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::hessian(loss(c), x);
#endif
}

int main() {}
