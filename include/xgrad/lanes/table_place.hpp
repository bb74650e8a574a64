// Defines table_place: where the items of a pack read an array, from an index, or one for each item, along each axis.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

#include <xgrad/lanes/lane_index.hpp>
#include <xgrad/rule/extents.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What an index is to a table: a number, or one for each item of a pack.
template <class I>
concept table_index = std::integral<I> || is_lane_index<I>;
template <int R>
struct table_place {
    std::array<std::ptrdiff_t, static_cast<std::size_t>(R)> first{}, step{};
    table_place() = default;

    template <class... I>
    XGRAD_DETAIL_INLINE explicit table_place(I const&... i) noexcept : first{at(i)...}, step{step_of(i)...} {}
    // Whether all of W items are inside.
    template <std::size_t W>
    XGRAD_DETAIL_INLINE bool is_inside(extents<R> const& s) const noexcept {
        // what is below 0 is beyond the end of what has no sign
        bool inside = true;
        for (std::size_t d = 0; d < R; ++d) {
            std::size_t const n = s[static_cast<int>(d)];
            inside = inside && static_cast<std::size_t>(first[d]) < n &&
                     static_cast<std::size_t>(first[d] + static_cast<std::ptrdiff_t>(W - 1) * step[d]) < n;
        }
        return inside;
    }
    // Whether they are neighbours along the last axis, or one element, and begin below these, in the last axis below `row` where they are neighbours.
    XGRAD_DETAIL_INLINE bool is_simply_inside(extents<R> const& s, std::size_t row) const noexcept {
        bool inside = is_along_last();
        for (std::size_t d = 0; d < R; ++d)
            inside = inside && static_cast<std::size_t>(first[d]) < (d == R - 1 && step[d] == 1 ? row : s[static_cast<int>(d)]);
        return inside;
    }
    // Whether they are neighbours along the last axis, or one element.
    XGRAD_DETAIL_INLINE bool is_along_last() const noexcept {
        bool along = step[R - 1] == 0 || step[R - 1] == 1;
        for (std::size_t d = 0; d + 1 < R; ++d) along = along && step[d] == 0;
        return along;
    }
    // Where the first lies, and how far it is from one to the next; `axis` says the strides.
    template <class Axis>
    XGRAD_DETAIL_INLINE std::ptrdiff_t offset(Axis axis) const noexcept { return along(first, axis); }
    template <class Axis>
    XGRAD_DETAIL_INLINE std::ptrdiff_t distance(Axis axis) const noexcept { return along(step, axis); }

private:
    template <class I>
    XGRAD_DETAIL_INLINE static std::ptrdiff_t at(I const& i) noexcept {
        if constexpr (is_lane_index<I>) return i.first();
        else return static_cast<std::ptrdiff_t>(i);
    }
    template <class I>
    XGRAD_DETAIL_INLINE static std::ptrdiff_t step_of([[maybe_unused]] I const& i) noexcept {
        if constexpr (is_lane_index<I>) return i.step();
        else return 0;
    }
    template <class A, class Axis>
    XGRAD_DETAIL_INLINE static std::ptrdiff_t along(A const& a, Axis axis) noexcept {
        std::ptrdiff_t n = 0;
        for (int d = 0; d < R; ++d) n += a[static_cast<std::size_t>(d)] * axis(d);
        return n;
    }
};

}
XGRAD_DETAIL_QUIET_END
