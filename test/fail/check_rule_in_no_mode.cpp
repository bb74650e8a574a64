// error: xgrad[E092]: check_rule<checks>\(f, x...\) requires .forward or .reverse
#include <xgrad/check_rule.hpp>

auto multiply = [](auto const& x) { return x * x; };
#ifdef XGRAD_MUST_FAIL
auto report = xgrad::check_rule<xgrad::rule_checks{.forward = false, .reverse = false}>(multiply, 2.0);
#else
auto report = xgrad::check_rule<xgrad::rule_checks{.forward = false}>(multiply, 2.0);
auto other_report = xgrad::check_rule<xgrad::rule_checks{.reverse = false}>(multiply, 2.0);
#endif
