// error: xgrad[E187]: a specialisation of parts<P> requires may_collapse
#ifdef XGRAD_MUST_FAIL
#define LACKING 4
#else
#define LACKING 0
#endif
#include "lacking_parts.hpp"
