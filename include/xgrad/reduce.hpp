// Defines sum and mean of active values: over all elements, or along axes, with or without xt::keep_dims.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/elementwise.hpp>
#include <xgrad/ruleset/reduce.hpp>

namespace xgrad {

namespace detail {

template <class Options>
inline constexpr bool keeps_dims = false;
template <class... O>
inline constexpr bool keeps_dims<std::tuple<O...>> = (std::is_same_v<std::remove_cvref_t<O>, xt::keep_dims_type> || ...);

template <class X>
inline constexpr bool is_options = false;
template <class... O>
inline constexpr bool is_options<std::tuple<O...>> = true;

template <class Op, class E>
XGRAD_DETAIL_INLINE auto reduce_everything(E&& e) {
    using U = std::remove_cvref_t<E>;
    if constexpr (U::rank == 0) return make_formula<identity_op>(std::forward<E>(e));
    else {
        using A = decltype(capture(std::forward<E>(e)));
        return formula<Op, A>(std::in_place, capture(std::forward<E>(e)));
    }
}

// N: how many axes are given, or -1 where only the call knows.
template <class Op, int N, bool Keep, class E, class Axes>
auto reduce_axes(E&& e, Axes const& axes) {
    using U = std::remove_cvref_t<E>;
    constexpr int R = U::rank == dynamic_rank || (!Keep && N < 0) ? dynamic_rank : Keep ? U::rank : U::rank - N;
    static_assert(U::rank == dynamic_rank || N <= U::rank, "xgrad[E025]: a reduction requires at most as many axes as the array has dimensions: leave the others out");
    auto const s = e.extent();
    along<Op, rank_c<R>> op{0, Keep};
    for (auto i : axes) {
        auto const n = static_cast<std::ptrdiff_t>(s.rank());
        auto k = static_cast<std::ptrdiff_t>(i);
        if (k < 0) k += n;
        if (k < 0 || k >= n)
            throw std::invalid_argument("xgrad: a reduction requires axes of its operand, found axis " + std::to_string(static_cast<std::ptrdiff_t>(i)) + " of an array of shape " + to_string(s));
        if (op.axes >> k & 1u) throw std::invalid_argument("xgrad: a reduction requires each axis once, found axis " + std::to_string(k) + " twice");
        op.axes |= 1u << k;
    }
    if constexpr (R == 0) return reduce_everything<Op>(std::forward<E>(e));
    else {
        auto a = capture(std::forward<E>(e));
        return formula<along<Op, rank_c<R>>, decltype(a)>(std::in_place, op, std::move(a));
    }
}

template <class Op, class E, class X, class Options>
auto reduce_over(E&& e, X const& axes, Options const&) {
    constexpr bool keep = keeps_dims<Options>;
    if constexpr (std::integral<X>) return reduce_axes<Op, 1, keep>(std::forward<E>(e), std::array<X, 1>{axes});
    else if constexpr (std::is_array_v<X>) return reduce_axes<Op, static_cast<int>(std::extent_v<X>), keep>(std::forward<E>(e), axes);
    else if constexpr (requires { std::tuple_size<X>::value; }) return reduce_axes<Op, static_cast<int>(std::tuple_size<X>::value), keep>(std::forward<E>(e), axes);
    else return reduce_axes<Op, -1, keep>(std::forward<E>(e), axes);
}
template <class Op, class E, class Options>
auto reduce_options(E&& e, Options const&) {
    using U = std::remove_cvref_t<E>;
    if constexpr (keeps_dims<Options> && U::rank != 0) {
        along<Op, rank_c<U::rank>> op{(std::uint32_t{1} << e.extent().rank()) - 1, true};
        auto a = capture(std::forward<E>(e));
        return formula<along<Op, rank_c<U::rank>>, decltype(a)>(std::in_place, op, std::move(a));
    } else return reduce_everything<Op>(std::forward<E>(e));
}

}

// Every active type is an instance of a template with type parameters only, so these forms are more specialised than xtensor's
// `E&&`, and both can stand side by side under one name.
#define XGRAD_DETAIL_REDUCTION_FORM(NAME, REF)                                                                                    \
    template <template <class...> class H, class... A>                                                                            \
        requires active<H<A...>>                                                                                                  \
    auto NAME(H<A...> REF e) { return detail::reduce_everything<op::NAME>(static_cast<H<A...> REF>(e)); }                         \
    template <template <class...> class H, class... A, class X>                                                                   \
        requires(active<H<A...>> && !detail::is_options<std::remove_cvref_t<X>>)                     \
    auto NAME(H<A...> REF e, X&& axes) { return detail::reduce_over<op::NAME>(static_cast<H<A...> REF>(e), axes, std::tuple<>{}); } \
    template <template <class...> class H, class... A, class... O>                                                                \
        requires active<H<A...>>                                                                                                  \
    auto NAME(H<A...> REF e, std::tuple<O...> const& options) { return detail::reduce_options<op::NAME>(static_cast<H<A...> REF>(e), options); } \
    template <template <class...> class H, class... A, class X, class... O>                                                       \
        requires active<H<A...>>                                                                                                  \
    auto NAME(H<A...> REF e, X&& axes, std::tuple<O...> const& options) { return detail::reduce_over<op::NAME>(static_cast<H<A...> REF>(e), axes, options); } \
    template <template <class...> class H, class... A, class I, std::size_t N>                                                    \
        requires active<H<A...>>                                                                                                  \
    auto NAME(H<A...> REF e, I const (&axes)[N]) { return detail::reduce_over<op::NAME>(static_cast<H<A...> REF>(e), axes, std::tuple<>{}); } \
    template <template <class...> class H, class... A, class I, std::size_t N, class... O>                                        \
        requires active<H<A...>>                                                                                                  \
    auto NAME(H<A...> REF e, I const (&axes)[N], std::tuple<O...> const& options) { return detail::reduce_over<op::NAME>(static_cast<H<A...> REF>(e), axes, options); }
#define XGRAD_DETAIL_REDUCTION(NAME)          \
    XGRAD_DETAIL_REDUCTION_FORM(NAME, &)      \
    XGRAD_DETAIL_REDUCTION_FORM(NAME, const&) \
    XGRAD_DETAIL_REDUCTION_FORM(NAME, &&)     \
    XGRAD_DETAIL_REDUCTION_FORM(NAME, const&&)
XGRAD_DETAIL_REDUCTION(sum)
XGRAD_DETAIL_REDUCTION(mean)
#undef XGRAD_DETAIL_REDUCTION
#undef XGRAD_DETAIL_REDUCTION_FORM

}

namespace xt {
using xgrad::mean, xgrad::sum;
}
namespace xgrad {
using xt::mean, xt::sum;
}
