// A quasi-Newton method of somebody else's: liblbfgs fits a softmax regression to handwritten digits; flatten_to and unflatten_to stand between.
#include <algorithm>
#include <cstdio>
#include <random>
#include <span>

#include <lbfgs.h>

#include <xgrad/distributions.hpp>
#include <xgrad/flatten.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "support/digit_set.hpp"

struct model { xt::xtensor<double, 2> weights; xt::xtensor<double, 1> bias; };
XGRAD_REFLECT(model, weights, bias)

auto scores = [](auto const& m, auto const& images) { return xgrad::dot(images, m.weights) + m.bias; };

// The mean cross entropy, and a penalty that makes the minimum unique.
auto loss = [](auto const& m, auto const& images, auto const& digits) {
    return -categorical_logit_lpmf(digits, scores(m, images)) / static_cast<double>(digits.size()) + 1e-3 * (sum(m.weights * m.weights) + sum(m.bias * m.bias));
};

int main() {
    std::mt19937 random(1);
    digit_set all = read_digits(XGRAD_EXAMPLE_DATA "/digits.csv");
    all.shuffle(random);
    digit_set const test = all.rows(0, all.size() / 5), train = all.rows(all.size() / 5, all.size() - all.size() / 5);
    auto const truth = digits_of(train.truth);
    xt::xtensor<int, 1> digits = xt::zeros<int>({truth.size()});
    std::copy(truth.begin(), truth.end(), digits.begin());

    model m{xt::zeros<double>({64, 10}), xt::zeros<double>({10})};
    auto gradient = xgrad::prepare_gradient(loss, m, xgrad::constant(train.images), xgrad::constant(digits));
    // liblbfgs sees one array of 650 numbers; nothing is allocated between it and the struct
    auto evaluate = [&](std::span<double const> x, std::span<double> g) {
        xgrad::unflatten_to(m, x);
        auto& [value, all_gradients] = gradient(m, xgrad::constant(train.images), xgrad::constant(digits));
        xgrad::flatten_to(g, std::get<0>(all_gradients));
        return value;
    };
    auto const evaluate_c = [](void* instance, double const* x, double* g, int n, double) {
        auto const size = static_cast<std::size_t>(n);
        return (*static_cast<decltype(evaluate)*>(instance))({x, size}, {g, size});
    };
    auto const progress = [](void*, double const*, double const*, double value, double, double slope, double, int, int k, int) {
        if (k == 1 || k % 20 == 0) std::printf("iteration %3d   loss %.8f   length of the gradient %.1e\n", k, value, slope);
        return 0;
    };
    auto x = xgrad::flattened(m);
    double value = 0;
    int const status = lbfgs(static_cast<int>(x.size()), x.data(), &value, evaluate_c, progress, &evaluate, nullptr);
    xgrad::unflatten_to(m, x);
    double const accuracy = share_of_equal(digits_of(scores(m, test.images)), digits_of(test.truth));
    std::printf("%s: loss %.8f, %.1f %% of the test digits read\n", status == LBFGS_SUCCESS ? "minimum found" : "stopped", value, 100 * accuracy);
    return status == LBFGS_SUCCESS && accuracy > 0.93 ? 0 : 1;
}
