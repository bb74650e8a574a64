// Defines rule<Op> of an operation with partials: the same line serves as forward and as reverse rule of numbers.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/rule/rule.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// An operand of partials, which take one type: beside complex numbers a complex one.
template <class... A, class X>
constexpr auto operand_of_partials(X const& x) {
    if constexpr ((is_complex_number<A> || ...)) return embed<typename common_number<A...>::type>(x);
    else return x;
}
// A tangent's part in that of a value of type Y.
template <class Y, class P, class T>
constexpr auto push_partial(P const& partial, T const& xdot) {
    if constexpr (std::is_same_v<P, conjugating>) return conjugate(xdot);
    else if constexpr (is_complex_number<T> && !is_complex_number<Y>) return real_of_product(partial, xdot);
    else return partial * xdot;
}
// The cotangent of an operand of type A, df/d(re x) + i df/d(im x) as users see it.
template <class A, class P, class D>
constexpr A pull_partial(P const& partial, D const& ybar) {
    if constexpr (std::is_same_v<P, conjugating>) return A(conjugate(ybar));
    else if constexpr (is_complex_number<A>) return A(conjugate(partial) * ybar);
    else return A(real_part(conjugate(partial) * ybar));
}

}

template <scalar_rule Op>
struct rule<Op> {
    // y' = dy/da a' + dy/db b' + ...
    template <perturbable_number... A>
    static constexpr auto frule(dual<A> const&... x) {
        auto const y = Op{}(detail::operand_of_partials<A...>(x.primal)...);
        auto const d = partials<Op>(y, detail::operand_of_partials<A...>(x.primal)...);
        using Y = std::remove_const_t<decltype(y)>;
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return dual<Y>{y, Y((... + detail::push_partial<Y>(partial_at<I>(d), x.tangent)))};
        }(std::index_sequence_for<A...>{});
    }
    // ā = dy/da ȳ, ...
    template <perturbable_number... A>
    static constexpr auto rrule(codual<A> const&... x) {
        auto const y = Op{}(detail::operand_of_partials<A...>(x.primal)...);
        auto pullback = [y, ... x = detail::operand_of_partials<A...>(x.primal)](auto const& ybar) {
            auto const d = partials<Op>(y, x...);
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return std::tuple<A...>(detail::pull_partial<A>(partial_at<I>(d), ybar)...);
            }(std::index_sequence_for<A...>{});
        };
        return value_with_pullback{y, std::move(pullback)};
    }
};

}  // namespace xgrad
XGRAD_DETAIL_QUIET_END
