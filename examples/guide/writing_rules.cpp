// The programs of docs/writing_rules.md.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <xgrad/check_rule.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

struct log_cosh_op {
    static constexpr char const* name = "log_cosh(x)";
    auto operator()(auto const& x) const {
        auto const a = xgrad::op::abs{}(x);
        return a + xgrad::op::log1p{}(xgrad::op::exp{}(xgrad::literal(x, -2.0) * a)) - xgrad::literal(x, std::log(2.0));
    }
};
template <>
inline constexpr auto xgrad::partials<log_cosh_op> = [](auto, auto x) { return partial(op::tanh{}(x)); };
auto log_cosh = [](auto&& x) { return xgrad::elementwise<log_cosh_op>(std::forward<decltype(x)>(x)); };

struct safe_ratio_op {
    static constexpr char const* name = "safe_ratio(a, b)";
    auto operator()(auto const& a, auto const& b) const { return xgrad::choose(b != xgrad::zero(b), a / b, xgrad::zero(a)); }
};
template <>
inline constexpr auto xgrad::partials<safe_ratio_op> = [](auto y, auto, auto b) {
    auto const r = choose(b != zero(b), one(b) / b, zero(b));
    return partial(r, -y * r);
};
auto safe_ratio = [](auto&& a, auto&& b) { return xgrad::elementwise<safe_ratio_op>(std::forward<decltype(a)>(a), std::forward<decltype(b)>(b)); };

using vector = xt::xtensor<double, 1>;

// x / (temperature + sum(x)): with its derivatives, which the chain rule would find, too.
struct saturated {
    vector operator()(double temperature, vector const& x) const { return x / (temperature + xt::sum(x)()); }
};
template <>
struct xgrad::rule<saturated> {
    static auto rrule(codual<double> temperature, codual<vector> x) {
        vector y = saturated{}(temperature.primal, x.primal);
        double const total = temperature.primal + xt::sum(x.primal)();
        return value_with_pullback{y, [y, total, x](vector const& ybar) {
                                       double const weighted = xt::sum(ybar * y)();
                                       accumulate(x.fdata, vector((ybar - weighted) / total));  // adds to the cotangent of the array
                                       return std::tuple(-weighted / total, no_rdata{});          // returns that of the number
                                   }};
    }
    static auto frule(dual<double> temperature, dual<vector> const& x) {
        double const total = temperature.primal + xt::sum(x.primal)(), dtotal = temperature.tangent + xt::sum(x.tangent)();
        vector y = x.primal / total;
        vector ydot = (x.tangent - y * dtotal) / total;
        return dual{std::move(y), std::move(ydot)};
    }
};
static_assert(xgrad::check_types<saturated, double, vector>());

// The sums of width neighbours: y(i) = x(i) + ... + x(i + width - 1).
struct moving_sum_op {
    static constexpr char const* name = "moving_sum(x, width)";
    std::size_t width;
};
template <>
struct xgrad::array_rule<moving_sum_op> {
    template <int R>
    static constexpr int rank = 1;
    static extents<1> shape(moving_sum_op const& op, extents<1> const& x) {
        if (op.width == 0 || x[0] < op.width)
            throw std::invalid_argument("moving_sum(x, width) requires 0 < width <= size, found " + std::to_string(op.width) + " and " + to_string(x));
        return {{x[0] - op.width + 1}};
    }
    template <class T>
    static void value(moving_sum_op const& op, array_ref<T, 1> y, array_ref<T const, 1> x) noexcept {
        for (std::size_t i = 0; i < y.shape[0]; ++i) {
            T sum(0);
            for (std::size_t k = 0; k < op.width; ++k) sum = sum + T(x.data[static_cast<std::ptrdiff_t>(i + k) * x.stride[0]]);
            y.data[static_cast<std::ptrdiff_t>(i) * y.stride[0]] = sum;
        }
    }
    template <int I, class T>
    static void pullback(moving_sum_op const& op, array_ref<T, 1> xbar, bool add, array_ref<T const, 1> ybar, array_ref<T const, 1> /* y */,
                         array_ref<T const, 1> /* x */) noexcept {
        for (std::size_t j = 0; j < xbar.shape[0]; ++j) {
            T sum(0);
            for (std::size_t k = 0; k < op.width; ++k)
                if (j >= k && j - k < ybar.shape[0]) sum = sum + T(ybar.data[static_cast<std::ptrdiff_t>(j - k) * ybar.stride[0]]);
            auto to = xbar.data + static_cast<std::ptrdiff_t>(j) * xbar.stride[0];
            to[0] = add ? T(T(to[0]) + sum) : sum;
        }
    }
};
auto moving_sum = [](auto&& x, std::size_t width) { return xgrad::array_operation(moving_sum_op{width}, std::forward<decltype(x)>(x)); };

namespace {

vector const x{0.3, -0.7, 1.1, 0.4};

void scalar_rules() {
    auto [dx] = xgrad::gradient([](auto const& v) { return sum(log_cosh(v) * v); }, x);  // arrays, SIMD batches and numbers
    check(near(dx(0), std::tanh(0.3) * 0.3 + std::log(std::cosh(0.3))));
    auto report = xgrad::check_rule(log_cosh_op{}, 0.7);
    check(static_cast<bool>(report));
    auto [da, db] = xgrad::gradient([](auto const& a, auto const& b) { return safe_ratio(a, b); }, 1.0, 0.0);
    check(da == 0 && db == 0);
}

void rules_of_functions() {
    auto f = [](auto const& t, auto const& v) { return sum(square(xgrad::call(saturated{}, t, v))); };
    auto [dt, dv] = xgrad::gradient(f, 2.0, x);           // by rrule
    auto along = xgrad::jvp(f, std::tuple(2.0, x), std::tuple(1.0, vector{0, 0, 0, 0}));  // by frule
    check(near(along.tangent, dt));

    auto report = xgrad::check_rule(saturated{}, 2.0, x);
    if (!report) std::puts(report.text().c_str());
    check(static_cast<bool>(report));
}

void array_operations() {
    auto f = [](auto const& v) { return sum(square(moving_sum(v, 2))); };
    check(static_cast<bool>(xgrad::check_rule<xgrad::rule_checks{.plain = false}>(f, x)));  // gradients, tangents and second derivatives
}

void a_pullback_in_place() {
    auto rounded = [](auto const& v) {
        return xgrad::custom_gradient(
            [](double a) {
                return xgrad::value_with_pullback{std::round(a), [](double ybar) { return ybar; }};  // as if it were the identity
            },
            v);
    };
    auto [dv] = xgrad::gradient([&](auto const& v) { return square(rounded(v)); }, 2.7);
    check(near(dv, 6));

    auto clipped = [](auto const& v) { return sum(exp(xgrad::hook(v, [](auto const& vbar) { return xt::clip(vbar, -1.0, 1.0); }))); };
    auto [dx] = xgrad::gradient(clipped, vector{-1.0, 3.0});
    check(near(dx(0), std::exp(-1)) && dx(1) == 1);
}

}

int main() {
    scalar_rules();
    rules_of_functions();
    array_operations();
    a_pullback_in_place();
    std::puts("the rules hold");
}
