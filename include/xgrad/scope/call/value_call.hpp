// Defines call_for_value: one call of a user's function with active arguments whose value alone is asked for.
#pragma once

#include <tuple>
#include <type_traits>

#include <xgrad/scope/call/call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The value alone: nothing goes backward.
template <class F, class... X>
auto call_for_value(F& f, workspace& w, X const&... x) {
    using result_type = std::remove_cvref_t<std::invoke_result_t<F&, detail::parameter_t<X, valued, identity_lift>...>>;
    using value_type = typename decltype(detail::find_call_value<identity_lift, result_type, X...>())::type;
    if constexpr (!detail::check_scalar_result<result_type>()) return value_type{};
    else
        return bound_call<valued, identity_lift, X...>().run(
            w, x..., static_cast<std::tuple<gradient_type_t<X>...>*>(nullptr), gradient_memory::own, nullptr,
            [&f](context& c, auto&&... h) XGRAD_DETAIL_LAMBDA { return detail::call_scalar<value_type, std::false_type>(f, c, h...); });
}

}
XGRAD_DETAIL_QUIET_END
