// Trigonometric and hyperbolic functions, and their inverses.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <vector>

#include "rows.hpp"

using namespace rows;

namespace {

using both = std::tuple<double, float>;
constexpr wide pi = std::numbers::pi_v<wide>;
// reduced as the operation is, in long double
wide sinc(wide x) {
    if (x == 0) return 1;
    if (std::isinf(x)) return 0;
    wide const n = std::nearbyint(x), s = std::sin(pi * (x - n));
    return (std::fmod(n, 2) == 0 ? s : -s) / (pi * x);
}

}

BOOST_AUTO_TEST_CASE(trigonometric) {
    ROW(sin, -20, 20, {{{0}, {1}}}, {});
    ROW(cos, -20, 20, {{{0}, {0}}}, {});
    ROW(tan, -1.4, 1.4, {}, {});
    ROW(asin, -0.95, 0.95, {{{1}, {infinity}}, {{-1}, {infinity}}}, {});
    ROW(acos, -0.95, 0.95, {{{1}, {-infinity}}}, {});
    ROW(atan, -20, 20, {{{infinity}, {0}}}, {});
    ROW2(atan2, std::atan2(a, b), 0.1, 20, -20, 20, {{{1e300, 1e300}, {0.5e-300, -0.5e-300}}}, {});
}
// Next to multiples of pi / 2 nearly all digits of the argument are gone; far away packs take another way, lane by lane.
BOOST_AUTO_TEST_CASE_TEMPLATE(sine_and_cosine_of_packs, T, both) {
    using P = xgrad::pack_t<T, xgrad::lanes<T>>;
    auto at = [](T x) { return xgrad::load<T, xgrad::lanes<T>>(std::vector<T>(xgrad::lanes<T>, x).data()); };
    auto first = [](P const& y) {
        T all[xgrad::lanes<T>];
        xgrad::store<T, xgrad::lanes<T>>(all, y);
        return all[0];
    };
    auto check = [&](T x) {
        BOOST_CHECK_MESSAGE(ulps(first(xgrad::op::sin{}(at(x))), std::sin(wide(x))) <= 4, "sin(" << x << ")");
        BOOST_CHECK_MESSAGE(ulps(first(xgrad::op::cos{}(at(x))), std::cos(wide(x))) <= 4, "cos(" << x << ")");
    };
    for (int k = -700; k < 636000; k += k < 700 ? 3 : 997) {
        T const x = static_cast<T>(k * pi / 2);
        check(x);
        check(std::nextafter(x, T(0)));
        check(x + T(0.75));
    }
    for (T x : {T(9999), T(10001), T(999999), T(1000001), T(1e9), T(-1e15)}) check(x);
    BOOST_TEST(std::signbit(first(xgrad::op::sin{}(at(T(-0.0))))));
    for (T x : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
        BOOST_TEST(std::isnan(first(xgrad::op::sin{}(at(x)))));
        BOOST_TEST(std::isnan(first(xgrad::op::cos{}(at(x)))));
    }
    // one lane that is far away changes none beside it
    if constexpr (xgrad::lanes<T> != 1) {
        T mixed[xgrad::lanes<T>];
        std::fill_n(mixed, xgrad::lanes<T>, T(1.25));
        mixed[xgrad::lanes<T> - 1] = T(1e9);
        auto const y = xgrad::op::sin{}(xgrad::load<T, xgrad::lanes<T>>(mixed));
        BOOST_TEST(ulps(first(y), std::sin(wide(T(1.25)))) <= 4);
    }
}
BOOST_AUTO_TEST_CASE(angles) {
    ROW_OF(deg2rad, x * static_cast<decltype(x)>(pi) / 180, -400, 400, {}, {.in_own_type = true});
    ROW_OF(rad2deg, x * 180 / static_cast<decltype(x)>(pi), -9, 9, {}, {.in_own_type = true});
    ROW_OF(radians, x * static_cast<decltype(x)>(pi) / 180, -400, 400, {}, {.in_own_type = true});
    ROW_OF(degrees, x * 180 / static_cast<decltype(x)>(pi), -9, 9, {}, {.in_own_type = true});
}
BOOST_AUTO_TEST_CASE(sine_quotient) {
    ROW_OF_OURS(sinc, sinc(static_cast<wide>(x)), -0.9, 0.9, {{{0}, {0}}, {{1}, {-1}}, {{-2}, {-0.5}}, {{infinity}, {0}}}, {});
    ROW_OF_OURS(sinc, sinc(static_cast<wide>(x)), 3, 40, {}, {});
}
BOOST_AUTO_TEST_CASE(hyperbolic) {
    ROW(sinh, -5, 5, {}, {});
    ROW(cosh, -5, 5, {{{0}, {0}}}, {});
    ROW(tanh, -5, 5, {{{infinity}, {0}}, {{10}, {8.244614455767397e-09}}, {{-20}, {1.6993417021166355e-17}}, {{300}, {1.0601586212017243e-260}}}, {});
    ROW(asinh, -20, 20, {{{1e300}, {1e-300}}}, {});
    ROW(acosh, 1.1, 20, {{{1}, {infinity}}, {{1e300}, {1e-300}}}, {});
    ROW(atanh, -0.95, 0.95, {{{1}, {infinity}}}, {});
}
