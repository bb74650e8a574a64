// error: xgrad[E141]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
    xgrad::variable u = x;
#ifdef XGRAD_MUST_FAIL
    xt::take(u, {0, 1}) = xt::take(u, {1, 2});
#else
    xt::index_view(u, {{0}, {1}}) = xt::index_view(u, {{1}, {2}});
#endif
    return sum(u);
};

auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0, 3.0});
