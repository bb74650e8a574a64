// Defines map_plain: map(f, a...) of plain numbers and arrays, item by item.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/lanes/sources.hpp>
#include <xgrad/scope/call/result.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A constant's item: a number, a row of some, or an array.
template <class S>
decltype(auto) plain_item_of(S const& s, std::size_t i) {
    if constexpr (is_rows<S>) {
        using T = typename S::value_type;
        auto const x = s.a.source();
        T const* const data = x.data + s.rows()[i] * x.stride[0];
        if constexpr (S::length == 0) return T(*data);
        else if constexpr (S::length != any_length) {
            xt::xtensor_fixed<T, xt::xshape<S::length>> row;
            for (std::size_t k = 0; k < S::length; ++k) row(k) = data[static_cast<std::ptrdiff_t>(k) * x.stride[1]];
            return row;
        } else {
            extents<S::row_rank> shape{};
            strides<S::row_rank> stride{};
            for (int d = 0; d < S::row_rank; ++d) {
                shape[d] = x.shape[d + 1];
                stride[d] = x.stride[d + 1];
            }
            auto row = xt::xtensor<T, static_cast<std::size_t>(S::row_rank)>::from_shape(shape.n);
            for_each_offset(shape, stride, [&](std::size_t k, std::ptrdiff_t at) { row.data()[k] = data[at]; });
            return row;
        }
    } else if constexpr (is_constants<S>) return *(s.a.source().data + static_cast<std::ptrdiff_t>(s.rows()[i]) * s.a.source().stride[0]);
    else return (s.get());
}
template <class R>
auto plain_value(R const& r) {
    if constexpr (declared_result<R>) return r.value();
    else return r;
}

template <class F, class... S>
auto map_plain(F const& f, std::size_t n, S const&... s) {
    using R = std::remove_cvref_t<decltype(plain_value(f(plain_item_of(s, 0)...)))>;
    auto y = xt::xtensor<R, 1>::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) y(i) = plain_value(f(plain_item_of(s, i)...));
    return y;
}

}
XGRAD_DETAIL_QUIET_END
