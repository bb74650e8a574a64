// Defines map_plain: map(f, a...) of plain numbers and arrays, item by item.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/lanes/sources.hpp>
#include <xgrad/scope/call/result.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A constant's element, a number or a row of some.
template <std::size_t N, class T>
auto plain_item(T const* data, std::ptrdiff_t column) {
    if constexpr (N == 0) return *data;
    else {
        xt::xtensor_fixed<T, xt::xshape<N>> row;
        for (std::size_t k = 0; k < N; ++k) row(k) = data[static_cast<std::ptrdiff_t>(k) * column];
        return row;
    }
}
template <class S>
decltype(auto) plain_item_of(S const& s, std::size_t i) {
    if constexpr (is_rows<S>) {
        auto const x = s.a.source();
        if constexpr (S::length == 0) return plain_item<0>(x.data + s.rows()[i] * x.stride[0], 0);
        else return plain_item<S::length>(x.data + s.rows()[i] * x.stride[0], x.stride[1]);
    } else if constexpr (is_constants<S>) return *(s.a.source().data + static_cast<std::ptrdiff_t>(i) * s.a.source().stride[0]);
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
