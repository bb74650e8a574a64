// Defines check_call: says what is wrong with a call of a verb in one sentence, before anything else can.
#pragma once

#include <type_traits>

#include <xgrad/scope/arguments/call_argument.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class F>
inline constexpr bool takes_plain_numbers = false;
template <class... P>
inline constexpr bool any_plain = ((std::is_arithmetic_v<std::remove_cvref_t<P>> || plain_array<P>) || ...);
template <class R, class... P>
inline constexpr bool takes_plain_numbers<R (*)(P...)> = any_plain<P...>;
template <class R, class... P>
inline constexpr bool takes_plain_numbers<R (*)(P...) noexcept> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...)> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...) const> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...) noexcept> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...) const noexcept> = any_plain<P...>;

template <class F>
consteval bool is_plain_function() {
    using G = std::remove_cvref_t<F>;
    if constexpr (std::is_function_v<G>) return takes_plain_numbers<std::decay_t<G>>;
    else if constexpr (std::is_pointer_v<G>) return takes_plain_numbers<G>;
    else if constexpr (requires { &G::operator(); }) return takes_plain_numbers<decltype(&G::operator())>;
    else return false;
}

// A view whose elements are at no regular distances.
struct is_scattered {
    template <class P>
    static consteval bool find() {
        if constexpr (number_array<P>) return !requires(P const& x) { x.strides(); x.data(); };
        else return false;
    }
    template <class P>
    static constexpr bool of = find<P>();
};

// An expression of arrays, not an array.
template <class P>
inline constexpr bool is_lazy = plain_array<P> && !has_parts<P>;

template <class X>
inline constexpr bool is_good_argument = traits_of<X>::is_constant || differentiable<typename traits_of<X>::primal>;
template <class X>
inline constexpr bool is_known_argument = traits_of<X>::is_constant || has_tangent_type<typename traits_of<X>::primal>;

// True if there is nothing wrong with f(x...).
template <class F, class L, class... X>
consteval bool check_call_with() {
    constexpr bool known = (is_known_argument<X> && ...);
    constexpr bool inside = (active<typename traits_of<X>::primal> || ...), lazy = (is_lazy<typename traits_of<X>::primal> || ...);
    if constexpr (inside) {
        static_assert(!inside, "xgrad[E047]: gradient(f, x...) requires plain arguments, but one is an active value of a gradient call around it: pass "
                               "xgrad::primal(x), which is a constant there, or give the inner function a rule and apply it by xgrad::call");
        return false;
    } else if constexpr (lazy) {
        static_assert(!lazy, "xgrad[E048]: gradient(f, x...) requires arrays, but one argument is an xtensor expression that is not evaluated yet: pass "
                             "xt::eval(x), or a named xt::xtensor");
        return false;
    } else if constexpr (!known) {
        (static_cast<void>(sizeof(gradient_type_t<X>)), ...);
        return false;
    } else {
        constexpr bool good = (is_good_argument<X> && ...);
        static_assert(good, "xgrad[E030]: gradient(f, x...) requires arguments that have a tangent, but an integer, a string and the like have none: wrap it "
                            "in xgrad::constant(x), or pass a floating-point number");
        constexpr bool scattered = (somewhere_in_argument<is_scattered, X> || ...);
        static_assert(!scattered, "xgrad[E039]: gradient(f, x...) requires views whose elements are at regular distances, but one has a list of indices: "
                                  "pass the array itself, and index it in f");
        if constexpr (!good || scattered) return false;
        else {
            constexpr bool plain = is_plain_function<F>() && (!traits_of<X>::is_constant && ...);
            static_assert(!plain, "xgrad[E031]: gradient(f, x...) requires a function that takes active values, but f takes plain numbers or arrays: take "
                                  "the parameters by auto (auto const& x)");
            if constexpr (plain) return false;
            else {
                constexpr bool callable = std::is_invocable_v<F&, parameter_t<X, counted, L>...>;
                static_assert(callable, "xgrad[E032]: gradient(f, x...) requires that f compiles when it is called with as many active arguments as are given, "
                                        "but it does not: an error in its body is the compiler's first error, above; if there is none, take them by auto "
                                        "const&, one parameter for each");
                return callable;
            }
        }
    }
}

template <class F, class... X>
consteval bool check_call() {
    return check_call_with<F, identity_lift, X...>();
}

// The same where the memory of the gradients is made by the call.
template <class F, class L, class... X>
consteval bool check_owning_call_with() {
    constexpr bool owning = !(somewhere_in_argument<is_borrowed, X> || ...);
    static_assert(owning, "xgrad[E038]: gradient(f, x...) requires arguments that own what they refer to, but a raw pointer, a span or a view does not, and "
                          "nobody would own its gradient: use add_gradient with tangents that refer to memory of your own, or pass the array itself");
    if constexpr (owning) return check_call_with<F, L, X...>();
    else return false;
}
template <class F, class... X>
consteval bool check_owning_call() {
    return check_owning_call_with<F, identity_lift, X...>();
}

}
XGRAD_DETAIL_QUIET_END
