// Learns to read handwritten digits on several ranks, each with its part of the images, and draws what that brings: digits_on_ranks.png.
//   mpirun -n 4 ./digits_on_ranks
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <xgrad/linalg.hpp>
#include <xgrad/mpi.hpp>
#include <xgrad/tangent/add_to_primal.hpp>
#include <xgrad/tangent/scale.hpp>
#include <xgrad/xgrad.hpp>

#include "support/digit_set.hpp"
#include "support/gnuplot.hpp"

struct layer { xt::xtensor<double, 2> W; xt::xtensor<double, 1> b; };
XGRAD_REFLECT(layer, W, b)
struct network { layer hidden, output; };
XGRAD_REFLECT(network, hidden, output)

// The sum over the images of the cross-entropy, by 1 / n.
auto loss = [](auto const& net, auto const& images, auto const& truth, auto const& scale) {
    auto h = xt::tanh(xgrad::dot(images, net.hidden.W) + net.hidden.b);
    auto z = xgrad::dot(h, net.output.W) + net.output.b;
    auto s = z - xt::amax(xgrad::primal(z), {1}, xt::keep_dims);
    return sum(log(sum(exp(s), {1})) - sum(truth * s, {1})) * scale;
};

// What a training on so many ranks has been like.
struct record {
    std::vector<double> curve;
    double seconds = 0;                   // for a step, the best of all
    std::size_t messages = 0, bytes = 0;  // of a rank, for a step
};

record train(xgrad::mpi::communicator const& comm, digit_set const& all, int steps) {
    auto const part = xgrad::mpi::part_of(all.size(), comm);
    digit_set const mine = all.rows(part.begin, part.size());
    double const scale = 1.0 / static_cast<double>(all.size());

    std::mt19937 random(1);
    auto random_layer = [&](std::size_t inputs, std::size_t outputs) {
        layer l{xt::zeros<double>({inputs, outputs}), xt::zeros<double>({outputs})};
        for (auto& w : l.W) w = std::normal_distribution(0.0, 1 / std::sqrt(double(inputs)))(random);
        return l;
    };
    network net{random_layer(64, 64), random_layer(64, 10)};

    auto const on_ranks = xgrad::mpi::data_parallel(loss, comm);
    auto gradient =
        xgrad::prepare_gradient(on_ranks, xgrad::mpi::replicated(net), xgrad::constant(mine.images), xgrad::constant(mine.truth), xgrad::constant(scale));
    record r;
    auto const sent = comm.sent();
    r.seconds = std::numeric_limits<double>::infinity();
    for (int step = 0; step < steps; ++step) {
        auto const begin = std::chrono::steady_clock::now();
        auto const& [value, grad] = gradient(xgrad::mpi::replicated(net), xgrad::constant(mine.images), xgrad::constant(mine.truth), xgrad::constant(scale));
        net = xgrad::add_to_primal(net, xgrad::scale(-0.5, std::get<0>(grad).get()));
        r.curve.push_back(value);
        r.seconds = std::min(r.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    auto const now = comm.sent() - sent;
    auto const n = static_cast<std::size_t>(steps);
    r.messages = now.messages / n;
    r.bytes = now.bytes / n;
    return r;
}

int main(int argc, char** argv) {
    return xgrad::mpi::run(argc, argv, [](xgrad::mpi::communicator const& world) {
        digit_set const all = read_digits(XGRAD_EXAMPLE_DATA "/digits.csv");
        int const steps = 30;
        std::vector<double> alone;
        std::ostringstream rows;
        double worst = 0, first = 0;
        for (int ranks = 1; ranks <= world.size(); ranks *= 2) {
            MPI_Comm some = MPI_COMM_NULL;
            MPI_Comm_split(world.get(), world.rank() < ranks ? 0 : MPI_UNDEFINED, world.rank(), &some);
            if (some != MPI_COMM_NULL) {
                auto const r = train(xgrad::mpi::communicator(some), all, steps);
                MPI_Comm_free(&some);
                if (ranks == 1) alone = r.curve, first = r.seconds;
                if (world.rank() == 0) {
                    for (std::size_t i = 0; i < r.curve.size(); ++i) worst = std::max(worst, std::abs(r.curve[i] - alone[i]));
                    std::printf("%2d ranks: loss %.4f after %d steps, %.2f ms a step, %.2f times as fast as one; a rank sends %zu messages, %zu bytes a step\n",
                                ranks, r.curve.back(), steps, 1e3 * r.seconds, first / r.seconds, r.messages, r.bytes);
                    rows << ranks << ' ' << first / r.seconds << ' ' << static_cast<double>(ranks) * static_cast<double>(r.bytes) / 1024 << '\n';
                }
            }
            MPI_Barrier(world.get());
        }
        if (world.rank() != 0) return 0;
        std::printf("the loss curves differ by %.1e at most\n", worst);
        auto const processors = std::to_string(std::thread::hardware_concurrency());
        if (world.size() > 1 &&
            gnuplot("set terminal pngcairo size 1000, 400 font 'DejaVu Sans,11'\nset output 'digits_on_ranks.png'\n$rows << end\n" + rows.str() +
                    "end\nset multiplot layout 1,2\nset logscale x 2\nset grid linecolor rgb '#e6e6e6'\nset xlabel 'ranks'\n"
                    "set key left top\nset logscale y 2\nset title 'Speed, against one rank'\nset yrange [0.5:" + std::to_string(2 * world.size()) + "]\n"
                    "set arrow from " + processors + ", graph 0 to " + processors + ", graph 1 nohead dashtype 2 linecolor rgb '#888888'\n"
                    "set label '" + processors + " processors' at " + processors + ", graph 0.08 offset 0.5,0\n"
                    "plot x title 'ideal' linecolor rgb '#bbbbbb', "
                    "$rows using 1:2 with linespoints linewidth 2.5 pointtype 7 linecolor rgb '#1d3557' title 'measured'\n"
                    "unset arrow\nunset label\nunset logscale y\nset yrange [0:*]\nunset key\nset title 'KiB sent by all ranks in a step'\n"
                    "plot $rows using 1:3 with linespoints linewidth 2.5 pointtype 7 linecolor rgb '#2a9d8f'\n"))
            std::puts("digits_on_ranks.png shows speed and bytes");
        return worst < 1e-10 && alone.back() < alone.front() ? 0 : 1;
    });
}
