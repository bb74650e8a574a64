// error: xgrad[E187]: a specialisation of parts<P> requires a member template rebind
#ifdef XGRAD_MUST_FAIL
#define LACKING 2
#else
#define LACKING 0
#endif
#include "lacking_parts.hpp"
