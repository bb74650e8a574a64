// A sum over ranks, by the target xgrad::mpi alone; on one rank, too.
#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

int main(int argc, char** argv) {
    return xgrad::mpi::run(argc, argv, [](xgrad::mpi::communicator const& world) {
        auto f = xgrad::mpi::data_parallel([](auto const& x, auto const& k) { return x * x * k; }, world);
        auto const g = xgrad::gradient(f, xgrad::mpi::replicated(3.0), xgrad::constant(2.0));
        return std::get<0>(g).get() == 12.0 * world.size() ? 0 : 1;
    });
}
