// error: xgrad[E141]
#include <xgrad/xgrad.hpp>

struct model { double a, b; };
XGRAD_REFLECT(model, a, b)
auto f = [](auto const& m) {
#ifdef XGRAD_MUST_FAIL
    auto next = m;
#else
    auto next = variables(m);
#endif
    next.b = m.a * m.b;
    return next.b;
};
auto g = xgrad::gradient(f, model{1.0, 2.0});
