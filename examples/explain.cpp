// What happens inside a gradient: explain(f, x...) prints the formulas of a small network, what is fused in each, and every pass over memory and
// BLAS call, forward and backward. The graph is for Graphviz: dot -Tsvg explain.dot -o explain.svg
#include <cstdio>
#include <fstream>

#include <xgrad/explain.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

struct layer { xt::xtensor<double, 2> weights; xt::xtensor<double, 1> bias; };
XGRAD_REFLECT(layer, weights, bias)
struct network { layer hidden, output; };
XGRAD_REFLECT(network, hidden, output)

auto loss = [](auto const& n, auto const& x, auto const& y) {
    auto h = tanh(dot(x, n.hidden.weights) + n.hidden.bias);
    auto error = dot(h, n.output.weights) + n.output.bias - y;
    return mean(error * error);
};

int main() {
    network const n{{xt::ones<double>({3, 8}) * 0.1, xt::zeros<double>({8})}, {xt::ones<double>({8, 2}) * 0.1, xt::zeros<double>({2})}};
    xt::xtensor<double, 2> const x = xt::reshape_view(xt::cos(xt::arange<double>(48)), {16, 3}), y = xt::ones<double>({16, 2});

    auto const e = xgrad::explain(loss, n, xgrad::constant(x), xgrad::constant(y));
    std::fputs(e.text().c_str(), stdout);
    std::ofstream("explain.dot") << e.graph();

    // two products; of the weights' cotangents and of h's, three
    return e.forward_calls == 2 && e.backward_calls == 3 ? 0 : 1;
}
