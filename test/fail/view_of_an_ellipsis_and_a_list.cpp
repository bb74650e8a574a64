// error: xgrad[E070]: view\(x, slices...\) requires either xt::ellipsis or lists of indices
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return sum(view(x, xt::ellipsis(), xt::keep(0, 1)));
#else
    return sum(view(x, xt::all(), xt::keep(0, 1)));
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}});
