// Absolute values, the greater and the lesser, clipping, rounding.
#include "rows.hpp"

using namespace rows;

namespace {
template <class T>
T sign(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; }
template <class T>
T nan_to_num(T x) { return std::isnan(x) ? T(0) : std::isinf(x) ? std::copysign(std::numeric_limits<T>::max(), x) : x; }
template <class T>
T fdim(T a, T b) { return a <= b ? T(0) : a - b; }
template <class T>
T clip(T x, T low, T high) {
    T const y = x < low ? low : x;
    return high < y ? high : y;
}
}

BOOST_AUTO_TEST_CASE(absolute_values) {
    ROW(abs, 0.1, 20, {{{0}, {0}}, {{-0.0}, {0}}, {{-3}, {-1}}, {{-infinity}, {-1}}, {{not_a_number}, {not_a_number}}}, {});
    ROW(fabs, -20, -0.1, {{{0}, {0}}}, {});
    ROW_OF(sign, sign(x), 0.1, 9, {{{0}, {0}}, {{-2}, {0}}}, {});
    ROW_OF(nan_to_num, nan_to_num(x), -9, 9, {{{not_a_number}, {0}}, {{infinity}, {0}}, {{-infinity}, {0}}, {{3}, {1}}}, {.in_own_type = true});
}
BOOST_AUTO_TEST_CASE(greater_and_lesser) {
    std::vector<slope<2>> greater{{{2, 2}, {0.5, 0.5}}, {{3, 2}, {1, 0}}, {{2, 3}, {0, 1}}, {{infinity, 1}, {1, 0}}};
    std::vector<slope<2>> lesser{{{2, 2}, {0.5, 0.5}}, {{3, 2}, {0, 1}}, {{2, 3}, {1, 0}}, {{infinity, 1}, {0, 1}}};
    auto greater_of_numbers = greater, lesser_of_numbers = lesser;
    for (auto* s : {&greater, &lesser}) {
        // a NaN has a NaN for its derivative
        s->push_back({{not_a_number, 2}, {not_a_number, not_a_number}});
        s->push_back({{2, not_a_number}, {1, 0}});
    }
    ROW2(maximum, a < b ? b : a, 1, 5, 6, 9, greater, {.special = false});
    ROW2(minimum, b < a ? b : a, 1, 5, 6, 9, lesser, {.special = false});
    for (auto* s : {&greater_of_numbers, &lesser_of_numbers}) {
        s->push_back({{not_a_number, 2}, {0, 1}});
        s->push_back({{2, not_a_number}, {1, 0}});
        s->push_back({{not_a_number, not_a_number}, {not_a_number, not_a_number}});
    }
    // which of two zeros is the greater is not said
    ROW2(fmax, std::fmax(a, b), 1, 5, 6, 9, greater_of_numbers, {.special = false});
    ROW2(fmin, std::fmin(a, b), 1, 5, 6, 9, lesser_of_numbers, {.special = false});
    ROW2(fdim, fdim(a, b), 6, 9, 1, 5,
         {{{2, 2}, {0.5, -0.5}}, {{1, 2}, {0, 0}}, {{infinity, infinity}, {0.5, -0.5}}, {{1, not_a_number}, {not_a_number, not_a_number}}}, {});
}
BOOST_AUTO_TEST_CASE(clipping) {
    auto const f = [](auto const& x, auto const& low, auto const& high) {
        if constexpr ((xgrad::active<decltype(x)> || xgrad::active<decltype(low)> || xgrad::active<decltype(high)>))
            return xgrad::elementwise<xgrad::op::clip>(x, low, high);
        else return xgrad::op::clip{}(x, low, high);
    };
    ROW_BY(clip, f, [](auto x, auto low, auto high) { return clip(x, low, high); }, box<3>{{{2, 3}, {0, 1}, {4, 5}}},
           {{{0, 1, 2}, {0, 1, 0}},
            {{3, 1, 2}, {0, 0, 1}},
            {{1, 1, 2}, {1, 0, 0}},
            {{2, 1, 2}, {1, 0, 0}},
            {{0, 3, 2}, {0, 0, 1}},
            {{9, 3, 2}, {0, 0, 1}},
            {{infinity, 1, 2}, {0, 0, 1}},
            {{-infinity, 1, 2}, {0, 1, 0}},
            {{not_a_number, 1, 2}, {not_a_number, 0, not_a_number}}});
}
BOOST_AUTO_TEST_CASE(rounding) {
    ROW(floor, 1.1, 1.9, {{{2}, {0}}, {{-0.5}, {0}}}, {});
    ROW(ceil, 1.1, 1.9, {{{2}, {0}}}, {});
    ROW(trunc, 1.1, 1.9, {{{-2}, {0}}}, {});
    ROW(round, 1.6, 2.4, {{{2.5}, {0}}}, {});
    ROW(nearbyint, 1.6, 2.4, {{{2.5}, {0}}}, {});
    ROW(rint, 1.6, 2.4, {{{2.5}, {0}}}, {});
}
