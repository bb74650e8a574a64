// error: xgrad[E090]: check_rule\(f, x...\) requires an argument that has a derivative
#include <xgrad/check_rule.hpp>

auto multiply = [](auto const& x, auto const& n) { return x * n; };
#ifdef XGRAD_MUST_FAIL
auto report = xgrad::check_rule(multiply, xgrad::constant(2.0), xgrad::constant(3));
#else
auto report = xgrad::check_rule(multiply, 2.0, 3.0);
#endif
