// Comparisons as operations, and what joins them: of numbers, of packs lane by lane and of duals; without a derivative.
#include <boost/test/unit_test.hpp>

#include <limits>
#include <vector>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace {

template <class Op, class T, class... X>
void check(bool expected, X... x) {
    T const truth = expected ? T(1) : T(0);
    BOOST_TEST(Op{}(T(x)...) == truth);
    using P = pack_t<T, lanes<T>>;
    alignas(64) T y[lanes<T>];
    store_lanes<T, lanes<T>>(y, P(Op{}(broadcast_lanes<T, lanes<T>>(T(x))...)));
    for (T const v : y) BOOST_TEST(v == truth);
    auto const d = Op{}(dual<T>(T(x), T(2))...);
    BOOST_TEST(d.primal == truth);
    BOOST_TEST(d.tangent == T(0));
    auto const slopes = partials<Op>(truth, T(x)...);
    BOOST_TEST(partial_at<0>(slopes) == T(0));
    if constexpr (sizeof...(X) == 2) BOOST_TEST(partial_at<1>(slopes) == T(0));
}
template <class Op, class F, class... X>
void of_both(F f, X... x) {
    check<Op, double>(f(x...), x...);
    check<Op, float>(f(x...), x...);
}

}

BOOST_AUTO_TEST_CASE(of_every_order) {
    double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> const all{-infinity, -2, -0.0, 0.0, 0.5, 2, infinity, nan};
    for (double a : all)
        for (double b : all) {
            of_both<op::less>([](double v, double w) { return v < w; }, a, b);
            of_both<op::less_equal>([](double v, double w) { return v <= w; }, a, b);
            of_both<op::greater>([](double v, double w) { return v > w; }, a, b);
            of_both<op::greater_equal>([](double v, double w) { return v >= w; }, a, b);
            of_both<op::equal>([](double v, double w) { return v == w; }, a, b);
            of_both<op::not_equal>([](double v, double w) { return v != w; }, a, b);
        }
}

BOOST_AUTO_TEST_CASE(of_truths) {
    for (double a : {0.0, 1.0}) {
        of_both<op::logical_not>([](double v) { return !(v == 1); }, a);
        for (double b : {0.0, 1.0}) {
            of_both<op::logical_and>([](double v, double w) { return v == 1 && w == 1; }, a, b);
            of_both<op::logical_or>([](double v, double w) { return v == 1 || w == 1; }, a, b);
        }
    }
}
