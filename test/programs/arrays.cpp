// Kernels over arrays: what a cotangent is assigned and what is added, whatever order the operands stand in.
#include <cmath>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

matrix const x39 = 0.3 + 0.07 * xt::reshape_view(xt::arange<double>(27), {3, 9});
matrix const x99 = 0.3 + 0.02 * xt::reshape_view(xt::arange<double>(81), {9, 9});
matrix const b19 = 0.5 - 0.1 * xt::reshape_view(xt::arange<double>(9), {1, 9});
matrix const b91 = 0.5 - 0.1 * xt::reshape_view(xt::arange<double>(9), {9, 1});

int evaluations = 0;

}

namespace programs {
// exp that counts how often it is computed.
struct counted_exp {
    static constexpr char const* name = "counted_exp(x)";
    template <class T>
    T operator()(T const& x) const {
        return xgrad::each_lane([](double v) { ++evaluations; return std::exp(v); }, x);
    }
};
}
template <>
inline constexpr auto xgrad::partials<programs::counted_exp> = [](auto y, auto) { return partial(y); };

BOOST_AUTO_TEST_CASE(one_value_many_times_in_a_kernel) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = x * b; return sum(h * h * h);),
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return xt::sum(h * h * h)();
        },
        x99, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), return sum(x * b * x);), [](matrix const& x, matrix const& b) { return xt::sum(x * b * x)(); }, x39,
        b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), return sum(x * b * b * sin(b));),
        [](matrix const& x, matrix const& b) { return xt::sum(x * b * b * xt::sin(b))(); }, x39, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), return sum(b * x * b * x);), [](matrix const& x, matrix const& b) { return xt::sum(b * x * b * x)(); },
        x99, b91);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = b * 2.0; auto k = h * x; return sum(k * h + h);),
        [](matrix const& x, matrix const& b) {
            matrix h = 2 * b;
            return xt::sum(h * x * h + h)();
        },
        x39, b19);
}

BOOST_AUTO_TEST_CASE(covered_by_one_kernel_and_not_by_another) {
    // the smaller kernel (b alone) and the bigger one (b broadcast) feed b in both orders
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = b * b; auto p = sin(h); auto q = x * h; return sum(p) + sum(q);),
          [](matrix const& x, matrix const& b) { matrix h = b * b; return xt::sum(xt::sin(h))() + xt::sum(x * h)(); }, x39, b19);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = b * b; auto q = x * h; auto p = sin(h); return sum(q) + sum(p);),
          [](matrix const& x, matrix const& b) { matrix h = b * b; return xt::sum(xt::sin(h))() + xt::sum(x * h)(); }, x39, b19);
}

BOOST_AUTO_TEST_CASE(an_element_is_read) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = x * b; return h(0, 3) * h(2, 8) + x(1, 1);),
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return h(0, 3) * h(2, 8) + x(1, 1);
        },
        x39, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = x * b; auto e = h(1, 2); return e * sum(h) + e;),
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return h(1, 2) * xt::sum(h)() + h(1, 2);
        },
        x39, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = x * b; return sum(h * h(0, 0)) + h(0, 0);),
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return xt::sum(h)() * h(0, 0) + h(0, 0);
        },
        x39, b19);
    // an element of a temporary
    agree([](auto const& x, auto const& b) { return (x * b)(1, 4) * sum(x); },
          [](matrix const& x, matrix const& b) { return x(1, 4) * b(0, 4) * xt::sum(x)(); }, x39, b19);
    vector const v{0.3, 0.4, 0.5};
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto h = sin(x); variable s = 0.0; for (std::size_t i = 0; i < h.size(); ++i) s = s + h(i) * x[i] * (i + 1);
                         return s;),
        [](vector const& x) {
            double s = 0;
            for (std::size_t i = 0; i < 3; ++i) s += std::sin(x(i)) * x(i) * (double(i) + 1);
            return s;
        },
        v);
}

BOOST_AUTO_TEST_CASE(an_array_of_no_dimensions) {
    xt::xtensor<double, 0> const s0 = 0.7;
    agree(
        XGRAD_BOTH_MODES((auto const& s, auto const& b), return s() * s + sum(s * b);),
        [](auto const& s, matrix const& b) { return s() * s() + s() * xt::sum(b)(); }, s0, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = x * y; return sum(a) * a() + mean(x());),
        [](double x, double y) { return x * y * x * y + x; }, 0.7, 1.3);
}

BOOST_AUTO_TEST_CASE(an_argument_is_not_used) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const&), return sum(x * x);), [](matrix const& x, matrix const&) { return xt::sum(x * x)(); }, x39, b19);
    // used in one call and not in the next
    auto g = xgrad::prepare_gradient(
        [](auto const& x, auto const& b, bool use) -> variable<double> {
            if (use) return sum(x * b);
            return sum(x);
        },
        x39, b19, xgrad::constant(true));
    BOOST_CHECK_EQUAL(std::get<1>(g(x39, b19, xgrad::constant(true)).gradient)(0, 0), xt::sum(xt::view(x39, xt::all(), 0))());
    BOOST_CHECK(std::get<1>(g(x39, b19, xgrad::constant(false)).gradient) == xt::zeros<double>({1, 9}));
    BOOST_CHECK(std::get<0>(g(x39, b19, xgrad::constant(false)).gradient) == xt::ones<double>({3, 9}));
}

BOOST_AUTO_TEST_CASE(one_array_for_two_arguments) {
    auto [dx, dy] = xgrad::gradient([](auto const& x, auto const& y) { return sum(x * x * y); }, x39, x39);
    BOOST_CHECK(dx == 2 * x39 * x39);
    BOOST_CHECK(dy == x39 * x39);
}

BOOST_AUTO_TEST_CASE(a_moved_name_stands_in_a_kernel) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = sin(x * b); auto k = exp(h); return sum(k * (std::move(h) * b));),
          [](matrix const& x, matrix const& b) { matrix h = xt::sin(x * b); return xt::sum(xt::exp(h) * h * b)(); }, x39, b19);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = sin(x * b); auto k = exp(h); auto m = std::move(h) * b; return sum(k * m);),
          [](matrix const& x, matrix const& b) { matrix h = xt::sin(x * b); return xt::sum(xt::exp(h) * h * b)(); }, x39, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = sin(x); auto c = h; auto k = exp(h) + b; auto p = std::move(c);
                         return sum(std::move(p) + std::move(h) * k + std::move(k));),
        [](matrix const& x, matrix const& b) {
            matrix h = xt::sin(x), k = xt::exp(h) + b;
            return xt::sum(h + h * k + k)();
        },
        x39, b19);
}

BOOST_AUTO_TEST_CASE(what_is_not_elementwise_has_a_slot_of_its_own) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), return sum(x / sum(x) * b);),
        [](matrix const& x, matrix const& b) { return xt::sum(x * b)() / xt::sum(x)(); }, x39, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto p = exp(x) / sum(exp(x)); auto q = sum(p * b, 1) / sum(exp(b)); return sum(p * p) + sum(q * q);),
        [](matrix const& x, matrix const& b) {
            matrix p = xt::exp(x) / xt::sum(xt::exp(x))();
            vector q = xt::sum(p * b, {1}) / xt::sum(xt::exp(b))();
            return xt::sum(p * p)() + xt::sum(q * q)();
        },
        x39, b19);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto n = sum(x * x); auto r = sqrt(n); return sum(x / r + (x * 2.0) * (n + 1.0) - b * sin(r * r));),
        [](matrix const& x, matrix const& b) {
            double n = xt::sum(x * x)(), r = std::sqrt(n);
            return xt::sum(x / r + x * 2.0 * (n + 1) - b * std::sin(n))();
        },
        x39, b19);
}

BOOST_AUTO_TEST_CASE(a_fused_tree_is_evaluated_once) {
    auto ce = [](auto const& x) { return xgrad::elementwise<programs::counted_exp>(x); };
    evaluations = 0;
    double const e = std::exp(0.5);
    auto g = xgrad::gradient([&](auto const& x) { return ce(x) + x + x + x + x + x + x + x + x; }, 0.5);
    BOOST_CHECK_CLOSE(std::get<0>(g), e + 8, 1e-12);
    BOOST_CHECK_EQUAL(evaluations, 1);
    evaluations = 0;
    g = xgrad::gradient([&](auto const& x) { auto h = ce(x) * x; auto k = h * h; return (k + h) * h; }, 0.5);
    BOOST_CHECK_LE(evaluations, 2);  // evaluated at its share; its pullback may compute the operands' frame again
    evaluations = 0;
    auto ga = xgrad::gradient([&](auto const& x) { return sum(ce(x) * x + x * x - x / 3.0); }, x39);
    BOOST_CHECK_LT(evaluations, 27 + 8);  // the last lanes repeat the last element
    BOOST_CHECK_CLOSE(std::get<0>(ga)(0, 0), std::exp(0.3) * 1.3 + 0.6 - 1.0 / 3, 1e-12);
}
