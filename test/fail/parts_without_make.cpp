// error: xgrad[E187]: a specialisation of parts<P> requires make
#ifdef XGRAD_MUST_FAIL
#define LACKING 6
#else
#define LACKING 0
#endif
#include "lacking_parts.hpp"
