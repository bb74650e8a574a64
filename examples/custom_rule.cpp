// A scalar operation of one's own: softplus, log(1 + exp(x)), which neither overflows nor loses digits. Three lines make it known.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <xgrad/xgrad.hpp>

// The value, for a number, a SIMD batch of them, or a dual: what it calls is an operation, too, as std::exp takes numbers only.
struct softplus_op {
    static constexpr char const* name = "softplus(x)";
    auto operator()(auto const& x) const {
        namespace op = xgrad::op;
        return op::maximum{}(x, xgrad::zero(x)) + op::log1p{}(op::exp{}(-op::abs{}(x)));
    }
};

// dy/dx = 1 - exp(-y): a derivative may use the answer.
template <>
inline constexpr auto xgrad::partials<softplus_op> = [](auto y, auto) { return partial(-op::expm1{}(-y)); };

// The function, for numbers and arrays, active and plain.
auto softplus = [](auto&& x) { return xgrad::elementwise<softplus_op>(std::forward<decltype(x)>(x)); };

int main() {
    xt::xtensor<double, 1> x{-800.0, -1.0, 0.0, 1.0, 800.0};
    auto ours = [](auto const& v) { return sum(softplus(v)); };
    auto naive = [](auto const& v) { return sum(log(1.0 + exp(v))); };
    auto [y, dy] = xgrad::value_and_gradient(ours, x);
    auto [z, dz] = xgrad::value_and_gradient(naive, x);

    std::printf("          x   gradient by the rule   gradient of log(1 + exp(x))\n");
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const exact = 1 / (1 + std::exp(-x(i))), found = std::get<0>(dy)(i);
        std::printf("%11g %22.15f %29.15f\n", x(i), found, std::get<0>(dz)(i));
        worst = std::max(worst, std::abs(found - exact));
    }
    std::printf("the sum: %g by the rule, %g naively\n", y, z);
    return worst < 1e-15 ? 0 : 1;
}
