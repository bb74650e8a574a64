// error: xgrad[E188]: reduce_with\(op, x, axes\) requires a line_rule with a value
#ifdef XGRAD_MUST_FAIL
#define LACKING 2
#else
#define LACKING 0
#endif
#include "lacking_line_rule.hpp"
