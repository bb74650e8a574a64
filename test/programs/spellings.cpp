// Functions are spelled unqualified, with xgrad:: or with xt::, and mean the same.
#include <cmath>

#include "against_differences.hpp"

using programs::agree;

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
matrix const m = 0.1 * xt::reshape_view(xt::arange<double>(1, 7), {2, 3});
auto const plain_sum = [](matrix const& x) { return xt::sum(x * x)(); };
}

BOOST_AUTO_TEST_CASE(a_sum_in_every_spelling) {
    agree([](auto const& x) { auto h = x * x; return sum(h); }, plain_sum, m);
    agree([](auto const& x) { auto h = x * x; return xt::sum(h); }, plain_sum, m);
    agree([](auto const& x) { auto h = x * x; return xgrad::sum(h); }, plain_sum, m);
    agree([](auto const& x) { using xt::sum; return sum(x * x); }, plain_sum, m);
    agree([](auto const& x) { using xgrad::sum; return sum(x * x); }, plain_sum, m);
    agree([](auto const& x) { using namespace xt; return sum(x * x); }, plain_sum, m);
    agree([](auto const& x) { using namespace xgrad; return sum(x * x); }, plain_sum, m);
    agree([](auto const& x) { using namespace xt; using namespace xgrad; auto const h = x * x; return sum(h); }, plain_sum, m);
    agree([](auto x) { return xt::sum(xt::square(x))(); }, plain_sum, m);
    // plain arrays go on as before
    {
        using namespace xgrad;
        vector const p{1, 2};
        BOOST_CHECK_EQUAL(sum(p)(), 3.0);
        BOOST_CHECK_EQUAL(xt::mean(p)(), 1.5);
        BOOST_CHECK_EQUAL(xt::sum(m, {0}, xt::keep_dims).dimension(), 2u);
    }
}

BOOST_AUTO_TEST_CASE(axes_in_every_spelling) {
    auto plain = [](matrix const& x) { vector s = xt::sum(x * x, {0}); return xt::sum(s * s)(); };
    agree([](auto const& x) { auto s = sum(x * x, 0); return sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = xt::sum(x * x, 0u); return xt::sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = xt::sum(x * x, {0}); return xt::sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = sum(x * x, {-2}); return sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = sum(x * x, std::array<std::size_t, 1>{0}); return sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = sum(x * x, std::vector<int>{0}); return sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = sum(x * x, 0, xt::keep_dims); return sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = xt::sum(x * x, {0}, xt::keep_dims); return sum(s * s); }, plain, m);
    agree([](auto const& x) { auto s = sum(x * x, xt::keep_dims); return sum(s * s); }, [](matrix const& x) { double s = xt::sum(x * x)(); return s * s; }, m);
    agree([](auto const& x) { auto s = mean(x * x, {0, 1}, xt::keep_dims); return sum(s * s) + xt::mean(x) + mean(mean(x, 1)); },
          [](matrix const& x) { double s = xt::mean(x * x)(); return s * s + 2 * xt::mean(x)(); }, m);
}

BOOST_AUTO_TEST_CASE(every_function_of_scalars) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), return exp(x) + xt::log(y) + xgrad::sqrt(x * y) + sin(x) * xt::cos(y) + tanh(x - y) + pow(x, y) +
                                                                square(x) - abs(x - y) + maximum(x, y) * minimum(x, y);),
        [](double x, double y) {
            return std::exp(x) + std::log(y) + std::sqrt(x * y) + std::sin(x) * std::cos(y) + std::tanh(x - y) + std::pow(x, y) + x * x - std::abs(x - y) +
                   x * y;
        },
        0.7, 1.3);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), using std::exp; using std::abs; using std::pow;
                         return exp(x) * abs(-x) + pow(y, 2.0) + pow(2.0, x) - +x / -y;),
        [](double x, double y) { return std::exp(x) * x + y * y + std::pow(2, x) + x / y; }, 0.7, 1.3);
}

BOOST_AUTO_TEST_CASE(every_function_of_arrays) {
    auto plain = [](matrix const& x, vector const& y) {
        return xt::sum(xt::exp(x) + xt::log(y) + xt::sqrt(x * y) + xt::sin(x) * xt::cos(y) + xt::tanh(x - y) + xt::pow(x, y) + xt::square(x) - xt::abs(x - y) +
                       xt::maximum(x, y) * xt::minimum(x, y) - x / y)();
    };
    vector const v{1.1, 0.33, 0.77};
    agree(
        [](auto const& x, auto const& y) {
            return sum(exp(x) + log(y) + sqrt(x * y) + sin(x) * cos(y) + tanh(x - y) + pow(x, y) + square(x) - abs(x - y) + maximum(x, y) * minimum(x, y) +
                       -x / y);
        },
        plain, m, v);
    agree([](auto const& x, auto const& y) {
              using namespace xt;
              auto p = exp(x) + log(y) + xt::sqrt(x * y) + xt::sin(x) * xt::cos(y);
              auto q = xt::tanh(x - y) + xt::pow(x, y) + xt::square(x) - xt::abs(x - y);
              auto r = xt::maximum(x, y) * xt::minimum(x, y) - x / y;
              return sum(p + q + r);
          }, plain, m, v);
}

BOOST_AUTO_TEST_CASE(conventions_at_special_points) {
    auto d = [](auto f, double x) { return std::get<0>(xgrad::gradient(f, x)); };
    BOOST_CHECK_EQUAL(d([](auto const& x) { return abs(x); }, 0.0), 0.0);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return maximum(x, 1.0); }, 1.0), 0.5);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return maximum(x, x); }, 1.0), 1.0);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return minimum(2.0, x); }, 2.0), 0.5);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return pow(x, 0.0); }, 0.0), 0.0);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return pow(x, 1.0); }, 0.0), 1.0);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return pow(x, 2.0); }, 0.0), 0.0);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return pow(0.0, x); }, 2.0), 0.0);
    BOOST_CHECK_EQUAL(d([](auto const& x) { return pow(x, 2.0); }, -3.0), -6.0);
}

BOOST_AUTO_TEST_CASE(the_type_of_the_result) {
    agree([](auto const& x) { return xt::sum<double>(x * x) + xt::prod<double>(x) + xgrad::mean<double>(x) + xt::amax<double>(x) * xt::amin<double>(x); },
          [](matrix const& x) {
              return xt::sum<double>(x * x)() + xt::prod<double>(x)() + xt::mean<double>(x)() + xt::amax<double>(x)() * xt::amin<double>(x)();
          },
          m);
    agree(
        [](auto const& x) {
            return sum(square(xt::sum<double>(x, {0}) * xt::mean<double>(x, 0) + xt::sum<double>(x, 0, xt::keep_dims))) +
                   xt::average<double>(x) * xt::nansum<double>(x) * xt::nanmean<double>(x, {0, 1});
        },
        [](matrix const& x) {
            vector const s = xt::sum<double>(x, {0});
            vector const a = xt::mean<double>(x, {0});
            return xt::sum(xt::square(s * a + s))() + xt::mean(x)() * xt::sum(x)() * xt::mean(x)();
        },
        m);
    // along axes plain xtensor's read what is gone
    auto spread = [](auto const& a, auto const& b) { return (a - b) * (a - b) / 4; };
    agree(
        [](auto const& x) {
            return xt::variance<double>(x, {0, 1}) + xt::stddev<double>(x) * xt::variance<double>(x, 1) +
                   sum(xt::stddev<double>(x, {0}) * xt::variance<double>(x, {0}, 1));
        },
        [&](matrix const& x) {
            double s = xt::variance(x)() + xt::stddev(x)() * xt::variance(x)() * 1.2;
            for (std::size_t k = 0; k < 3; ++k) s += std::sqrt(spread(x(0, k), x(1, k))) * 2 * spread(x(0, k), x(1, k));
            return s;
        },
        m);
    agree(
        [](auto const& x) {
            return sum(square(xt::cumsum<double>(x))) + sum(xt::cumprod<double>(x, 1)) + sum(xt::average<double>(x, x, 1)) + xt::average<double>(x, x);
        },
        [](matrix const& x) {
            vector const n = xt::sum(x * x, {1}), d = xt::sum(x, {1});
            double s = 0, squares = 0, products = 0;
            for (double v : x) s += v, squares += s * s;
            for (std::size_t i = 0; i < 2; ++i) products += x(i, 0) + x(i, 0) * x(i, 1) + x(i, 0) * x(i, 1) * x(i, 2);
            return squares + products + xt::sum(n / d)() + xt::sum(x * x)() / xt::sum(x)();
        },
        m);
}
