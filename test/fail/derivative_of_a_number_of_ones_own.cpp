// error: xgrad[E053]: jvp, vjp and jacobian require a function that computes its result from active values
#include <tuple>

#include <xgrad/xgrad.hpp>

struct ring {
    double a, b;
    friend ring operator*(ring x, ring y) { return {x.a * y.a, x.a * y.b + x.b * y.a}; }
};
XGRAD_REFLECT(ring, a, b)
auto times = [](auto const& x, auto const& y) { return std::tuple(x.a * y.a, x.a * y.b + x.b * y.a); };
ring const x{1.0, 2.0};
auto good = xgrad::jvp([](auto const& m) { return times(m, m); }, x, xgrad::zero_tangent(x));
#ifdef XGRAD_MUST_FAIL
auto bad = xgrad::jvp([](auto const& m) { return m * m; }, x, xgrad::zero_tangent(x));
#endif
