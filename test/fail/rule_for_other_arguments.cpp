// error: xgrad[E042]: check_types<F, X...> requires a rule<F> that takes these arguments
#include "../rule/rules.hpp"

#ifdef XGRAD_MUST_FAIL
static_assert(xgrad::check_types<rules::scaled, rules::vector, double>());
#else
static_assert(xgrad::check_types<rules::scaled, double, rules::vector>());
#endif
