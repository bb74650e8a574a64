// error: xgrad[E187]: a specialisation of parts<P> requires identity
#ifdef XGRAD_MUST_FAIL
#define LACKING 3
#else
#define LACKING 0
#endif
#include "lacking_parts.hpp"
