// error: xgrad[E123]
#include <xgrad/tangent/tangent_type.hpp>

template <class T>
struct line { T a, b; };
#ifdef XGRAD_MUST_FAIL
XGRAD_REFLECT(line, a, b)
#else
XGRAD_REFLECT_TEMPLATE((class T), (line<T>), a, b)
#endif
