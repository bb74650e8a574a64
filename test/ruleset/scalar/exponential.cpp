// Exponentials, logarithms, and what is made of them.
#include "rows.hpp"

using namespace rows;

namespace {

template <class T>
T logaddexp(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (a == b) return a + std::log(T(2));
    return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}
template <class T>
T log1m_exp(T x) { return x > T(-0.7) ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }

}

BOOST_AUTO_TEST_CASE(exponentials) {
    // up to the last finite ones
    ROW(exp, -20, 20, {{{-infinity}, {0}}, {{709.7}, {1.6549840276802644e+308}}, {{infinity}, {infinity}}}, {});
    ROW(exp, 88, 88.7, {}, {.second = false, .tolerance = 1e-7});
    ROW(exp2, -20, 20, {{{1023}, {0.69314718055994530942 * 0x1p1023}}, {{1024}, {infinity}}}, {});
    ROW(expm1, -5, 10, {{{0}, {1}}}, {});
}
BOOST_AUTO_TEST_CASE(logarithms) {
    ROW(log, 0.01, 50, {{{0}, {infinity}}}, {});
    ROW(log2, 0.01, 50, {}, {});
    ROW(log10, 0.01, 50, {}, {});
    ROW(log1p, -0.9, 50, {{{0}, {1}}}, {});
}
BOOST_AUTO_TEST_CASE(without_overflow) {
    ROW_OF_OURS(sigmoid, x == x ? 1 / (1 + std::exp(-x)) : x, -15, 15, {{{-800}, {0}}, {{800}, {0}}}, {.special = false});
    ROW_OF_OURS(log1p_exp, std::log1p(std::exp(x)), -15, 15, {{{-800}, {0}}, {{800}, {1}}, {{0}, {0.5}}}, {.special = false});
    ROW_OF_OURS(log1m_exp, log1m_exp(x), -15, -0.01, {{{-infinity}, {0}}, {{0}, {-infinity}}, {{-0.0}, {-infinity}}, {{1}, {not_a_number}}}, {});
    ROW2_OF_OURS(
        logaddexp, logaddexp(a, b), -9, 9, -9, 9,
        {{{1, 1}, {0.5, 0.5}}, {{-infinity, 1}, {0, 1}}, {{infinity, infinity}, {0.5, 0.5}}, {{-infinity, -infinity}, {0.5, 0.5}}, {{800, -800}, {1, 0}}},
        {.near_zero = 2});
    ROW2_OF_OURS(xlogy, a == 0 ? 0 : a * std::log(b), 0.1, 9, 0.1, 9,
                 {{{0, 0}, {-infinity, 0}}, {{0, not_a_number}, {not_a_number, 0}}, {{3, 1}, {0, 3}}}, {.special = false});
}
BOOST_AUTO_TEST_CASE(of_plain_values) {
    xt::xtensor<double, 1> const x{-1.0, 2.0};
    BOOST_TEST(xgrad::sigmoid(0) == 0.5f);
    BOOST_TEST(xgrad::sigmoid(800.0) == 1.0);
    BOOST_TEST(xgrad::log1p_exp(800.0) == 800.0);
    BOOST_TEST(xt::eval(xgrad::log1p_exp(x))(1) == xgrad::log1p_exp(2.0));
    BOOST_TEST(xt::eval(xgrad::logaddexp(x, 1.0))(0) == xgrad::logaddexp(-1.0, 1.0));
    BOOST_TEST(xgrad::sinc(xt::xtensor<int, 1>{1, 0})(1) == 1.0f);
}
