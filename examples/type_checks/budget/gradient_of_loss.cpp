// What the program's translation units pay: the gradient of the loss, once.
#include <model.hpp>

auto gradient_of_loss(network const& net, xt::xtensor<double, 1> const& x) {
    return xgrad::gradient(loss, net, xgrad::constant(x));
}
