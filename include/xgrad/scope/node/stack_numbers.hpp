// Defines the node of stack(xtuple(a, b, ...)) of numbers: expressions that are computed straight into their places in a line.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/scope/kernel/conversions.hpp>
#include <xgrad/scope/kernel/frame.hpp>
#include <xgrad/scope/node/array.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/owners.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
struct stacked_numbers {
    static constexpr char const* name = "stack(xtuple(a, b, ...), axis)";
};
}

// y[i] = x_i: no number has a slot on its way there, and ȳ[i] goes straight back into its expression.
template <class... A>
struct node<detail::stacked_numbers, A...> {
    using value_type = typename detail::array_element<A...>::type;
    using T = value_type;
    using lifetime = typename detail::join_lifetime<typename A::lifetime...>::type;
    static constexpr int rank = 1;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;

    flat_tuple<A...> x;

    XGRAD_DETAIL_INLINE explicit node(A&&... a) : x(std::move(a)...) {}
    node(node&&) = default;
    XGRAD_DETAIL_INLINE ~node() {}
    template <class F>
    XGRAD_DETAIL_INLINE decltype(auto) each(F const& f) const { return x.apply(f); }

    XGRAD_DETAIL_INLINE context* owner() const { return x.apply(detail::common_owner); }
    XGRAD_DETAIL_INLINE void check() const { x.apply(detail::check_owners); }
    XGRAD_DETAIL_INLINE void prepare() const {
        each([](auto const&... a) XGRAD_DETAIL_LAMBDA { (a.prepare(), ...); });
    }
    static constexpr extents<1> extent() { return {{sizeof...(A)}}; }
    template <class Slot>
    void evaluate(Slot& y) const {
        std::size_t i = 0;
        auto put = [&](auto const& a) XGRAD_DETAIL_LAMBDA {
            typename std::remove_cvref_t<decltype(a)>::frame f;
            a.forward(f);
            y.value[i++] = T(detail::in_full<T>(value_of(f)));
        };
        each([&](auto const&... a) XGRAD_DETAIL_LAMBDA { (put(a), ...); });
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        std::size_t i = 0;
        auto give = [&](auto const& a) XGRAD_DETAIL_LAMBDA {
            using B = std::remove_cvref_t<decltype(a)>;
            T const g(y.cotangent[i++]);
            if constexpr (B::is_active) {
                if (detail::is_nothing(g)) return;
                typename B::frame f;
                a.forward(f);
                a.backward(f, g);
            }
        };
        each([&](auto const&... a) XGRAD_DETAIL_LAMBDA { (give(a), ...); });
    }
};

}
XGRAD_DETAIL_QUIET_END
