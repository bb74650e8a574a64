// Defines value, gradient, value_and_gradient, add_gradient and prepare_gradient: derivatives of a scalar function by the reverse mode.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/call.hpp>
#include <xgrad/scope/call/call.hpp>
#include <xgrad/scope/arguments/callable_struct.hpp>
#include <xgrad/scope/call/check_call.hpp>
#include <xgrad/scope/call/prepared.hpp>
#include <xgrad/scope/call/value_call.hpp>
#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The value of a function and its gradient: a std::tuple with the tangent of each argument, no_tangent for constants.
template <class T, class... G>
struct value_with_gradient {
    T value{};
    std::tuple<G...> gradient{};  // braces of its own: not every type can be made of an empty list alone
};

namespace detail {
template <class F, class... X>
using call_of = gradient_call<std::remove_reference_t<F>, std::remove_cvref_t<X>...>;
template <class F, class... X>
using gradient_tuple = std::tuple<gradient_type_t<std::remove_cvref_t<X>>...>;

// A function that has a rule of its own for these arguments is differentiated by it.
template <class F, class... X>
concept ruled_function = !scalar_rule<std::remove_cvref_t<F>> && has_rrule<std::remove_cvref_t<F>, typename traits_of<X>::primal...>;
template <class F>
struct by_rule {
    F f;
    template <class... H>
    auto operator()(H const&... h) const {
        return call(f, h...);
    }
};
template <class F>
by_rule(F) -> by_rule<F>;
}

// In all of these f is called with handles of the arguments (handle_t), by lvalues. It is generic in its parameters and gives a scalar.
// A reflected struct f with a static template call(self, x...) is an argument, too, the first: f::call is given a handle of it, and the
// gradient begins with its tangent. Objects with several owners (std::shared_ptr, std::reference_wrapper) are one object wherever in the
// arguments they are met, and have one shadow, which the gradients share.

// f(x...) alone, a number: f is called with active values, but nothing goes backward. Throws what f throws, and std::invalid_argument for shapes that do not
// fit.
template <class F, class... X>
auto value(F&& f, X const&... x) {
    if constexpr (detail::callable_struct<F, X...>) return value(detail::body_of<std::remove_cvref_t<F>>{}, f, x...);
    else if constexpr (detail::ruled_function<F, X...>) return value(detail::by_rule{f}, x...);
    else if constexpr (detail::check_call_in<valued, detail::gradient_owner::caller, F, identity_lift, X...>()) {
        borrowed_workspace w;
        return call_for_value(f, w.get(), x...);
    } else return detail::refused_call<double>();
}

// f(x...) and the gradient with respect to every x that is not a constant, of the form of the arguments (sizes, keys, what is there).
// Throws what f throws, and std::invalid_argument for shapes that do not fit; then nothing has changed.
template <class F, class... X>
auto value_and_gradient(F&& f, X const&... x) {
    if constexpr (detail::callable_struct<F, X...>) return value_and_gradient(detail::body_of<std::remove_cvref_t<F>>{}, f, x...);
    else if constexpr (detail::ruled_function<F, X...>) return value_and_gradient(detail::by_rule{f}, x...);
    else if constexpr (detail::check_call<detail::gradient_owner::verb, F, identity_lift, X...>()) {
        borrowed_workspace w;
        detail::call_of<F, X...> call;
        value_with_gradient<typename detail::call_of<F, X...>::value_type, gradient_type_t<std::remove_cvref_t<X>>...> r{};
        r.value = call.run(f, w.get(), x..., &r.gradient, gradient_memory::own);
        return r;
    } else return detail::refused_call<value_with_gradient<double, detail::refused_gradient<X>...>>();
}

// The gradient alone, a std::tuple; the errors are those of value_and_gradient.
template <class F, class... X>
auto gradient(F&& f, X const&... x) {
    if constexpr (detail::callable_struct<F&, X...> || detail::ruled_function<F&, X...>) return value_and_gradient(f, x...).gradient;
    else if constexpr (detail::check_call<detail::gradient_owner::verb, F&, identity_lift, X...>()) return value_and_gradient(f, x...).gradient;
    else return detail::refused_call<std::tuple<detail::refused_gradient<X>...>>();  // one level less in errors
}

// Adds the gradient to the caller's own memory, a tuple as gradient(f, x...) gives it, of the arguments' forms. Gives f(x...).
// What does not own (P*, std::span, a view) has tangents of the same kind, which refer to shadows of the caller's.
// Throws std::invalid_argument where the forms differ, before anything has changed.
template <class... G, class F, class... X>
auto add_gradient(std::tuple<G...>& g, F&& f, X const&... x) {
    if constexpr (detail::callable_struct<F, X...>) return add_gradient(g, detail::body_of<std::remove_cvref_t<F>>{}, f, x...);
    else if constexpr (detail::ruled_function<F, X...>) return add_gradient(g, detail::by_rule{f}, x...);
    else if constexpr (detail::check_call<detail::gradient_owner::caller, F, identity_lift, X...>()) {
        static_assert(
            std::is_same_v<std::tuple<G...>, detail::gradient_tuple<F, X...>>,
            "xgrad[E036]: add_gradient(g, f, x...) requires for g a tuple of the arguments' tangents: begin with gradient(f, x...), or with zero_tangent of "
            "each argument");
        borrowed_workspace w;
        detail::call_of<F, X...> call;
        return call.run(f, w.get(), x..., &g, gradient_memory::add);
    } else return detail::refused_call<double>();
}

namespace detail {
// An argument of a prepared gradient: any constant of the same type will do, however it was spelled.
template <class X>
struct prepared_argument { using type = X; };
template <class P>
struct prepared_argument<constant_argument<P>> { using type = constant_argument<std::remove_cvref_t<P> const&>; };
}

// A gradient function that keeps its memory: called again with arguments of the same forms it allocates nothing, but for the handles of
// maps, which are made anew, and the table of shared objects. It serves one call at a time: one for each thread; a second call, inside the first or on another
// thread, throws std::logic_error (E222), as does that of one that was moved from (E212). A copy has f and no memory yet; a move takes the memory along.
// Several threads that share one call a gradient_pool (gradient_pool.hpp).
template <class F, class... X>
class prepared_gradient : public detail::prepared<F> {
    using call_type = detail::call_of<F, X...>;

public:
    using result_type = value_with_gradient<typename call_type::value_type, gradient_type_t<X>...>;
    using detail::prepared<F>::prepared;
    prepared_gradient(prepared_gradient const& o)
        requires std::is_copy_constructible_v<F>
        : detail::prepared<F>(o) {}
    prepared_gradient(prepared_gradient&&) = default;
    prepared_gradient& operator=(prepared_gradient&&) = default;
    ~prepared_gradient() = default;
    // A reference to this object's own {value, gradient}, valid until the next call; a part of it may be an argument of that: there are two of them, in turn.
    result_type& operator()(X const&... x) {
        detail::turn::taken const mine(this->turn_);
        // what the call before gave may be an argument of this one
        if ((this->is_part_of(results_[at_], x) || ...)) [[unlikely]] at_ = 1 - at_;
        result_type& r = results_[at_];
        r.value = call_.run(this->f_, this->workspace_, x..., &r.gradient, gradient_memory::own);
        return r;
    }
    result_type operator()(X const&...) const {
        detail::prepared<F>::template refuse_const<F>();
        return {};
    }

private:
    call_type call_;
    result_type results_[2]{};
    int at_ = 0;
};

// prepare_gradient(f, x...): the object for arguments like these; f is copied or moved into it, and called by its operator(). A struct with a call(self, x...)
// is an argument: what is prepared is called with it, g(f, x...). A call returns a reference to its own {value, gradient}, with the errors of
// value_and_gradient, and allocates nothing where the forms are those of the call before.
template <class F, class... X>
auto prepare_gradient(F&& f, X const&... x) {
    if constexpr (detail::callable_struct<F, X...>) return prepare_gradient(detail::body_of<std::remove_cvref_t<F>>{}, f, x...);
    else if constexpr (detail::ruled_function<F, X...>) return prepare_gradient(detail::by_rule{f}, x...);
    else if constexpr (detail::check_call<detail::gradient_owner::verb, F, identity_lift, X...>()) {
        prepared_gradient<std::remove_cvref_t<F>, typename detail::prepared_argument<std::remove_cvref_t<X>>::type...> g(std::forward<F>(f));
        ((void)x, ...);
        return g;
    }
}

// of_one_type(f): calls a `template <class T> T f(T, T)` with variables, one nominal type for every argument and result.
template <class F>
auto of_one_type(F f) {
    return [f = std::move(f)]<class... E>(E const&... e) { return f(variable(e)...); };
}

}
XGRAD_DETAIL_QUIET_END
