// error: xgrad[E156]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return std::max(x, 0.0);
#else
    return max(x, 0.0);
#endif
};
auto g = xgrad::gradient(f, 2.0);
