// check_rule finds each of a zoo of wrong rules, says where they are wrong, and passes those that are right.
#include "../count_allocations.hpp"
#include "wrong_rules.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

#include <xgrad/boost_test.hpp>

using namespace zoo;
using xgrad::check_rule, xgrad::rule_checks, xgrad::rule_options;

namespace {

vector const v{0.3, -0.7, 1.1}, w{1.2, 0.4, -0.5};
matrix const m{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};

std::size_t count() { return allocations; }

// The checks that found something, in their order.
std::string broken(xgrad::rule_report const& r) {
    std::string all;
    for (auto const& check : r.checked())
        if (r.broken(check)) all += (all.empty() ? "" : ", ") + check;
    return all;
}
bool says(xgrad::rule_report const& r, std::string const& text) { return r.text().find(text) != std::string::npos; }

template <mistake M>
xgrad::rule_report report_of() {
    return check_rule(scaled_square<M>{}, 1.5, v);
}

// The entries that a check names.
std::string entries(xgrad::rule_report const& r, std::string const& check) {
    std::string all;
    for (auto const& f : r.findings())
        if (f.check == check) all += (all.empty() ? "" : ", ") + f.entry;
    return all;
}

}

BOOST_AUTO_TEST_CASE(right_rules_pass) {
    XGRAD_CHECK_RULE(scaled_square<mistake::none>{}, 1.5, v);
    XGRAD_CHECK_RULE(times_equal<in_place::right>{}, v, w);
    XGRAD_CHECK_RULE(row_sums<false>{}, m);
    XGRAD_CHECK_RULE(right_cube{}, 0.7);
    XGRAD_CHECK_RULE(only_forward<true>{}, 0.7);
    XGRAD_CHECK_RULE(half_right{}, 0.7);
    auto const r = report_of<mistake::none>();
    BOOST_TEST(r.text().starts_with("the rule holds: value, repetition, restoring, jvp, gradient, convergence, dot product, accumulation\n"), r.text());
    BOOST_TEST(says(r, "not checked: the second order: the rule does not take duals"));
}
BOOST_AUTO_TEST_CASE(wrong_derivatives) {
    BOOST_TEST(broken(report_of<mistake::sign>()) == "jvp, gradient, convergence");
    BOOST_TEST(broken(report_of<mistake::forward>()) == "jvp, convergence, dot product");
    BOOST_TEST(broken(report_of<mistake::reverse>()) == "gradient, convergence, dot product");
    BOOST_TEST(broken(report_of<mistake::forgets_a>()) == "jvp, gradient, convergence");
    BOOST_TEST(entries(report_of<mistake::forgets_a>(), "gradient") == "x0");
    BOOST_TEST(broken(report_of<mistake::forgets_x_tangent>()) == "jvp, convergence, dot product");
    BOOST_TEST(broken(check_rule(wrong_cube{}, 0.7)) == "jvp, gradient, convergence, second order");
    BOOST_TEST(broken(check_rule(wrong_product{}, 0.7, 1.9)) == "jvp, gradient, convergence, second order");
    BOOST_TEST(broken(check_rule(half_right{}, -0.7)) == "jvp, gradient, convergence, second order");
    BOOST_TEST(broken(check_rule(only_forward<false>{}, 0.7)) == "jvp, convergence");
}
BOOST_AUTO_TEST_CASE(the_entry_is_named) {
    auto const r = report_of<mistake::one_entry>();
    BOOST_TEST(broken(r) == "gradient, convergence, dot product");
    BOOST_TEST(entries(r, "gradient") == "x1(2)");
    auto const nan = report_of<mistake::not_a_number>();
    BOOST_TEST(entries(nan, "gradient") == "x1(1)");
    BOOST_TEST(says(nan, "gradient: x1(1) is "));
    BOOST_TEST(entries(report_of<mistake::infinite>(), "jvp").starts_with("y(1) along x0, y(1) along x1(0)"));
    // among many numbers
    vector const many = xt::linspace<double>(0.5, 2.5, 500);
    BOOST_TEST(entries(check_rule(scaled_square<mistake::one_entry>{}, 1.5, many), "gradient").ends_with("x1(499)"));
    BOOST_TEST(broken(check_rule(scaled_square<mistake::none>{}, 1.5, many)) == "");
    auto const t = check_rule(row_sums<true>{}, m);
    BOOST_TEST(entries(t, "gradient") == "x0(0, 1), x0(1, 1)");
}
BOOST_AUTO_TEST_CASE(nearly_right_does_not_converge) {
    auto const r = report_of<mistake::one_sided>();
    BOOST_TEST(r.broken("convergence"), r.text());
    BOOST_TEST(says(r, "has order "));
    BOOST_TEST(says(r, "\n      step        difference             error      order\n"));
    // nor does what has a kink
    BOOST_TEST(!check_rule<rule_checks{.plain = false}>([](auto const& x) { return x * abs(x) + x; }, 0.0));
}
BOOST_AUTO_TEST_CASE(wrong_values) {
    auto const r = report_of<mistake::value>();
    BOOST_TEST(broken(r) == "value");
    BOOST_TEST(entries(r, "value").starts_with("y(0)"));
    BOOST_TEST(broken(check_rule(scaled_square<mistake::none>{}, 1.5, vector{1.0, std::nan(""), 2.0})) == "value");
}
BOOST_AUTO_TEST_CASE(wrong_forms) {
    auto const t = report_of<mistake::longer_tangent>();
    BOOST_TEST(broken(t).starts_with("repetition, jvp"));
    BOOST_TEST(says(t, "the tangent by frule has not the form of its value: "));
    BOOST_TEST(says(t, "(found (6) and (3))"), t.text());
    auto const c = report_of<mistake::longer_cotangent>();
    BOOST_TEST(c.broken("gradient"));
    BOOST_TEST(says(c, "the cotangent by rrule has not the form of its value: "));
}
BOOST_AUTO_TEST_CASE(values_of_two_types) { BOOST_TEST(broken(check_rule(two_types{}, 0.75)) == "types"); }
BOOST_AUTO_TEST_CASE(what_is_there_is_added_to) {
    auto const r = report_of<mistake::assigns>();
    BOOST_TEST(broken(r) == "accumulation");
    BOOST_TEST(entries(r, "accumulation") == "x1(0), x1(1), x1(2)");
    // an operation on whole arrays, by the engine
    constexpr rule_checks as_it_is{.plain = false};
    BOOST_TEST(broken(check_rule<as_it_is>([](auto const& x) { return xgrad::array_operation(doubled<true>{}, x); }, v)) == "");
    BOOST_TEST(broken(check_rule<as_it_is>([](auto const& x) { return xgrad::array_operation(doubled<false>{}, x); }, v)) == "accumulation");
}
BOOST_AUTO_TEST_CASE(what_is_changed_is_restored) {
    BOOST_TEST(broken(report_of<mistake::changes_x>()) == "restoring");
    // after the pullback, and before it
    BOOST_TEST(entries(report_of<mistake::changes_x>(), "restoring") == "x1, x1(0)");
    BOOST_TEST(broken(check_rule<rule_checks{.aliasing = false}>(times_equal<in_place::not_restored>{}, v, w)) == "restoring");
    BOOST_TEST(broken(check_rule(times_equal<in_place::drops_the_cotangent>{}, v, w)) == "accumulation");
    BOOST_TEST(broken(check_rule(times_equal<in_place::cotangent_of_before>{}, v, w)) == "accumulation");
    // the plain call does not change it
    BOOST_TEST(broken(report_of<mistake::changes_x_forward>()) == "restoring");
}
BOOST_AUTO_TEST_CASE(arguments_that_are_one_object) {
    auto const r = check_rule(times_equal<in_place::reads_what_it_changed>{}, v, w);
    BOOST_TEST(!r);
    for (auto const& f : r.findings()) BOOST_TEST(f.entry.find("(x1 is x0)") != std::string::npos, r.text());
    BOOST_TEST(broken(check_rule<rule_checks{.aliasing = false}>(times_equal<in_place::reads_what_it_changed>{}, v, w)) == "");
}
BOOST_AUTO_TEST_CASE(states) {
    BOOST_TEST(broken(report_of<mistake::first_call>()) == "repetition");
    BOOST_TEST(broken(report_of<mistake::pullbacks>()) == "repetition");
    int n = 0;
    auto const counts = [&n](auto const& x) { return sum(x * x) * static_cast<double>(++n); };
    BOOST_TEST(check_rule(counts, v).broken("repetition"));
}
BOOST_AUTO_TEST_CASE(second_derivatives) {
    BOOST_TEST(broken(check_rule(stopped_cube{}, 0.7)) == "second order");
    BOOST_TEST(broken(check_rule<rule_checks{.second_order = false}>(stopped_cube{}, 0.7)) == "");
    // of arrays
    BOOST_TEST(broken(check_rule(stopped_cube{}, v)) == "second order");
    BOOST_TEST(broken(check_rule(right_cube{}, v)) == "");
    BOOST_TEST(broken(check_rule(wrong_dual{}, 0.7)) == "second order");
}
BOOST_AUTO_TEST_CASE(derivatives_that_are_stopped) {
    constexpr rule_checks as_it_is{.plain = false};
    auto const r = check_rule<as_it_is>([](auto const& x) { return sum(x * xgrad::stop_gradient(x)); }, v);
    BOOST_TEST(broken(r) == "jvp, gradient, convergence, second order");
}
BOOST_AUTO_TEST_CASE(heap_allocations) {
    rule_options const counted{.allocations = count};
    // what the containers of xtensor take is not counted where it aligns them: so this rule counts itself
    rule_options const counts_itself{.allocations = [] { return static_cast<std::size_t>(calls); }};
    BOOST_TEST(broken(check_rule(counts_itself, scaled_square<mistake::allocates>{}, 1.5, v)) == "allocations");
    BOOST_TEST(broken(check_rule(counts_itself, scaled_square<mistake::none>{}, 1.5, v)) == "");
    BOOST_TEST(broken(check_rule(counted, right_cube{}, 0.7)) == "");
    BOOST_TEST(broken(check_rule(counted, right_cube{}, v)) == "");
    XGRAD_CHECK_RULE(rule_options{.seed = 5, .allocations = count}, right_cube{}, v);
}
BOOST_AUTO_TEST_CASE(what_is_thrown_is_reported) {
    auto const r = report_of<mistake::throws>();
    BOOST_TEST(r.broken("gradient"));
    BOOST_TEST(says(r, "threw: the pullback"));
}
