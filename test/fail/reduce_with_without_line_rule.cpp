// error: xgrad[E188]: reduce_with\(op, x, axes\) requires a specialisation of xgrad::line_rule
#include <xgrad/xgrad.hpp>

struct unknown_op {
    static constexpr char const* name = "unknown(x)";
};
xt::xtensor<double, 1> const x{1.0, 2.0};
auto y = xgrad::reduce_with(xgrad::op::sum{}, x);
#ifdef XGRAD_MUST_FAIL
auto z = xgrad::reduce_with(unknown_op{}, x);
#endif
