// check_types and the concepts: functions without a rule, with one, and operations by their partials.
#include "../rule/rules.hpp"

using namespace rules;

struct model {
    xt::xtensor<double, 2> weights;
    double offset;
    int epochs;
};
XGRAD_REFLECT(model, weights, offset, epochs)

inline constexpr auto loss = [](auto const& m, auto const& x) { return sum(square(m.weights * x)) + m.offset; };
inline constexpr auto declared = [](auto const& m) -> xgrad::real { return m.offset * m.offset; };

static_assert(xgrad::check_types<decltype(loss), model, xt::xtensor<double, 1>>());
static_assert(xgrad::check_types<decltype(declared), model>());
static_assert(xgrad::check_types<scaled, double, vector>());
static_assert(xgrad::check_types<multiply_in_place, vector, vector, vector, vector>());
static_assert(xgrad::check_types<steeper, line, double>());
static_assert(xgrad::check_types<count_positive, vector>());
static_assert(xgrad::check_types<xgrad::op::pow, double, double>());

static_assert(xgrad::differentiable<model> && !xgrad::differentiable<int>);
static_assert(xgrad::has_rrule<steeper, line, double> && !xgrad::has_frule<steeper, line, double>);
static_assert(!xgrad::has_rrule<steeper, double, line> && !xgrad::has_rrule<decltype(loss), model, vector>);
static_assert(std::is_same_v<xgrad::rule_value_t<steeper, line, double>, std::tuple<line, double>>);
