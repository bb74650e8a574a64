// ends with: rank [0-3]: the data of this rank are missing
// A rank that throws in the middle of a gradient ends the job with its message, while the others wait for it.
#include <stdexcept>

#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

int main(int argc, char** argv) {
    return xgrad::mpi::run(argc, argv, [](xgrad::mpi::communicator const& world) {
        auto loss = xgrad::mpi::program([&](auto const& x) {
            auto y = xgrad::mpi::vary(xgrad::mpi::all_reduce(x * x, world), world);
            auto z = xgrad::mpi::broadcast(y, 0, world);
            if (world.rank() == world.size() - 1) throw std::runtime_error("the data of this rank are missing");
            return xgrad::mpi::all_reduce(z * y, world);
        }, world);
        xgrad::gradient(loss, 1.0);
    });
}
