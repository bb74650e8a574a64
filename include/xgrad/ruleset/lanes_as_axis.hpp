// Defines lanes_as_axis and by_lanes: an array of packs as one of numbers, which has one more axis, the last: the lanes; or as an array for each of them.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class T>
inline constexpr std::size_t lanes_in = is_pack<T> ? lanes<lane_number_t<T>> : 1;
// T may be const, as may be the number in a lane of it.
template <class T>
using lane_number_like = std::conditional_t<std::is_const_v<T>, lane_number_t<std::remove_const_t<T>> const, lane_number_t<std::remove_const_t<T>>>;

// Packs in memory are numbers in memory.
template <class T>
auto memory_of_lanes(T* p) noexcept {
    return reinterpret_cast<lane_number_like<T>*>(p);
}
template <class T>
auto memory_of_lanes(dual_memory<T> const& p) noexcept {
    constexpr auto w = static_cast<std::ptrdiff_t>(lanes_in<std::remove_const_t<T>>);
    return dual_memory<lane_number_like<T>>(memory_of_lanes(p.primal()), memory_of_lanes(p.direction(0)), p.stride() * w);
}

template <class T, int R>
auto lanes_as_axis(array_ref<T, R> const& a) noexcept {
    constexpr std::size_t w = lanes_in<std::remove_const_t<T>>;
    array_ref<lane_number_like<T>, R == dynamic_rank ? dynamic_rank : R + 1> x{memory_of_lanes(a.data), {}, {}};
    int const n = a.shape.rank();
    x.shape.set_rank(n + 1);
    x.stride.set_rank(n + 1);
    for (int d = 0; d < n; ++d) {
        x.shape[d] = a.shape[d];
        x.stride[d] = a.stride[d] * static_cast<std::ptrdiff_t>(w);
    }
    x.shape[n] = w;
    x.stride[n] = 1;
    return x;
}

template <class T, int R>
auto in_lane(array_ref<T, R> const& a, std::size_t j) noexcept {
    array_ref<lane_number_like<T>, R> x{memory_of_lanes(a.data) + j, a.shape, a.stride};
    for (int d = 0; d < a.shape.rank(); ++d) x.stride[d] *= static_cast<std::ptrdiff_t>(lanes_in<std::remove_const_t<T>>);
    return x;
}
// f(a...) of each lane.
template <class F, class T, int R, class... A>
void by_lanes(F f, array_ref<T, R> const& a, A const&... more) {
    for (std::size_t j = 0; j < lanes_in<std::remove_const_t<T>>; ++j) f(in_lane(a, j), in_lane(more, j)...);
}

}
XGRAD_DETAIL_QUIET_END
