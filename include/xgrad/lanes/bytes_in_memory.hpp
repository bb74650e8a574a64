// Defines bytes_in_memory: what an array of rows reaches, so that sources that share rows are found.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include <xgrad/rule/array_ref.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The bytes from the first of an array's elements in memory to the last; none of what is no array of rows.
struct bytes_in_memory {
    std::byte const *begin = nullptr, *end = nullptr;
};
[[gnu::noinline]] inline bytes_in_memory reach_of(void const* p, std::ptrdiff_t size, std::size_t const* shape, std::ptrdiff_t const* stride,
                                                  int rank) noexcept {
    if (std::find(shape, shape + rank, std::size_t{0}) != shape + rank) return {};
    bytes_in_memory r{static_cast<std::byte const*>(p), static_cast<std::byte const*>(p) + size};
    for (int d = 0; d < rank; ++d) {
        std::ptrdiff_t const way = (static_cast<std::ptrdiff_t>(shape[d]) - 1) * stride[d] * size;
        (way < 0 ? r.begin : r.end) += way;
    }
    return r;
}
template <class T, int R>
bytes_in_memory reach_of(array_ref<T, R> const& a) noexcept {
    auto* const p = address_of(a.data);
    return reach_of(p, sizeof(*p), &a.shape[0], &a.stride[0], R);
}
// Whether no other source reaches the rows of source i.
template <std::size_t N>
[[gnu::noinline]] bool is_apart(std::array<bytes_in_memory, N> const& all, std::size_t i) noexcept {
    for (std::size_t j = 0; j < N; ++j)
        if (j != i && std::less<>()(all[j].begin, all[i].end) && std::less<>()(all[i].begin, all[j].end)) return false;
    return true;
}

}
XGRAD_DETAIL_QUIET_END
