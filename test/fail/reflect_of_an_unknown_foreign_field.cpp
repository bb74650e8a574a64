// error: xgrad[E118]
#include <xgrad/tangent/tangent_type.hpp>

namespace lib { struct line { double a, b; }; }
#ifdef XGRAD_MUST_FAIL
XGRAD_REFLECT_FOREIGN(lib::line, a, bb)
#else
XGRAD_REFLECT_FOREIGN(lib::line, a, b)
#endif
using type = xgrad::tangent_type_t<lib::line>;
