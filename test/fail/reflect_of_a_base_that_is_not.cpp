// error: xgrad[E158]
#include <xgrad/tangent/tangent_type.hpp>

struct base { double a; };
#ifndef XGRAD_MUST_FAIL
XGRAD_REFLECT(base, a)
#endif
struct line : base { double b; };
XGRAD_REFLECT_DERIVED(line, (base), b)

using type = xgrad::tangent_type_t<line>;
