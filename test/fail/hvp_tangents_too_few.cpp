// error: xgrad[E055]: hvp\(f, primals, tangents\) requires one tangent for each primal
#include <xgrad/hvp.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& a, auto const& b) { return a * a * b; };
#ifdef XGRAD_MUST_FAIL
auto y = xgrad::hvp(f, std::tuple(1.0, 2.0), std::tuple(1.0));
#else
auto y = xgrad::hvp(f, std::tuple(1.0, 2.0), std::tuple(1.0, 0.0));
#endif
