// Defines plain_array: a plain xtensor expression or container, its rank, its shape and its strides.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <xgrad/host.hpp>
#include <xgrad/rule/extents.hpp>

namespace xgrad {

// A plain xtensor expression or container.
template <class T>
concept plain_array = xt::is_xexpression<std::remove_cvref_t<T>>::value;

namespace detail {
template <class S>
inline constexpr int rank_of_shape = dynamic_rank;
template <class I, std::size_t N>
inline constexpr int rank_of_shape<std::array<I, N>> = static_cast<int>(N);
template <std::size_t... N>
inline constexpr int rank_of_shape<xt::fixed_shape<N...>> = static_cast<int>(sizeof...(N));

template <class E>
concept contiguous_storage = requires(E const& e) {
    { e.data() };
    { e.strides() };
    { e.data_offset() };
};

template <class E>
inline constexpr bool owns_heap = false;
template <class C, xt::layout_type L, class S, class G>
inline constexpr bool owns_heap<xt::xarray_container<C, L, S, G>> = true;
template <class C, std::size_t N, xt::layout_type L, class G>
inline constexpr bool owns_heap<xt::xtensor_container<C, N, L, G>> = true;

// Memory as an xtensor container of this shape, in row-major order.
template <class T, int R>
auto container_on(T* p, extents<R> const& shape) {
    using buffer = xt::xbuffer_adaptor<T*, xt::no_ownership, std::allocator<T>>;
    buffer all(p, element_count(shape));
    if constexpr (R == dynamic_rank) {
        using sizes = xt::svector<std::size_t>;
        return xt::xarray_adaptor<buffer, xt::layout_type::row_major, sizes>(std::move(all), sizes(shape.begin(), shape.end()));
    } else return xt::xtensor_adaptor<buffer, static_cast<std::size_t>(R), xt::layout_type::row_major>(std::move(all), shape.n);
}

template <int R, class E>
extents<R> shape_of(E const& e) {
    extents<R> s;
    s.set_rank(static_cast<int>(e.dimension()));
    int d = 0;
    for (auto n : e.shape()) s[d++] = static_cast<std::size_t>(n);
    return s;
}
template <int R, class E>
strides<R> strides_of(E const& e) {
    strides<R> s;
    s.set_rank(static_cast<int>(e.dimension()));
    int d = 0;
    for (auto n : e.strides()) s[d++] = static_cast<std::ptrdiff_t>(n);
    return s;
}
}


// The rank of a plain array, or dynamic_rank.
template <plain_array E>
inline constexpr int rank_of = detail::rank_of_shape<std::remove_cvref_t<typename std::remove_cvref_t<E>::shape_type>>;

}
