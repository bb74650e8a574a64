// error: xgrad[E091]: check_rule\(f, x...\) requires arguments that own their numbers
#include <span>
#include <vector>

#include <xgrad/check_rule.hpp>

auto multiply = [](auto const& x) { return x[0] * x[1]; };
std::vector<double> two{1, 2};
#ifdef XGRAD_MUST_FAIL
auto report = xgrad::check_rule(multiply, std::span<double>(two));
#else
auto report = xgrad::check_rule(multiply, two);
#endif
