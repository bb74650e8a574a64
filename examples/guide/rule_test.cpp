// options: -O0
// The test of docs/writing_rules.md: rules are checked by Boost.Test.
#define BOOST_TEST_MODULE rules
#include <boost/test/included/unit_test.hpp>

#include <xgrad/boost_test.hpp>
#include <xgrad/xgrad.hpp>

struct cube_op { static constexpr char const* name = "cube(x)"; auto operator()(auto const& x) const { return x * x * x; } };
template <> inline constexpr auto xgrad::partials<cube_op> = [](auto, auto x) { return partial(literal(x, 3.0) * x * x); };

BOOST_AUTO_TEST_CASE(cube_and_its_derivatives) {
    for (double x : {-1.5, 0.0, 2.0}) XGRAD_CHECK_RULE(cube_op{}, x);
}
BOOST_AUTO_TEST_CASE(a_reproducible_check_without_second_derivatives) {
    XGRAD_CHECK_REPORT(xgrad::check_rule<xgrad::rule_checks{.second_order = false}>(xgrad::rule_options{.seed = 7}, cube_op{}, 0.5));
}
