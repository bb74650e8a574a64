// A value is used never, once, or a hundred times, in one expression or in many.
#include <cmath>
#include <utility>
#include <vector>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
double const a0 = 0.7, b0 = 1.3;
vector const v0{0.3, 0.5, 0.9, 0.2, 0.1, 0.8, 0.4};

// e + e + ... + e, N + 1 times, in one tree.
template <int N, class E>
auto times(E const& e) {
    if constexpr (N == 0) return e * 1.0;
    else return times<N - 1>(e) + e;
}

}

BOOST_AUTO_TEST_CASE(never) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto unused = sin(x); auto used = x * y; (void)unused; return used;),
        [](double x, double y) { return x * y; }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto unused = sin(x); auto shared = x * x; auto dead = shared * unused; (void)dead; return sum(x);),
        [](vector const& x) { return xt::sum(x)(); }, v0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const&), return sin(x);), [](double x, double) { return std::sin(x); }, a0, b0);
}

BOOST_AUTO_TEST_CASE(once) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x); auto b = a * y; auto c = exp(b); return c;),
        [](double x, double y) { return std::exp(std::sin(x) * y); }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto a = sin(x); auto b = exp(a); auto c = sum(b); auto d = log(c); return d;),
        [](vector const& x) { return std::log(xt::sum(xt::exp(xt::sin(x)))()); }, v0);
}

BOOST_AUTO_TEST_CASE(a_hundred_times) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = sin(x * y); variable s = 0.0; for (int i = 0; i < 100; ++i) s = s + h * i; return s * h;),
          [](double x, double y) { double h = std::sin(x * y); return 4950 * h * h; }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = sin(x * y); std::vector<decltype(h * x)> v; for (int i = 0; i < 100; ++i) v.push_back(h * x);
                         return v[3] * v[99] + h;),
        [](double x, double y) {
            double h = std::sin(x * y);
            return h * x * h * x + h;
        },
        a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = sin(x); variable<vector> s = h; for (int i = 1; i < 100; ++i) s = s + h * x; return sum(s * h);),
          [](vector const& x) { vector h = xt::sin(x); return xt::sum((h + 99 * h * x) * h)(); }, v0);
}

BOOST_AUTO_TEST_CASE(many_times_in_one_tree) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = sin(x * y); return times<24>(h) * h;),
        [](double x, double y) {
            double h = std::sin(x * y);
            return 25 * h * h;
        },
        a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x), return sum(times<9>(x) * x);), [](vector const& x) { return 10 * xt::sum(x * x)(); }, v0);
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto h = sin(x); return sum(times<9>(h) * h);),
        [](vector const& x) {
            vector h = xt::sin(x);
            return 10 * xt::sum(h * h)();
        },
        v0);
}
