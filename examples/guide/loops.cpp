// The programs of docs/loops.md.
#include <cmath>
#include <functional>
#include <tuple>

#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

namespace {

struct pendulum {
    double place, speed;
    int steps;
};
XGRAD_REFLECT(pendulum, place, speed, steps)

// The same by central differences.
template <class F>
double slope(F const& f, double x) {
    double const h = 1e-5;
    return (f(x + h) - f(x - h)) / (2 * h);
}

void a_field() {
    auto step = [](auto const& u, auto const& nu) {
        auto flux = 0.5 * u * u;
        return u - 0.1 * (flux - roll(flux, 1)) + nu * (roll(u, 1) - 2.0 * u + roll(u, -1));
    };
    auto energy = [&](auto const& u0, auto const& nu) {
        auto u = xgrad::iterate(1000, step, u0, nu, xgrad::checkpoints(20));
        return sum(u * u);
    };
    auto [du0, dnu] = xgrad::gradient(energy, xt::xtensor<double, 1>{0.1, 0.5, 0.2, 0.4}, 0.01);
    auto of_nu = [&](double nu) { return xgrad::value(energy, xt::xtensor<double, 1>{0.1, 0.5, 0.2, 0.4}, nu); };
    check(std::abs(dnu - slope(of_nu, 0.01)) < 1e-6 && du0.size() == 4);
}

void a_state_of_parts() {
    auto step = [](auto const& s, auto const& dt, auto const& k) {
        auto const& [place, speed, i] = s;  // i is an int
        auto faster = speed - dt * (k * place + 0.1 * cos(dt * i));
        return std::tuple(place + dt * faster, faster, i + 1);
    };
    auto swing = [&](auto const& place, auto const& k) {
        auto const [x, v, i] = xgrad::iterate(100, step, std::tuple(place, 0.0, 0), 0.05, k);
        return x * x + v * v;
    };
    auto [dplace, dk] = xgrad::gradient(swing, 1.0, 2.0);
    check(std::abs(dplace - slope([&](double x) { return xgrad::value(swing, x, 2.0); }, 1.0)) < 1e-6);
    check(std::abs(dk - slope([&](double k) { return xgrad::value(swing, 1.0, k); }, 2.0)) < 1e-6);
}

void a_state_with_names() {
    auto step = [](auto const& s, auto const& k) {
        auto faster = s.speed - 0.05 * k * s.place;
        return std::tuple(s.place + 0.05 * faster, faster, s.steps + 1);
    };
    auto swing = [&](auto const& place, auto const& k) {
        auto const end = xgrad::iterate(100, step, xgrad::variables<pendulum>(place, 0.0, 0), k);
        return end.place * end.place + end.speed * end.speed;
    };
    auto [dplace, dk] = xgrad::gradient(swing, 1.0, 2.0);
    check(std::abs(dplace - slope([&](double x) { return xgrad::value(swing, x, 2.0); }, 1.0)) < 1e-6);
    check(std::abs(dk - slope([&](double k) { return xgrad::value(swing, 1.0, k); }, 2.0)) < 1e-6);
}

void several_numbers() {
    auto step = [](auto const& s, auto const& k) -> xgrad::result<std::tuple<double, double>> {
        auto const& [x, v] = s;
        auto faster = v - 0.01 * k * x;
        return {x + 0.01 * faster, faster};
    };
    auto swing = [&](auto const& k) { return std::get<0>(xgrad::iterate(1000, step, std::tuple(1.0, 0.0), k)); };
    auto [dk] = xgrad::gradient(swing, 2.0);
    check(std::abs(dk - slope([&](double k) { return xgrad::value(swing, k); }, 2.0)) < 1e-6);
}

void items_and_outputs() {
    auto cell = [](auto const& h, auto const& item, auto const& w) {
        auto const& [x, seen] = item;
        auto next = tanh(w * h + x);
        return std::tuple(next, std::tuple(next, xgrad::summed((next - seen) * (next - seen))));
    };
    auto loss = [&](auto const& x, auto const& w, auto const& seen) {
        auto const [last, out] = xgrad::scan(cell, 0.0, std::tuple(x, std::cref(seen)), w);
        auto const& [path, error] = out;  // path has an element for each step
        return error + 0.1 * mean(path * path);
    };
    xt::xtensor<double, 1> const x{0.1, 0.4, 0.2}, seen{0.3, 0.5, 0.4};
    auto [dx, dw, no_gradient] = xgrad::gradient(loss, x, 0.7, xgrad::constant(seen));
    check(std::abs(dw - slope([&](double w) { return xgrad::value(loss, x, w, xgrad::constant(seen)); }, 0.7)) < 1e-6 && dx.size() == 3);
}

void as_long_as_a_condition_holds() {
    auto far = [](auto const& s, auto const& a) { return abs(s * s - a) > 1e-12; };
    auto newton = [](auto const& s, auto const& a) { return 0.5 * (s + a / s); };
    auto root = [&](auto const& a) { return xgrad::while_loop(far, newton, 1.0, a); };
    auto [da] = xgrad::gradient(root, 2.0);
    check(near(da, 0.5 / std::sqrt(2.0)));

    auto each_root = [&](auto const& a) -> xgrad::real { return xgrad::while_loop(far, newton, 1.0, a); };
    auto roots = [&](auto const& a) { return sum(xgrad::map(each_root, xgrad::each(a))); };
    auto [slopes] = xgrad::gradient(roots, xt::xtensor<double, 1>{2.0, 7.0, 90.0});
    check(near(slopes(0), da) && near(slopes(2), 0.5 / std::sqrt(90.0)));
}

void a_call_whose_inside_is_not_kept() {
    auto block = [](auto const& x, auto const& w) {
        auto y = tanh(x * w);
        return x + sin(y) * exp(-y * y);
    };
    auto deep = [&](auto const& x, auto const& w) {
        auto y = xgrad::checkpoint(block, x, w);
        auto z = xgrad::checkpoint(block, y, w);
        return sum(z * z);
    };
    auto [dx, dw] = xgrad::gradient(deep, xt::xtensor<double, 1>{0.1, 0.5, 0.2}, xt::xtensor<double, 1>{1.0, 2.0, 3.0});
    auto of_all = [&](double s) { return xgrad::value(deep, xt::xtensor<double, 1>{0.1 + s, 0.5 + s, 0.2 + s}, xt::xtensor<double, 1>{1.0, 2.0, 3.0}); };
    check(std::abs(xt::sum(dx)() - slope(of_all, 0.0)) < 1e-6 && dw.size() == 3);
}

}

int main() {
    a_field();
    a_state_of_parts();
    a_state_with_names();
    several_numbers();
    items_and_outputs();
    as_long_as_a_condition_holds();
    a_call_whose_inside_is_not_kept();
}
