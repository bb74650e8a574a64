// Defines map_plain: map(f, a...) of plain numbers and arrays, item by item.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include <xgrad/lanes/results.hpp>
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
auto plain_value(R&& r) {
    if constexpr (declared_result<R>) return r.value();
    else return std::remove_cvref_t<R>(static_cast<R&&>(r));
}

struct to_plain_column;
// The rows of an array, or a struct of such: the results of all items, or a part of them.
template <class P>
auto plain_column(std::size_t n) {
    if constexpr (is_array_of_results<P>) {
        std::array<std::size_t, 2> const shape{n, count_of_results<P>};
        return xt::xtensor<typename P::value_type, 2>::from_shape(shape);
    } else if constexpr (struct_of_columns<P>)
        return parts<P>::template make<typename parts<P>::template rebind<to_plain_column>>([n]<class Q>(Q const&) { return plain_column<Q>(n); }, P{});
    else return xt::xtensor<P, 1>::from_shape({n});
}
template <class Y, class P>
void put_in_column(Y& y, std::size_t i, P const& part) {
    if constexpr (std::is_arithmetic_v<P>) y(i) = part;
    else if constexpr (struct_of_columns<P>) parts<P>::each([i](auto& column, auto const& inside) { put_in_column(column, i, inside); }, y, part);
    else std::copy(part.begin(), part.end(), y.data() + i * y.shape(1));
}
struct to_plain_column {
    template <class P>
    using type = decltype(plain_column<std::remove_cvref_t<P>>(0));
};

// Goes through the items of a map on the thread that calls, and leaves its function as it is.
struct in_turn_of_items {
    template <class F>
    F function(F f) const {
        return f;
    }
    template <class G>
    void each(std::size_t n, G g) const {
        for (std::size_t i = 0; i < n; ++i) g(i);
    }
};

template <class By, class F, class... S>
auto map_plain(By const& by, F const& f, std::size_t n, S const&... s) {
    auto item = [&](std::size_t i) { return plain_value(f(plain_item_of(s, i)...)); };
    using R = decltype(item(0));
    if constexpr (is_array_of_results<R> || struct_like<R>) {
        auto y = plain_column<R>(n);
        by.each(n, [&](std::size_t i) { put_in_column(y, i, item(i)); });
        return y;
    } else if constexpr (plain_array<R>) {
        xt::xtensor<typename R::value_type, 2> y;
        if (n == 0) return y;
        auto const first = xt::eval(item(0));
        y = xt::xtensor<typename R::value_type, 2>::from_shape({n, first.size()});
        put_in_column(y, 0, first);
        by.each(n - 1, [&](std::size_t i) {
            auto const r = xt::eval(item(i + 1));
            if (r.size() != y.shape(1)) wrong_lengths(y.shape(1), r.size());
            put_in_column(y, i + 1, r);
        });
        return y;
    } else {
        auto y = xt::xtensor<R, 1>::from_shape({n});
        by.each(n, [&](std::size_t i) { y(i) = item(i); });
        return y;
    }
}

}
XGRAD_DETAIL_QUIET_END
