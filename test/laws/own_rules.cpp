// check_rule passes xgrad's own rules: a line for each scalar operation, with points of its domain, and a line for each operation on arrays.
#include <array>
#include <initializer_list>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/boost_test.hpp>
#include <xgrad/special.hpp>
#include <xgrad/xgrad.hpp>

namespace ours = xgrad::op;
using xgrad::check_rule, xgrad::constant, xgrad::rule_checks;

namespace {

template <class Op>
void holds(std::initializer_list<double> points) {
    for (double x : points)
        BOOST_TEST_CONTEXT("at " << x) XGRAD_CHECK_RULE(Op{}, x);
}
template <class Op>
void holds_of_two(std::initializer_list<std::array<double, 2>> points) {
    for (auto [a, b] : points)
        BOOST_TEST_CONTEXT("at " << a << ", " << b) XGRAD_CHECK_RULE(Op{}, a, b);
}
template <class Op>
void holds_of_three(std::initializer_list<std::array<double, 3>> points) {
    for (auto [a, b, c] : points)
        BOOST_TEST_CONTEXT("at " << a << ", " << b << ", " << c) XGRAD_CHECK_RULE(Op{}, a, b, c);
}

}

BOOST_AUTO_TEST_CASE(arithmetic) {
    holds_of_two<ours::plus>({{1.5, -2}, {0, 3}});
    holds_of_two<ours::minus>({{1.5, -2}});
    holds_of_two<ours::times>({{1.5, -2}, {1e-8, 1e9}});
    holds_of_two<ours::divide>({{1.5, -2}, {-0.3, 1e-5}});
    holds<ours::negate>({1.5});
    holds<ours::square>({-1.5, 0});
    holds<ours::cube>({-1.5, 0});
    holds<ours::power<std::integral_constant<std::size_t, 5>>>({-1.5, 2});
    holds_of_three<ours::fma>({{1.5, -2, 0.3}});
    holds_of_two<ours::fmod>({{7.5, 2.2}});
    holds_of_two<ours::remainder>({{7.5, 2.2}});
    holds<ours::sqrt>({0.3, 1e6});
    holds<ours::cbrt>({0.3, -20});
    holds_of_two<ours::hypot>({{3, -4}, {0, 2}});
    holds_of_two<ours::pow>({{1.5, -2.5}, {20, 0.3}, {2, 0}, {1, 1}});
}
BOOST_AUTO_TEST_CASE(choices) {
    holds<ours::abs>({-3, 0.2});
    holds<ours::sign>({-3});
    holds<ours::floor>({1.4});
    holds<ours::ceil>({1.4});
    holds<ours::trunc>({1.4});
    holds<ours::round>({1.9});
    holds<ours::nearbyint>({1.9});
    holds<ours::rint>({1.9});
    holds_of_two<ours::maximum>({{1, 2}, {2, 1}});
    holds_of_two<ours::minimum>({{1, 2}});
    holds_of_two<ours::fmax>({{1, 2}});
    holds_of_two<ours::fmin>({{1, 2}});
    holds_of_two<ours::fdim>({{2, 1}, {1, 2}});
    holds_of_three<ours::clip>({{2.5, 1, 4}, {0.5, 1, 4}, {7, 1, 4}});
    holds<ours::nan_to_num>({1.4});
}
BOOST_AUTO_TEST_CASE(exponentials_and_logarithms) {
    holds<ours::exp>({-20, 0.5, 3});
    holds<ours::exp2>({0.5});
    holds<ours::expm1>({1e-5, 0.5});
    holds<ours::log>({1e-4, 0.5, 30});
    holds<ours::log2>({0.5});
    holds<ours::log10>({0.5});
    holds<ours::log1p>({1e-5, -0.5});
    holds<ours::sigmoid>({-9, 0.5});
    holds<ours::log1p_exp>({-9, 0.5});
    holds<ours::log1m_exp>({-9, -0.1});
    holds_of_two<ours::logaddexp>({{1, -2}, {1, 1}});
    holds_of_two<ours::xlogy>({{1.5, 0.3}, {0, 2}});
}
BOOST_AUTO_TEST_CASE(trigonometric_and_hyperbolic) {
    holds<ours::sin>({0.5, 30});
    holds<ours::cos>({0.5, 30});
    holds<ours::tan>({0.5});
    holds<ours::asin>({-0.6});
    holds<ours::acos>({-0.6});
    holds<ours::atan>({5});
    holds_of_two<ours::atan2>({{1, -2}, {-0.3, 0.1}});
    holds<ours::deg2rad>({5});
    holds<ours::rad2deg>({5});
    holds<ours::sinc>({0.4, 0});
    holds<ours::sinh>({0.5});
    holds<ours::cosh>({0.5});
    holds<ours::tanh>({0.5});
    holds<ours::asinh>({0.5});
    holds<ours::acosh>({1.7});
    holds<ours::atanh>({0.5});
}
BOOST_AUTO_TEST_CASE(special_functions) {
    holds<ours::erf>({0.5, -1.5});
    holds<ours::erfc>({0.5, 3});
    holds<ours::tgamma>({2.3});
    holds<ours::lgamma>({2.3});
    holds<ours::digamma>({2.3});
    XGRAD_CHECK_RULE(ours::polygamma{}, constant(2.0), 2.3);
}
BOOST_AUTO_TEST_CASE(in_float) {
    XGRAD_CHECK_RULE(ours::times{}, 1.5f, -2.0f);
    XGRAD_CHECK_RULE(ours::exp{}, 0.5f);
    XGRAD_CHECK_RULE(ours::atan2{}, 1.5f, -2.0f);
    XGRAD_CHECK_RULE(ours::tanh{}, 0.5L);
}
