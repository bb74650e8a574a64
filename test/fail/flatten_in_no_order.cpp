// error: xgrad[E064]: flatten\(x\) requires row-major or column-major order
#include <xgrad/shape.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return sum(xgrad::flatten<xt::layout_type::dynamic>(x));
#else
    return sum(xgrad::flatten<xt::layout_type::column_major>(x));
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}});
