// Recovers what a fluid carried at the start from noisy observations at few places later on: the adjoint of a loop, with the memory of few states.
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <tuple>
#include <vector>

#include <xgrad/eval.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

#include "support/field_picture.hpp"
#include "support/progress.hpp"

using field = xt::xtensor<double, 2>;
using fields = xt::xtensor<double, 3>;

namespace grid {
constexpr std::size_t size = 48, distance = 4, offset = 2, marks = size / distance;  // points, and those that are seen, in each direction
constexpr std::size_t times = 12, steps_between = 5;                                 // of observation, and from one to the next
constexpr std::size_t place(std::size_t i) { return offset + distance * i; }
}

// The flow turns about the middle; the fluid mixes a little. The domain is periodic.
struct flow {
    field right = field::from_shape({grid::size, grid::size}), up = right;
    flow() {
        double const turn = 2 * std::acos(-1.0) / grid::size;
        for (std::size_t i = 0; i < grid::size; ++i)
            for (std::size_t j = 0; j < grid::size; ++j) {
                right(i, j) = 0.35 * std::sin(turn * double(j)) * std::cos(turn * double(i));
                up(i, j) = -0.35 * std::cos(turn * double(j)) * std::sin(turn * double(i));
            }
    }
};
auto carry = [](auto const& u, auto const& right, auto const& up) {
    auto e = roll(u, -1, 1), w = roll(u, 1, 1), s = roll(u, -1, 0), t = roll(u, 1, 0);
    return xgrad::eval(u - 0.5 * right * (e - w) - 0.5 * up * (s - t) + 0.06 * (e + w + s + t - 4.0 * u));
};
// From one time of observation to the next, and what the observations say of it.
auto until_seen = [](auto const& u, auto const& seen, auto const& right, auto const& up) {
    xgrad::variable next = xgrad::iterate(grid::steps_between, carry, u, std::cref(right), std::cref(up));
    auto error = view(next, xt::range(grid::offset, grid::size, grid::distance), xt::range(grid::offset, grid::size, grid::distance)) - seen;
    return std::tuple(next, xgrad::summed(sum(error * error)));
};
// How far a field is from what was seen, and from a smooth one. The loop calls tick after each of its steps, forward and back.
auto misfit_with = [](auto tick) {
    return [tick](auto const& u0, auto const& seen, auto const& right, auto const& up) {
        auto const [last, error] = xgrad::scan(until_seen, u0, std::cref(seen), std::cref(right), std::cref(up), xgrad::checkpoints(4),
                                               xgrad::on_progress(1, tick));
        auto dx = u0 - roll(u0, 1, 1), dy = u0 - roll(u0, 1, 0);
        return error + 0.03 * sum(dx * dx + dy * dy);
    };
};

int main() {
    flow const v;
    field truth = field::from_shape({grid::size, grid::size});
    for (std::size_t i = 0; i < grid::size; ++i)
        for (std::size_t j = 0; j < grid::size; ++j) {
            auto blob = [&](double y, double x, double size) { return std::exp(-std::pow(std::hypot(double(i) - y, double(j) - x) / size, 2)); };
            truth(i, j) = blob(15, 14, 6) + 0.8 * blob(30, 33, 4.5) + 0.6 * blob(11, 36, 3.5);
        }
    // what is seen, with an error of 0.02
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0.0, 0.02);
    fields seen = fields::from_shape({grid::times, grid::marks, grid::marks});
    field u = truth;
    for (std::size_t k = 0; k < grid::times; ++k) {
        u = xgrad::iterate(grid::steps_between, carry, u, v.right, v.up);
        for (std::size_t i = 0; i < grid::marks; ++i)
            for (std::size_t j = 0; j < grid::marks; ++j) seen(k, i, j) = u(grid::place(i), grid::place(j)) + noise(random);
    }

    // Steepest descent, with the steps of Barzilai and Borwein (IMA J. Numer. Anal. 8, 1988).
    field guess = xt::zeros<double>({grid::size, grid::size}), before = guess, slope_before = guess;
    int const rounds = 25, ticks = 2 * int(grid::times);
    progress const show(rounds * ticks);
    int round = 1;
    char text[80] = "";
    auto tick = [&](xgrad::loop_progress p) {
        int const done = int(p.done) + (p.backward ? ticks / 2 : 0);
        if (done != ticks) show((round - 1) * ticks + done, text);
    };
    auto gradient = xgrad::prepare_gradient(misfit_with(tick), guess, xgrad::constant(seen), xgrad::constant(v.right), xgrad::constant(v.up));
    auto apart = [&](field const& f) { return std::sqrt(xt::sum(xt::square(f - truth))() / xt::sum(xt::square(truth))()); };
    double rate = 0.02;
    for (; round <= rounds; ++round) {
        auto& [value, slopes] = gradient(guess, xgrad::constant(seen), xgrad::constant(v.right), xgrad::constant(v.up));
        field const& slope = std::get<0>(slopes);
        if (round > 1) {
            field const moved = guess - before, turned = slope - slope_before;
            rate = xt::sum(moved * moved)() / xt::sum(moved * turned)();
        }
        before = guess;
        slope_before = slope;
        guess = before - rate * slope_before;
        std::snprintf(text, sizeof text, "misfit %.3f  error of the field %.1f %%", value, 100 * apart(guess));
        show(round * ticks, text);
    }
    std::printf("%zu steps, and %zu bytes of memory for the gradient\n", grid::times * grid::steps_between, gradient.workspace_bytes());
    std::vector<std::size_t> marks;
    for (std::size_t i = 0; i < grid::marks; ++i) marks.push_back(grid::place(i));
    std::vector<field_panel> const panels{
        {"the field at the start", truth}, {"at the end, seen at the marks", u, true}, {"first guess", 0.0 * truth}, {"recovered start", guess}};
    draw_fields("assimilation.png", panels, marks);
    return apart(guess) < 0.17 ? 0 : 1;
}
