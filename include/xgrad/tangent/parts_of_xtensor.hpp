// parts of xt::xtensor, xt::xarray and xt::xtensor_fixed: the elements. A tangent has the shape and the layout of its primal.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/host.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/unequal.hpp>

namespace xgrad {

namespace detail {

template <class E, identified I>
struct parts_of_elements : one_part<E, I, true, I == identified::by_parts> {
    template <class F, class X, class... Rest>
    static constexpr void each(F&& f, X&& x, Rest&&... rest) {
        // One static layout of what is contiguous means one order in memory.
        constexpr auto layout = std::remove_cvref_t<X>::static_layout;
        go<layout != xt::layout_type::dynamic && (... && (std::remove_cvref_t<Rest>::static_layout == layout))>(f, x, rest...);
    }
    // The same in row-major order, however they lie.
    template <class F, class X, class... Rest>
    static constexpr void each_by_rows(F&& f, X&& x, Rest&&... rest) {
        constexpr auto rows = xt::layout_type::row_major;
        go<std::remove_cvref_t<X>::static_layout == rows && (... && (std::remove_cvref_t<Rest>::static_layout == rows))>(f, x, rest...);
    }
    template <class M, class F, class X, class... Rest>
    static constexpr M make(F&& f, X&& x, Rest&&... rest) {
        M m = shaped_like<M>(x);
        each([&f](auto& part, auto&... from) { part = f(from...); }, m, x, rest...);
        return m;
    }

private:
    template <bool InMemory, class F, class X, class... Rest>
    static constexpr void go(F& f, X& x, Rest&... rest) {
        require_equal_shapes(x, rest...);
        if constexpr (InMemory && I != identified::by_handle)
            over(f, x.size(), x.data(), rest.data()...);
        else
            over(f, x.size(), x.template begin<xt::layout_type::row_major>(), rest.template begin<xt::layout_type::row_major>()...);
    }
    template <class F, class... At>
    static constexpr void over(F& f, std::size_t n, At... at) {
        for (std::size_t i = 0; i < n; ++i) {
            f(*at...);
            (static_cast<void>(++at), ...);
        }
    }
    template <class M, class X>
    static constexpr M shaped_like(X const& x) {
        if constexpr (I == identified::by_parts)
            return M{};
        else if constexpr (M::static_layout == xt::layout_type::dynamic)
            return M(x.shape(), x.strides());
        else
            return M(x.shape());
    }
};

}  // namespace detail

template <class E, std::size_t N, xt::layout_type L, class Tag>
struct parts<xt::xtensor_container<E, N, L, Tag>> : detail::parts_of_elements<typename E::value_type, identified::by_address> {
    template <class Fn, class T = typename Fn::template type<typename E::value_type>>
    using rebind = std::conditional_t<std::is_same_v<T, typename E::value_type>, xt::xtensor_container<E, N, L, Tag>, xt::xtensor<T, N, L>>;
};

template <class E, xt::layout_type L, class S, class Tag>
struct parts<xt::xarray_container<E, L, S, Tag>> : detail::parts_of_elements<typename E::value_type, identified::by_address> {
    template <class Fn, class T = typename Fn::template type<typename E::value_type>>
    using rebind = std::conditional_t<std::is_same_v<T, typename E::value_type>, xt::xarray_container<E, L, S, Tag>, xt::xarray<T, L>>;
};

template <class P, class S, xt::layout_type L, bool Sharable, class Tag>
struct parts<xt::xfixed_container<P, S, L, Sharable, Tag>> : detail::parts_of_elements<P, identified::by_parts> {
    template <class Fn>
    using rebind = xt::xfixed_container<typename Fn::template type<P>, S, L, Sharable, Tag>;
};

}  // namespace xgrad
