// Defines lane_index<W>: an index that W items of a pack have, each its own: the first item's, and the step from one to the next.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/pack.hpp>
#include <xgrad/scope/operand/operand.hpp>

namespace xgrad::detail {

// An active value of the items of a pack, and that pack.
template <class E>
concept item_of_pack = active<E> && is_pack<typename std::remove_cvref_t<E>::value_type>;
template <item_of_pack E>
using pack_of_item = std::remove_const_t<decltype(innermost_primal(std::declval<typename std::remove_cvref_t<E>::value_type const&>()))>;

// It computes as a std::size_t does, as far as all items go the same way. Where they do not, the pack is to be computed item by item (lanes_disagree), and what
// is said of the first one is said of all.
template <std::size_t W>
class lane_index {
public:
    XGRAD_DETAIL_INLINE explicit lane_index(std::ptrdiff_t first = 0, std::ptrdiff_t step = 0) noexcept : first_(first), step_(step) {}
    XGRAD_DETAIL_INLINE std::ptrdiff_t first() const noexcept { return first_; }
    XGRAD_DETAIL_INLINE std::ptrdiff_t step() const noexcept { return step_; }
    XGRAD_DETAIL_INLINE std::ptrdiff_t last() const noexcept { return first_ + static_cast<std::ptrdiff_t>(W - 1) * step_; }
    // What knows nothing of packs takes one number.
    operator std::size_t() const noexcept {
        if (step_ != 0) lanes_disagree = true;
        return static_cast<std::size_t>(first_);
    }

    XGRAD_DETAIL_INLINE friend lane_index operator+(lane_index a, lane_index b) noexcept { return lane_index(a.first_ + b.first_, a.step_ + b.step_); }
    XGRAD_DETAIL_INLINE friend lane_index operator-(lane_index a, lane_index b) noexcept { return lane_index(a.first_ - b.first_, a.step_ - b.step_); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator+(lane_index a, K k) noexcept { return a + of(k); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator+(K k, lane_index a) noexcept { return of(k) + a; }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator-(lane_index a, K k) noexcept { return a - of(k); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator-(K k, lane_index a) noexcept { return of(k) - a; }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator*(lane_index a, K k) noexcept {
        return lane_index(a.first_ * static_cast<std::ptrdiff_t>(k), a.step_ * static_cast<std::ptrdiff_t>(k));
    }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator*(K k, lane_index a) noexcept { return a * k; }
    template <class K>
    XGRAD_DETAIL_INLINE lane_index& operator+=(K k) noexcept { return *this = *this + k; }
    template <class K>
    XGRAD_DETAIL_INLINE lane_index& operator-=(K k) noexcept { return *this = *this - k; }
    XGRAD_DETAIL_INLINE lane_index& operator++() noexcept { return *this += 1; }
    XGRAD_DETAIL_INLINE lane_index& operator--() noexcept { return *this -= 1; }
    // Of items that have one quotient.
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator/(lane_index a, K k) noexcept { return lane_index(a.quotient(static_cast<std::ptrdiff_t>(k))); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend lane_index operator%(lane_index a, K k) noexcept {
        auto const by = static_cast<std::ptrdiff_t>(k);
        return lane_index(a.first_ - a.quotient(by) * by, a.step_);
    }

    XGRAD_DETAIL_INLINE friend bool operator<(lane_index a, lane_index b) noexcept {
        bool const is_less = a.first_ < b.first_;
        // a number below 0 is a great one of std::size_t
        if (is_less != (a.last() < b.last()) || a.is_below_zero() || b.is_below_zero()) lanes_disagree = true;
        return is_less;
    }
    XGRAD_DETAIL_INLINE friend bool operator==(lane_index a, lane_index b) noexcept {
        bool const is_first = a.first_ == b.first_;
        std::ptrdiff_t const step = b.step_ - a.step_;
        if (step == 0) return is_first;
        // some item, if a has its index: the items' differences go by steps
        std::ptrdiff_t const away = a.first_ - b.first_;
        if (away % step == 0 && away / step >= 0 && away / step < static_cast<std::ptrdiff_t>(W)) lanes_disagree = true;
        return is_first;
    }
    XGRAD_DETAIL_INLINE friend bool operator>(lane_index a, lane_index b) noexcept { return b < a; }
    XGRAD_DETAIL_INLINE friend bool operator<=(lane_index a, lane_index b) noexcept { return !(b < a); }
    XGRAD_DETAIL_INLINE friend bool operator>=(lane_index a, lane_index b) noexcept { return !(a < b); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator<(lane_index a, K k) noexcept { return a < of(k); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator<(K k, lane_index a) noexcept { return of(k) < a; }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator>(lane_index a, K k) noexcept { return of(k) < a; }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator>(K k, lane_index a) noexcept { return a < of(k); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator<=(lane_index a, K k) noexcept { return !(of(k) < a); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator<=(K k, lane_index a) noexcept { return !(a < of(k)); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator>=(lane_index a, K k) noexcept { return !(a < of(k)); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator>=(K k, lane_index a) noexcept { return !(of(k) < a); }
    template <std::integral K>
    XGRAD_DETAIL_INLINE friend bool operator==(lane_index a, K k) noexcept { return a == of(k); }

    // As numbers, beside those of an item: P is a pack of W. One below 0 is a great one, as that of a std::size_t.
    template <class P>
    XGRAD_DETAIL_INLINE P numbers() const noexcept {
        if (is_below_zero()) lanes_disagree = true;
        alignas(64) lane_type_t<P> lane[P::size];
        for (std::size_t j = 0; j < P::size; ++j) lane[j] = static_cast<lane_type_t<P>>(first_ + static_cast<std::ptrdiff_t>(j) * step_);
        return P::load_aligned(lane);
    }
#define XGRAD_DETAIL_BESIDE_ITEMS(SYMBOL)                                                   \
    template <item_of_pack E>                                                               \
    XGRAD_DETAIL_INLINE friend auto operator SYMBOL(E&& e, lane_index i) {                  \
        return std::forward<E>(e) SYMBOL i.template numbers<pack_of_item<E>>();             \
    }                                                                                       \
    template <item_of_pack E>                                                               \
    XGRAD_DETAIL_INLINE friend auto operator SYMBOL(lane_index i, E&& e) {                  \
        return i.template numbers<pack_of_item<E>>() SYMBOL std::forward<E>(e);             \
    }
    XGRAD_DETAIL_BESIDE_ITEMS(+)
    XGRAD_DETAIL_BESIDE_ITEMS(-)
    XGRAD_DETAIL_BESIDE_ITEMS(*)
    XGRAD_DETAIL_BESIDE_ITEMS(/)
#undef XGRAD_DETAIL_BESIDE_ITEMS

private:
    std::ptrdiff_t first_, step_;

    template <class K>
    XGRAD_DETAIL_INLINE static lane_index of(K k) noexcept { return lane_index(static_cast<std::ptrdiff_t>(k)); }
    XGRAD_DETAIL_INLINE bool is_below_zero() const noexcept { return first_ < 0 || last() < 0; }
    XGRAD_DETAIL_INLINE std::ptrdiff_t quotient(std::ptrdiff_t by) const noexcept {
        if (by <= 0 || is_below_zero() || first_ / by != last() / by) {
            lanes_disagree = true;
            return 0;
        }
        return first_ / by;
    }
};

template <class I>
inline constexpr bool is_lane_index = false;
template <std::size_t W>
inline constexpr bool is_lane_index<lane_index<W>> = true;

}

// std::min(i + 1, n - 1): a neighbour that there is.
namespace xgrad::spelling {
template <std::size_t W>
detail::lane_index<W> min(detail::lane_index<W> a, detail::lane_index<W> b) { return b < a ? b : a; }
template <std::size_t W>
detail::lane_index<W> max(detail::lane_index<W> a, detail::lane_index<W> b) { return a < b ? b : a; }
#define XGRAD_DETAIL_OF_INDICES(NAME)                                                                                                \
    template <std::size_t W, std::integral K>                                                                                        \
    auto NAME(detail::lane_index<W> a, K k) { return spelling::NAME(a, detail::lane_index<W>(static_cast<std::ptrdiff_t>(k))); }     \
    template <std::size_t W, std::integral K>                                                                                        \
    auto NAME(K k, detail::lane_index<W> a) { return spelling::NAME(detail::lane_index<W>(static_cast<std::ptrdiff_t>(k)), a); }
XGRAD_DETAIL_OF_INDICES(min)
XGRAD_DETAIL_OF_INDICES(max)
#undef XGRAD_DETAIL_OF_INDICES
}
namespace std {
using xgrad::spelling::max, xgrad::spelling::min;
}
