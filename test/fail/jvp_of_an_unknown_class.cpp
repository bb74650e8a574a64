// error: xgrad[E001]
#include <xgrad/xgrad.hpp>

class ring {
    double a;

public:
    explicit ring(double x) : a(x) {}
    friend ring operator*(ring x, ring y) { return ring(x.a * y.a); }
#ifndef XGRAD_MUST_FAIL
    XGRAD_REFLECT_INSIDE(ring, a)
#endif
    static auto square(auto const& x) { return x.a * x.a; }
};
auto f = [](auto const& x) { return ring::square(x); };
#ifdef XGRAD_MUST_FAIL
auto y = xgrad::jvp(f, ring(1.0), ring(1.0));
#else
auto y = xgrad::jvp(f, ring(1.0), xgrad::zero_tangent(ring(1.0)));
#endif
