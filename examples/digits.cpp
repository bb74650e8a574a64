// Learns to read 1,797 handwritten digits with a network of two layers, and draws what it has learned: digits.png.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <xgrad/linalg.hpp>
#include <xgrad/tangent/add_to_primal.hpp>
#include <xgrad/tangent/scale.hpp>
#include <xgrad/xgrad.hpp>

#include "support/digit_picture.hpp"
#include "support/digit_set.hpp"
#include "support/progress.hpp"

struct layer { xt::xtensor<double, 2> W; xt::xtensor<double, 1> b; };
XGRAD_REFLECT(layer, W, b)
struct network { layer hidden, output; };
XGRAD_REFLECT(network, hidden, output)

// A row of ten scores for each image. It serves plain networks and active ones.
auto scores = [](auto const& net, auto const& images) {
    auto h = xt::tanh(xgrad::dot(images, net.hidden.W) + net.hidden.b);
    return xgrad::dot(h, net.output.W) + net.output.b;
};

// The cross-entropy of the softmax of the scores. Less its largest score, no row overflows.
auto loss = [](auto const& net, auto const& images, auto const& truth) {
    auto z = scores(net, images);
    auto s = z - xt::amax(xgrad::primal(z), {1}, xt::keep_dims);
    return mean(log(sum(exp(s), {1})) - sum(truth * s, {1}));
};

int main() {
    std::mt19937 random(1);
    digit_set all = read_digits(XGRAD_EXAMPLE_DATA "/digits.csv");
    all.shuffle(random);
    std::size_t const held_out = all.size() / 5, batch_size = 32;
    digit_set const test = all.rows(0, held_out);
    digit_set train = all.rows(held_out, all.size() - held_out), batch = train.rows(0, batch_size);

    auto random_layer = [&](std::size_t inputs, std::size_t outputs) {
        layer l{xt::zeros<double>({inputs, outputs}), xt::zeros<double>({outputs})};
        for (auto& w : l.W) w = std::normal_distribution(0.0, 1 / std::sqrt(double(inputs)))(random);
        return l;
    };
    network net{random_layer(64, 64), random_layer(64, 10)};
    auto velocity = xgrad::zero_tangent(net);
    auto gradient = xgrad::prepare_gradient(loss, net, xgrad::constant(batch.images), xgrad::constant(batch.truth));

    std::printf("%zu images to learn from, %zu to be tested with\n", train.size(), test.size());
    int const epochs = 40;
    progress show(epochs);
    digit_picture picture;
    std::vector<int> read;
    double accuracy = 0;
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        double total = 0, batches = 0, rate = 0.1 * (epochs + 1 - epoch) / epochs;
        train.shuffle(random);
        for (std::size_t i = 0; i + batch_size <= train.size(); i += batch_size, ++batches) {
            batch = train.rows(i, batch_size);
            auto& [value, grad] = gradient(net, xgrad::constant(batch.images), xgrad::constant(batch.truth));
            auto& [dnet, dimages, dtruth] = grad;
            velocity = xgrad::accumulate(xgrad::scale(0.9, velocity), dnet);
            net = xgrad::add_to_primal(net, xgrad::scale(-rate, velocity));
            total += value;
        }
        read = digits_of(scores(net, test.images));
        accuracy = share_of_equal(read, digits_of(test.truth));
        show(epoch, total / batches, accuracy);
        picture.add(total / batches, accuracy);
    }
    picture.draw("digits.png", test, read);
    return accuracy > 0.95 ? 0 : 1;
}
