// Defines rule<Op> of an operation with partials: the same line serves as forward and as reverse rule of numbers.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/rule/partials.hpp>
#include <xgrad/rule/rule.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <scalar_rule Op>
struct rule<Op> {
    // y' = dy/da a' + dy/db b' + ...
    template <perturbable_number... A>
    static constexpr auto frule(dual<A> const&... x) {
        auto const y = Op{}(x.primal...);
        auto const d = partials<Op>(y, x.primal...);
        using Y = std::remove_const_t<decltype(y)>;
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return dual<Y>{y, Y((... + (partial_at<I>(d) * x.tangent)))}; }(std::index_sequence_for<A...>{});
    }
    // ā = dy/da ȳ, ...
    template <perturbable_number... A>
    static constexpr auto rrule(codual<A> const&... x) {
        auto const y = Op{}(x.primal...);
        auto pullback = [y, ... x = x.primal](auto const& ybar) {
            auto const d = partials<Op>(y, x...);
            return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple<A...>(A(partial_at<I>(d) * ybar)...); }(std::index_sequence_for<A...>{});
        };
        return value_with_pullback{y, std::move(pullback)};
    }
};

}  // namespace xgrad
XGRAD_DETAIL_QUIET_END
