// error: xgrad[E188]: reduce_with\(op, x, axes\) requires a line_rule with a pullback
#ifdef XGRAD_MUST_FAIL
#define LACKING 3
#else
#define LACKING 0
#endif
#include "lacking_line_rule.hpp"
