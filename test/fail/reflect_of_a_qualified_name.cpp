// error: xgrad[E119]
#include <xgrad/tangent/tangent_type.hpp>

namespace lib { struct line { double a, b; }; }
#ifdef XGRAD_MUST_FAIL
XGRAD_REFLECT(lib::line, a, b)
#else
XGRAD_REFLECT_FOREIGN(lib::line, a, b)
#endif
