// A reduction of one's own whose line_rule lacks the member of this number, or none where it is 0.
#pragma once

#include <xgrad/xgrad.hpp>

struct squares_op {
    static constexpr char const* name = "squares(x)";
};
template <>
struct xgrad::line_rule<squares_op> {
#if LACKING != 1
    static constexpr bool reduces = true;
#endif
#if LACKING != 2
    template <class T>
    static T value(squares_op, line<T const> const& x) {
        return fold(x, T(0), [](auto const& v) { return v * v; }, [](auto const& a, auto const& b) { return a + b; });
    }
#endif
#if LACKING != 3
    template <class T>
    static void pullback(squares_op, line<T> const& xbar, bool add, T const& ybar, T const&, line<T const> const& x) {
        transform(xbar, add, [&](auto const& v) { return v * like(v, T(ybar + ybar)); }, x);
    }
#endif
};
auto squares = [](auto const& x) { return sum(xgrad::reduce_with(squares_op{}, x, 1)); };
auto g = xgrad::gradient(squares, xt::xtensor<double, 2>{{1.0, 2.0}});
