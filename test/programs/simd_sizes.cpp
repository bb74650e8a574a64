// options: -O3 -UXGRAD_DETAIL_PLAIN_INLINE
// Fused kernels at every length around the width of a SIMD batch: whole batches, tails, and rows with both.
#include <cmath>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector ramp(std::size_t n, double first) {
    vector v(vector::shape_type{n});
    for (auto& e : v) e = first += 0.03125;
    return v;
}

template <class F, class P>
void every_length(F f, P plain) {
    for (std::size_t n = 0; n <= 40; ++n)
        BOOST_TEST_CONTEXT("n = " << n) agree(f, plain, 0.8, ramp(n, -0.5), ramp(n, 0.1));
}

}

BOOST_AUTO_TEST_CASE(one_pass) {
    every_length([](auto const& a, auto const& x, auto const& b) { return sum(log(1.0 + exp(a * x + b)) * tanh(x)); },
                 [](double a, vector const& x, vector const& b) { return xt::sum(xt::log(1.0 + xt::exp(a * x + b)) * xt::tanh(x))(); });
}
BOOST_AUTO_TEST_CASE(named_intermediates) {
    every_length(
        [](auto const& a, auto const& x, auto const& b) {
            auto z = a * x + b;
            auto l = log(1.0 + exp(z));
            auto t = tanh(x);
            return sum(l * t) + sum(z * a) * 0.5 + sum(abs(z));
        },
        [](double a, vector const& x, vector const& b) {
            vector z = a * x + b;
            return xt::sum(xt::log(1.0 + xt::exp(z)) * xt::tanh(x))() + xt::sum(z * a)() * 0.5 + xt::sum(xt::abs(z))();
        });
}
BOOST_AUTO_TEST_CASE(columns_and_rows) {
    for (std::size_t n = 0; n <= 20; ++n) {
        vector const v = ramp(n, 0.1);
        for (std::size_t k : {1u, 3u}) {
            matrix const c = xt::reshape_view(ramp(n * k, 0.2), {n, k}), r = xt::reshape_view(ramp(n * k, 0.2), {k, n});
            auto f = [](auto const& x, auto const& y) { auto h = x * y; return sum(h * h + exp(y)) + sum(x); };
            auto plain = [](matrix const& x, auto const& y) { matrix h = x * y; return xt::sum(h * h + xt::exp(y))() + xt::sum(x)(); };
            BOOST_TEST_CONTEXT("n = " << n << ", k = " << k) {
                agree(f, plain, r, v);
                agree(f, plain, c, matrix(xt::reshape_view(v, {n, std::size_t(1)})));
            }
        }
    }
}
BOOST_AUTO_TEST_CASE(floats) {
    for (std::size_t n = 0; n <= 40; ++n) {
        xt::xtensor<float, 1> const x = ramp(n, -0.5), b = ramp(n, 0.1);
        BOOST_TEST_CONTEXT("n = " << n)
        agree(
            [](auto const& u, auto const& v) {
                auto h = tanh(u) * v;
                return sum(h * u);
            },
            [](vector const& u, vector const& v) { return xt::sum(xt::tanh(u) * v * u)(); }, x, b);
    }
}
