// Defines what views with lists of indices, xt::keep and xt::drop, are: copies, and of a variable places, which may be assigned to.
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/index_place.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/ruleset/gather.hpp>

namespace xgrad::detail {

// A slice that is a list of indices.
template <class S>
inline constexpr bool is_list_slice = false;
template <class T>
inline constexpr bool is_list_slice<xt::xkeep_slice<T>> = true;
template <class T>
inline constexpr bool is_list_slice<xt::xdrop_slice<T>> = true;
template <class S>
inline constexpr bool is_list = is_list_slice<std::remove_cvref_t<S>>;

// The list of an axis of n elements, with all indices counted from 0. Throws std::out_of_range where one is not there, x being the whole.
template <class S, int X>
auto list_within(S const& slice, std::size_t n, extents<X> const& x) {
    auto list = slice;
    if constexpr (requires { list.normalize(std::size_t{}); }) list.normalize(n);
    using size_type = typename S::size_type;
    auto const count = static_cast<std::size_t>(list.size());
    if constexpr (std::is_same_v<S, xt::xdrop_slice<size_type>>) {
        // where an index is outside, another element is missing at the end
        bool inside = count <= n;
        for (std::size_t k = count == 0 || !inside ? 0 : static_cast<std::size_t>(list(count - 1)) + 1; inside && k < n; ++k)
            inside = !list.contains(static_cast<size_type>(k));
        if (!inside) throw std::out_of_range("xgrad[E204]: view(x, drop(i...)) requires different indices inside the shape of x, " + to_string(x));
    } else
        for (std::size_t k = 0; k < count; ++k)
            if (auto const i = static_cast<std::ptrdiff_t>(list(k)); i < 0 || i >= static_cast<std::ptrdiff_t>(n))
                throw std::out_of_range("xgrad[E204]: view(x, keep(i...)) requires indices inside the shape of x, found " + std::to_string(i) + " and " +
                                        to_string(x) + ": count from 0");
    return list;
}

// x with the elements of each list along its axis: the first slice that is left belongs to `axis` of the view, and to `of_x` of the whole.
template <class V, int X>
auto take_lists(V&& v, int, int, extents<X> const&) { return std::forward<V>(v); }
template <class V, int X, class S, class... Rest>
auto take_lists(V&& v, int axis, int of_x, extents<X> const& x, S const& slice, Rest const&... rest) {
    using U = std::remove_cvref_t<S>;
    if constexpr (std::integral<U>) return take_lists(std::forward<V>(v), axis, of_x + 1, x, rest...);
    else if constexpr (std::is_same_v<U, xt::xnewaxis_tag>) return take_lists(std::forward<V>(v), axis + 1, of_x, x, rest...);
    else if constexpr (!is_list<U>) return take_lists(std::forward<V>(v), axis + 1, of_x + 1, x, rest...);
    else {
        auto const list = list_within(slice, x[of_x], x);
        auto places = index_operand(v.owner(), extents<1>{{static_cast<std::size_t>(list.size())}},
                                    [&](std::size_t k) { return static_cast<std::ptrdiff_t>(list(k)); });
        return take_lists(array_operation(op::take{axis}, std::forward<V>(v), std::move(places)), axis + 1, of_x + 1, x, rest...);
    }
}

// The places of the elements of a view in row-major order: of the part of a variable that all slices but the lists choose, those that are in the lists.
template <class V>
void write_places(std::ptrdiff_t*& to, V const& part, int axis, std::ptrdiff_t at) {
    if (axis == part.extent().rank()) *to++ = at;
    else
        for (std::size_t i = 0; i < part.extent()[axis]; ++i) write_places(to, part, axis + 1, at + static_cast<std::ptrdiff_t>(i) * part.steps()[axis]);
}
template <class V, class S, class... Rest>
void write_places(std::ptrdiff_t*& to, V const& part, int axis, std::ptrdiff_t at, S const& slice, Rest const&... rest) {
    if constexpr (std::integral<S>) write_places(to, part, axis, at, rest...);
    else {
        auto const go = [&](auto const& index, std::size_t n) {
            for (std::size_t k = 0; k < n; ++k) write_places(to, part, axis + 1, at + static_cast<std::ptrdiff_t>(index(k)) * part.steps()[axis], rest...);
        };
        if constexpr (is_list<S>) go(slice, static_cast<std::size_t>(slice.size()));
        else go([](std::size_t k) { return k; }, part.extent()[axis]);
    }
}
// The elements of a variable in a view with lists, which may be assigned to.
template <class U, class V, int X, class... S>
auto listed_place(char const* call, U& u, V const& part, extents<X> const& x, S const&... slices) {
    int of_x = 0, axis = 0;
    auto shape = part.extent();
    auto const within = [&]<class T>(T const& slice) {
        if constexpr (is_list<T>) {
            auto list = list_within(slice, x[of_x++], x);
            shape[axis++] = static_cast<std::size_t>(list.size());
            return list;
        } else {
            of_x += std::is_same_v<T, xt::xnewaxis_tag> ? 0 : 1;
            axis += std::integral<T> ? 0 : 1;
            return slice;
        }
    };
    std::tuple<S...> const given{within(slices)...};
    auto places = written_index_operand(u.owner(), shape, [&](std::ptrdiff_t* p) {
        detail::call_with([&](auto const&... slice) { write_places(p, part, 0, part.offset(), slice...); }, given);
    });
    return index_place(call, std::move(places), u);
}

}  // namespace xgrad::detail
