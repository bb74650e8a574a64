// Defines the reductions sum and mean: how elements are combined, and what each of them receives back.
#pragma once

#include <cstddef>
#include <stdexcept>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct sum {};
struct mean {};
}

// y = Σ x;   x̄ = ȳ.   The sum of nothing is 0.
template <>
struct reduction<op::sum> {
    static constexpr bool linear = true;
    template <class T>
    static constexpr T identity() { return T(0); }
    XGRAD_DETAIL_INLINE static constexpr auto combine(auto const& a, auto const& b) { return a + b; }
    template <class T>
    static constexpr T finish(T const& s, std::size_t) { return s; }
    XGRAD_DETAIL_INLINE static constexpr auto partial(auto const& y, auto const&, std::size_t) { return one(y); }
    static constexpr void check(std::size_t) {}
};

// y = Σ x / n;   x̄ = ȳ / n.
template <>
struct reduction<op::mean> {
    static constexpr bool linear = true;
    template <class T>
    static constexpr T identity() { return T(0); }
    XGRAD_DETAIL_INLINE static constexpr auto combine(auto const& a, auto const& b) { return a + b; }
    template <class T>
    static constexpr T finish(T const& s, std::size_t n) { return s / T(static_cast<double>(n)); }
    XGRAD_DETAIL_INLINE static constexpr auto partial(auto const& y, auto const&, std::size_t n) { return literal(y, 1.0 / static_cast<double>(n)); }
    static void check(std::size_t n) {
        if (n == 0) throw std::invalid_argument("xgrad: mean(x) requires at least one element, found an empty array: use sum, or leave the empty case out");
    }
};

}
XGRAD_DETAIL_QUIET_END
