// The programs of docs/how_it_works.md.
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include <xgrad/xgrad.hpp>

#include "check.hpp"

// exp(x), which counts how often it is computed.
struct counted_exp_op {
    static constexpr char const* name = "counted_exp(x)";
    static inline int count = 0;
    auto operator()(auto const& x) const { ++count; return xgrad::op::exp{}(x); }
};
template <>
inline constexpr auto xgrad::partials<counted_exp_op> = [](auto y, auto) { return partial(y); };
auto counted_exp = [](auto&& x) { return xgrad::elementwise<counted_exp_op>(std::forward<decltype(x)>(x)); };

namespace {

template <class F>
int evaluations(F const& f) {
    counted_exp_op::count = 0;
    check(near(xgrad::value(f, 1.0), std::exp(2.0)));
    return counted_exp_op::count;
}

void names_are_shared() {
    auto named = [](auto const& x) {
        auto e = counted_exp(x);  // a formula: nothing is computed
        return e * e;             // the first use computes e, the second reads it
    };
    auto written_twice = [](auto const& x) { return counted_exp(x) * counted_exp(x); };
    check(evaluations(named) == 1 && evaluations(written_twice) == 2);
}

void order_of_the_reverse_pass() {
    std::string order;
    auto seen = [&order](char name) { return [&order, name](auto const&) { order += name; }; };
    auto f = [&](auto const& x) {
        auto a = xgrad::hook(sin(x), seen('a'));
        auto b = xgrad::hook(a * x, seen('b'));
        auto c = xgrad::hook(b * a, seen('c'));
        return c + a;
    };
    xgrad::gradient(f, 1.0);
    check(order == "cba");
    std::puts(order.c_str());

    order.clear();
    auto helper = [&](auto const& u) {
        auto s = xgrad::hook(sin(u), seen('s'));
        return s * s + u;  // outlives s: its operands are kept until it has been used
    };
    auto h = [&](auto const& x) {
        auto y = xgrad::hook(helper(x), seen('y'));
        return y * y;
    };
    auto [dx] = xgrad::gradient(h, 1.0);
    std::puts(order.c_str());
    check(order == "ys");
    double const s = std::sin(1.0), y = s * s + 1;
    check(near(dx, 2 * y * (2 * s * std::cos(1.0) + 1)));
}

void scoped() {
    auto energy = [](auto const& x, auto const& v) -> xgrad::real {
        auto kinetic = 0.5 * v * v;
        auto height = 1.0 - cos(x);
        return kinetic + height;
    };
    auto [dx, dv] = xgrad::gradient(energy, 0.5, 2.0);
    check(near(dx, std::sin(0.5)) && near(dv, 2.0));
}

void workspace() {
    auto f = [](auto const& x) {
        auto h = x * x;
        return sum(h * h);
    };
    xt::xtensor<double, 1> const x = xt::ones<double>({1000});
    auto g = xgrad::prepare_gradient(f, x);
    g(x);                                        // makes its workspace
    std::size_t const bytes = g.workspace_bytes();
    for (int i = 0; i < 100; ++i) g(x);          // uses it again
    check(g.workspace_bytes() == bytes && bytes < 100'000);
    std::printf("%zu bytes\n", bytes);
}

void a_debt_that_nobody_pays() {
    auto f = [](auto const& x) {
        auto d = sqrt(x);
        auto e = d * 2.0;  // used by nobody
        return x * x;
    };
    auto [dx] = xgrad::gradient(f, 0.0);  // 0, although the derivative of sqrt(0) is infinite
    check(dx == 0);
}

}

int main() {
    names_are_shared();
    order_of_the_reverse_pass();
    scoped();
    workspace();
    a_debt_that_nobody_pays();
}
