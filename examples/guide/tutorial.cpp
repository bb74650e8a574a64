// The programs of docs/tutorial.md, but for those of second_order.cpp.
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>
#include <tuple>
#include <utility>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

namespace {

void numbers() {
    auto f = [](auto const& x) { return x * sin(x); };
    auto [value, gradient] = xgrad::value_and_gradient(f, 2.0);
    auto [dx] = gradient;  // sin(2) + 2 cos(2)
    check(near(value, 2 * std::sin(2)) && near(dx, std::sin(2) + 2 * std::cos(2)));
}

void several_arguments() {
    auto distance = [](auto const& x, auto const& y, auto const& scale) { return sqrt(x * x + y * y) * scale; };
    auto [dx, dy, dscale] = xgrad::gradient(distance, 3.0, 4.0, xgrad::constant(10.0));  // 6, 8, and a no_tangent
    check(near(dx, 6) && near(dy, 8));
    static_assert(std::is_same_v<decltype(dscale), xgrad::no_tangent>);
}

void arrays() {
    xt::xtensor<double, 2> const points{{0, 0}, {1, 0}, {0, 2}};
    xt::xtensor<double, 1> const centre{0.5, 0.5};
    auto spread = [](auto const& p, auto const& c) {
        auto from_centre = p - c;
        return mean(sum(from_centre * from_centre, {1}));
    };
    auto [dpoints, dcentre] = xgrad::gradient(spread, points, centre);  // of the shapes (3, 2) and (2,)
    check(dpoints.shape(0) == 3 && dpoints.shape(1) == 2 && near(dpoints(2, 1), 1.0) && near(dcentre(0), 1.0 / 3));
}

void branches_and_loops() {
    // Newton's iteration for the square root, as one would write it for a double.
    auto root = [](auto const& a) -> xgrad::variable<double> {
        if (a <= 0.0) return 0.0;
        xgrad::variable x = a;
        for (int i = 0; i < 20 && std::abs(xgrad::primal(x * x - a)) > 1e-12; ++i) x = 0.5 * (x + a / x);
        return x;
    };
    auto [da] = xgrad::gradient(root, 9.0);  // 1/6
    check(near(da, 1.0 / 6));
}

void elements() {
    // Horner's rule, with the highest power first.
    auto polynomial = [](auto const& coefficients, auto const& x) {
        xgrad::variable y = 0.0 * x;
        for (auto const& c : coefficients) y = y * x + c;
        return y;
    };
    auto [dcoefficients, dx] = xgrad::gradient(polynomial, xt::xtensor<double, 1>{1.0, -2.0, 3.0}, 4.0);  // (16, 4, 1), and 2 x - 2 = 6
    check(near(dcoefficients(0), 16.0) && near(dcoefficients(1), 4.0) && near(dcoefficients(2), 1.0) && near(dx, 6.0));
    auto solve_tridiagonal = [](auto const& below, auto const& middle, auto const& above, auto const& right) {
        xgrad::variable b = middle, x = right;
        std::size_t const n = b.size();
        for (std::size_t i = 1; i < n; ++i) {
            auto const w = below(i) / b(i - 1);
            b(i) -= w * above(i - 1);
            x(i) -= w * x(i - 1);
        }
        x(n - 1) /= b(n - 1);
        for (std::size_t i = n - 1; i-- > 0;) x(i) = (x(i) - above(i) * x(i + 1)) / b(i);
        return sum(x * x);
    };
    {
        xt::xtensor<double, 1> const below{0.0, 1.0, 0.5}, middle{4.0, 3.0, 5.0}, above{1.0, 0.7, 0.0}, right{1.0, 2.0, 3.0};
        auto const [dbelow, dmiddle, dabove, dright] = xgrad::gradient(solve_tridiagonal, below, middle, above, right);
        auto moved = middle;
        moved(1) += 1e-6;
        double const up = xgrad::value(solve_tridiagonal, below, moved, above, right);
        moved(1) -= 2e-6;
        check(near(dmiddle(1), (up - xgrad::value(solve_tridiagonal, below, moved, above, right)) / 2e-6, 1e-7));
    }
    auto logistic = [](auto const& x, std::size_t steps) {
        xgrad::array_like<decltype(x), 2> history = xt::xtensor<double, 2>(xt::zeros<double>({steps, x.size()}));
        xgrad::array_like<decltype(x), 1> u = x;
        for (std::size_t t = 0; t < steps; ++t) {
            xt::view(history, t, xt::all()) = u;
            u = u * (1.1 - 0.1 * u);
        }
        return history;
    };
    {
        auto const last = [&](auto const& x) { return logistic(x, 3)(2, 0); };  // of a plain x, too
        auto const [dstart] = xgrad::gradient(last, xt::xtensor<double, 1>{0.5, 0.2});
        double const h = 1e-6, up = last(xt::xtensor<double, 1>{0.5 + h, 0.2}), down = last(xt::xtensor<double, 1>{0.5 - h, 0.2});
        check(near(dstart(0), (up - down) / (2 * h), 1e-8) && dstart(1) == 0.0);
    }
}

void complex_numbers() {
    auto f = [](auto const& z) { return norm_sq(z * z + 1.0); };  // 0 at i and at -i
    std::complex<double> z(1.0, 2.0);
    auto [dz] = xgrad::gradient(f, z);  // 4 conj(z) (z z + 1) = 24 + 32 i
    for (int i = 0; i < 100; ++i) z -= 0.05 * std::get<0>(xgrad::gradient(f, z));  // down to i
    check(std::abs(dz - std::complex<double>(24.0, 32.0)) < 1e-12 && std::abs(z - std::complex<double>(0.0, 1.0)) < 1e-6);

    z = {1.0, 2.0};
    auto power = [](auto const& w) { return w * w; };
    auto const slope = xgrad::derivative(power, z);  // 2 z
    auto const J = xgrad::jacobian(power, z);        // (2, 2): re(2 z) on the diagonal, -im(2 z) and im(2 z) beside it
    auto const H = xgrad::hessian(f, z);             // (2, 2): by re z and im z
    check(std::abs(slope - 2.0 * z) < 1e-14 && near(J(0, 0), 2.0) && near(J(0, 1), -4.0) && near(J(1, 0), 4.0) && near(J(1, 1), 2.0));
    check(H.shape(0) == 2 && H.shape(1) == 2 && near(H(0, 0), 4.0 + 12.0 * 1.0 + 4.0 * 4.0) && near(H(1, 1), -4.0 + 4.0 * 1.0 + 12.0 * 4.0) &&
          near(H(0, 1), 16.0));
}

}

struct layer { xt::xtensor<double, 2> W; xt::xtensor<double, 1> b; };
XGRAD_REFLECT(layer, W, b)
struct network { layer hidden, output; int steps = 0; };
XGRAD_REFLECT(network, hidden, output, steps)

auto scores = [](auto const& net, auto const& x) {
    auto h = xt::tanh(xgrad::dot(x, net.hidden.W) + net.hidden.b);
    return xgrad::dot(h, net.output.W) + net.output.b;
};
auto loss = [](auto const& net, auto const& x, auto const& y) {
    auto error = scores(net, x) - y;
    return mean(error * error);
};

template <class T>
struct point {
    T x, y;
    T dot(point const& o) const { return x * o.x + y * o.y; }
    friend point operator+(point const& a, point const& b) { return {a.x + b.x, a.y + b.y}; }
    XGRAD_REFLECT_INSIDE(point, x, y)
};
auto energy = [](auto const& p) {
    auto const q = xgrad::rebind<point>(p);  // a point of variables
    return (q + q).dot(q);
};

namespace {

void member_functions() {
    point<double> const p{1.0, 3.0};
    auto const [value, gradient] = xgrad::value_and_gradient(energy, p);
    auto const along = xgrad::hvp(energy, p, xgrad::tangent<point<double>>{1.0, 0.0});
    check(near(value, 20.0) && near(energy(p), 20.0) && near(std::get<0>(gradient).y, 12.0) && near(std::get<0>(along.product).x, 4.0));
}

network random_network(std::size_t inputs, std::size_t width, std::size_t outputs) {
    std::mt19937 random(3);
    auto make = [&](std::size_t m, std::size_t n) {
        layer l{xt::zeros<double>({m, n}), xt::zeros<double>({n})};
        for (double& w : l.W) w = std::normal_distribution(0.0, 1.0)(random);
        return l;
    };
    return {make(inputs, width), make(width, outputs)};
}

void training() {
    xt::xtensor<double, 2> const x{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, y{{0}, {1}, {1}, {0}};  // exclusive or
    network net = random_network(2, 4, 1);

    auto gradient = xgrad::prepare_gradient(loss, net, xgrad::constant(x), xgrad::constant(y));
    double last = 0;
    for (; net.steps < 500; ++net.steps) {
        auto& [value, gradients] = gradient(net, xgrad::constant(x), xgrad::constant(y));
        auto const& dnet = std::get<0>(gradients);  // an xgrad::tangent<network>: dnet.hidden.W, dnet.output.b, ...
        net = xgrad::add_to_primal(net, xgrad::scale(-0.2, dnet));
        last = value;
    }
    xt::xtensor<double, 2> const read = scores(net, x);  // plain arrays: the same function
    check(last < 0.01 && net.steps == 500);
    for (std::size_t i = 0; i < 4; ++i) check(std::abs(read(i, 0) - y(i, 0)) < 0.2);
}

void adam() {
    xt::xtensor<double, 2> const x{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, y{{0}, {1}, {1}, {0}};
    network net = random_network(2, 4, 1);
    auto gradient = xgrad::prepare_gradient(loss, net, xgrad::constant(x), xgrad::constant(y));

    auto mean_of = xgrad::zero_tangent(net), square_of = xgrad::zero_tangent(net);
    double value = 1;
    for (int t = 1; t <= 300; ++t) {
        auto& result = gradient(net, xgrad::constant(x), xgrad::constant(y));
        double const rate = 0.05 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
        auto step = [rate](auto& p, auto& m, auto& v, auto const& g) {
            using std::sqrt, xt::sqrt;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            p -= rate * m / (sqrt(v) + 1e-8);
        };
        xgrad::for_each_leaf(step, net, mean_of, square_of, std::get<0>(result.gradient));
        value = result.value;
    }
    check(value < 1e-3);
}

// Somebody else's optimiser: it knows arrays of numbers, and nothing of a network.
template <class F>
xt::xtensor<double, 1> descend(F const& f, xt::xtensor<double, 1> p) {
    xt::xtensor<double, 1> g = xt::zeros_like(p);
    for (int i = 0; i < 500; ++i) {
        f(p, g);
        p -= 0.2 * g;
    }
    return p;
}

void an_optimiser_from_elsewhere() {
    xt::xtensor<double, 2> const x{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, y{{0}, {1}, {1}, {0}};
    network net = random_network(2, 4, 1);
    auto gradient = xgrad::prepare_gradient(loss, net, xgrad::constant(x), xgrad::constant(y));

    auto evaluate = [&](auto const& p, auto& g) {
        xgrad::unflatten_to(net, p);
        auto& [value, gradients] = gradient(net, xgrad::constant(x), xgrad::constant(y));
        xgrad::flatten_to(g, std::get<0>(gradients));
        return value;
    };
    auto const best = descend(evaluate, xgrad::flattened(net));  // 17 numbers
    xgrad::unflatten_to(net, best);
    check(best.size() == 17 && gradient(net, xgrad::constant(x), xgrad::constant(y)).value < 0.01);
}

}

int main() {
    numbers();
    several_arguments();
    arrays();
    branches_and_loops();
    elements();
    complex_numbers();
    member_functions();
    training();
    adam();
    an_optimiser_from_elsewhere();
    std::puts("the tutorial is right");
}
