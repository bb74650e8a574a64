// Defines rule<F>: the derivatives of a function that has its own, and has_frule and has_rrule, which ask for them.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/codual.hpp>
#include <xgrad/tangent/dual.hpp>

namespace xgrad {

// A specialisation for the type of a callable object F, y = f(a, b), has one or both of
//   static auto frule(dual<A> a, dual<B> b)       gives dual<Y>: y and its tangent
//   static auto rrule(codual<A> a, codual<B> b)   gives value_with_pullback{y, pullback}
// Contract of rrule: afterwards the primals are as the plain call leaves them. pullback(ybar), with the tangent of y, first restores what the
// call changed, then *adds* the arguments' cotangents to their fdata and returns their rdata, std::tuple<rdata_type_t<A>, rdata_type_t<B>>,
// or nothing where no argument has any. It must not throw. It may be called once. Arguments may alias each other: then they share their fdata.
template <class F>
struct rule;

template <class Y, class Pullback>
struct value_with_pullback {
    Y value;
    Pullback pullback;
};
template <class Y, class Pullback>
value_with_pullback(Y, Pullback) -> value_with_pullback<Y, Pullback>;

namespace detail {

template <class F, class... A>
using frule_result = decltype(rule<F>::frule(std::declval<dual<A>>()...));
template <class F, class... A>
using rrule_result = decltype(rule<F>::rrule(std::declval<codual<A>>()...));

template <class... A>
inline constexpr bool have_rdata = !(true && ... && std::is_same_v<rdata_type_t<A>, no_rdata>);

// What a pullback gives back, and what it must.
template <class B, class Y>
using returned_by = std::invoke_result_t<B&, tangent_type_t<Y> const&>;
template <class R, class... A>
inline constexpr bool is_rdata_of = std::is_same_v<R, std::tuple<rdata_type_t<A>...>> || (std::is_void_v<R> && !have_rdata<A...>);

}  // namespace detail

// rule<F> has a forward rule for arguments of these types, and it gives a dual.
template <class F, class... A>
concept has_frule = requires {
    typename detail::frule_result<F, A...>::primal_type;
    requires std::is_same_v<detail::frule_result<F, A...>, dual<typename detail::frule_result<F, A...>::primal_type>>;
};

// rule<F> has a reverse rule for arguments of these types, and its pullback takes the tangent of the value and gives the arguments' rdata.
template <class F, class... A>
concept has_rrule = requires(detail::rrule_result<F, A...> r) {
    r.value;
    requires detail::is_rdata_of<detail::returned_by<decltype(r.pullback), decltype(r.value)>, A...>;
};

// The type of the pullback, which holds what the reverse pass needs: its size is known at compile time.
template <class F, class... A>
    requires has_rrule<F, A...>
using pullback_t = decltype(detail::rrule_result<F, A...>::pullback);

// The type of the value.
template <class F, class... A>
    requires has_rrule<F, A...>
using rule_value_t = decltype(detail::rrule_result<F, A...>::value);

}  // namespace xgrad
