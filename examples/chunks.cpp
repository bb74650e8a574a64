// The gradient of a sum over many data, a piece of them at a time, added up in memory of one's own.
#include <algorithm>
#include <cstdio>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/tangent/set_to_zero.hpp>
#include <xgrad/xgrad.hpp>

#include "support/digit_set.hpp"

// Logistic regression: y is 1 for the images that w is to find, and -1 for the others.
auto loss = [](auto const& w, auto const& x, auto const& y) { return sum(log(1.0 + exp(-y * xgrad::dot(x, w)))); };

int main() {
    digit_set const all = read_digits(XGRAD_EXAMPLE_DATA "/digits.csv");
    xt::xtensor<double, 1> w = xt::zeros<double>({64});
    std::tuple grad{xgrad::zero_tangent(w), xgrad::no_tangent{}, xgrad::no_tangent{}};
    auto& dw = std::get<0>(grad);

    double value = 0;
    for (int step = 0; step <= 100; ++step) {
        value = 0;
        xgrad::set_to_zero(dw);
        for (std::size_t i = 0; i < all.size(); i += 200) {
            digit_set const piece = all.rows(i, std::min<std::size_t>(200, all.size() - i));
            xt::xtensor<double, 1> const y = 2.0 * xt::view(piece.truth, xt::all(), 0) - 1.0;
            value += xgrad::add_gradient(grad, loss, w, xgrad::constant(piece.images), xgrad::constant(y));
        }
        if (step % 20 == 0) std::printf("step %3d   loss %8.3f\n", step, value);
        w -= 1e-3 * dw;
    }
    return value < 100 ? 0 : 1;
}
