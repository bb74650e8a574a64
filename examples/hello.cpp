#include <cstdio>
#include <xgrad/xgrad.hpp>

struct model { xt::xtensor<double, 1> weights; double bias; };
XGRAD_REFLECT(model, weights, bias)

auto loss = [](auto const& m, auto const& x, auto const& y) {
    auto error = sum(x * m.weights, {1}) + m.bias - y;
    return mean(error * error);
};

int main() {
    xt::xtensor<double, 2> x{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    xt::xtensor<double, 1> y{1, -1, 4, 2};
    model m{{0.0, 0.0}, 0.0};
    for (int step = 0; step <= 50; ++step) {
        auto [value, grad] = xgrad::value_and_gradient(loss, m, xgrad::constant(x), xgrad::constant(y));
        auto& [dm, dx, dy] = grad;  // dm has the fields of a model; constants have no gradient
        if (step % 10 == 0)
            std::printf("loss %.4f   weights %+.3f %+.3f, gradient %+.3f %+.3f   bias %+.3f, gradient %+.3f\n", value,
                        m.weights(0), m.weights(1), dm.weights(0), dm.weights(1), m.bias, dm.bias);
        m.weights -= 0.6 * dm.weights;
        m.bias -= 0.6 * dm.bias;
    }
}
