// Defines check_call: says what is wrong with a call of a verb in one sentence, before anything else can.
#pragma once

#include <concepts>
#include <cstdlib>
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

// Stands beside f's own call operator and takes anything: where it is chosen, f takes another number of arguments, or refuses their types. Where the compiler
// finds an error in the body of f it is not, and one sentence follows what the compiler said.
struct anything_else {};
template <class F>
struct beside_operator : F {
    using F::operator();
    anything_else operator()(...) const;
};
template <class F>
struct function_to_ask { using type = F; };
template <class F>
    requires(std::is_class_v<F> && !std::is_final_v<F>)
struct function_to_ask<F> { using type = beside_operator<F>; };
template <class F>
    requires(std::is_class_v<F> && !std::is_final_v<F>)
struct function_to_ask<F const> { using type = beside_operator<F> const; };

// Who makes the memory of the gradients.
enum class gradient_owner { verb, caller };

// What a refused call seems to give, so that nothing more is said where it is used.
template <class X>
consteval auto find_refused_gradient() {
    if constexpr (!is_known_argument<X>) return type_tag<double>{};
    else if constexpr (!std::is_default_constructible_v<gradient_type_t<X>>) return type_tag<double>{};
    else return type_tag<gradient_type_t<X>>{};
}
template <class X>
using refused_gradient = typename decltype(find_refused_gradient<std::remove_cvref_t<X>>())::type;

// Of a refused call, which does not compile.
template <class T>
[[noreturn]] T refused_call() {
    std::abort();
}

// True if there is nothing wrong with f(x...), called with elements L, whose lifetime is M. All of it is one function, and requires-expressions ask whether f
// can be called: each level between the user's call and the body of f is a line or three in every error in that body.
template <class M, gradient_owner Owner, class F, class L, class... X>
consteval auto check_call_in() {
    constexpr bool owning = Owner == gradient_owner::caller || !(somewhere_in_argument<is_borrowed, X> || ...);
    constexpr bool known = (is_known_argument<X> && ...);
    constexpr bool inside = (active<typename traits_of<X>::primal> || ...), lazy = (is_lazy<typename traits_of<X>::primal> || ...);
    static_assert(owning, "xgrad[E038]: gradient(f, x...) requires arguments that own what they refer to, but a raw pointer, a span or a view does not, and "
                          "nobody would own its gradient: use add_gradient with tangents that refer to memory of your own, or pass the array itself");
    if constexpr (!owning) return false;
    else if constexpr (inside) {
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
        constexpr bool plain = is_plain_function<F>() && (!traits_of<X>::is_constant && ...);
        static_assert(!plain, "xgrad[E031]: gradient(f, x...) requires a function that takes active values, but f takes plain numbers or arrays: take "
                              "the parameters by auto (auto const& x)");
        if constexpr (!good || scattered || plain) return false;
        else if constexpr (requires(typename function_to_ask<std::remove_reference_t<F>>::type& f, parameter_t<X, M, L>... h) {
                               { f(static_cast<decltype(h)>(h)...) } -> std::same_as<anything_else>;
                           }) {
            static_assert(never<F>, "xgrad[E032]: gradient(f, x...) requires that f takes as many active arguments as are given, but it takes another number, "
                                    "or refuses their types: take them by auto const&, one parameter for each");
            return false;
        } else {
            constexpr bool callable = requires(std::remove_reference_t<F>& f, parameter_t<X, M, L>... h) { f(static_cast<decltype(h)>(h)...); };
            static_assert(callable, "xgrad[E032]: gradient(f, x...) requires an f that can be called with active values, but its call is ambiguous or deleted, "
                                    "or its body does not compile: the first error says why, and xgrad::variable(e) makes one type of expressions of two");
            return callable;
        }
    }
}
template <gradient_owner Owner, class F, class L, class... X>
consteval auto check_call() { return check_call_in<counted, Owner, F, L, X...>(); }

}
XGRAD_DETAIL_QUIET_END
