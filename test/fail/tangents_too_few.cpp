// error: xgrad[E051]: jvp\(f, primals, tangents\) requires one tangent for each primal
#include <xgrad/xgrad.hpp>

auto f = [](auto const& a, auto const& b) { return a * b; };
#ifdef XGRAD_MUST_FAIL
auto y = xgrad::jvp(f, std::tuple(1.0, 2.0), std::tuple(1.0));
#else
auto y = xgrad::jvp(f, std::tuple(1.0, 2.0), std::tuple(1.0, 0.0));
#endif
