// error: xgrad[E050]: jvp\(f, primals, tangents\) requires tangents of the types tangent_type_t<X>
#include <xgrad/xgrad.hpp>

struct model {
    double scale;
    int count;
};
XGRAD_REFLECT(model, scale, count)

auto f = [](auto const& m) { return m.scale * m.scale; };
#ifdef XGRAD_MUST_FAIL
auto y = xgrad::jvp(f, std::tuple(model{1.0, 2}), std::tuple(model{1.0, 0}));
#else
auto y = xgrad::jvp(f, std::tuple(model{1.0, 2}), std::tuple(xgrad::tangent<model>{1.0}));
#endif
