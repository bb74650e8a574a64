// error: xgrad[E030]: gradient\(f, x...\) requires arguments that have a tangent
#include <model.hpp>

// Without XGRAD_MUST_FAIL this file must compile, with it the compiler must say what the first line says.
#ifdef XGRAD_MUST_FAIL
static_assert(xgrad::check_types<decltype(loss), network, int>());
#else
static_assert(xgrad::check_types<decltype(loss), network, double>());
#endif
