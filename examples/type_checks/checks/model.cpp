// What the network's tangent is, and that the functions can be differentiated.
#include <type_traits>

#include <model.hpp>

static_assert(xgrad::check_tangent_types<layer, xgrad::tangent<layer>>());
static_assert(xgrad::check_tangent_types<network>());
using gradient = xgrad::tangent<network>;
static_assert(std::is_same_v<decltype(gradient::scale), double>);
static_assert(std::is_same_v<decltype(gradient::hidden), xgrad::tangent<layer>>);
static_assert(xgrad::absent<decltype(gradient::name)> && xgrad::absent<decltype(gradient::epochs)>);
// numbers travel by value, arrays have an address that is added to
static_assert(std::is_same_v<decltype(xgrad::rdata<network>::scale), double>);
static_assert(xgrad::is_shadow_ref<decltype(xgrad::fdata<layer>::weights)>);

static_assert(xgrad::differentiable<network>);
static_assert(xgrad::has_rrule<safe_length, double>);
static_assert(xgrad::check_types<decltype(loss), network, xt::xtensor<double, 1>>());
static_assert(xgrad::check_types<safe_length, double>());
