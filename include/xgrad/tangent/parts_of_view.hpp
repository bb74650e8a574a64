// parts of what does not own its elements: std::span, xt::view and xt::adapt of what has a name. The tangent is the same view over the shadow.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include <xgrad/host.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/parts_of_pointer.hpp>
#include <xgrad/tangent/parts_of_xtensor.hpp>

namespace xgrad {

namespace detail {

template <class Elements>
struct parts_of_view : Elements {
    template <class M, class F, class... X>
    static constexpr M make(F&&, X&&...) {
        refuse_to_own<M>();
    }
};

template <class P>
struct parts_of_span : one_part<P, identified::by_handle> {
    template <class F, class X, class... Rest>
    static constexpr void each(F&& f, X&& x, Rest&&... rest) {
        require_equal_sizes(x, rest...);
        for (std::size_t i = 0, n = x.size(); i < n; ++i) f(x[i], rest[i]...);
    }
};

// What an adaptor adapts, with elements of type T, if it is somebody else's.
template <class C, class T>
struct borrowed {};
template <class Pointer, class A, class T>
struct borrowed<xt::xbuffer_adaptor<Pointer, xt::no_ownership, A>, T> {
    using type = xt::xbuffer_adaptor<T*, xt::no_ownership, std::allocator<T>>;
};
template <class C, class T>
    requires has_parts<C>
struct borrowed<C&, T> {
    struct to_element {
        template <class P>
        using type = T;
    };
    using type = rebind_t<std::remove_const_t<C>, to_element>&;
};

template <class C>
concept borrows = requires { typename borrowed<C, double>::type; };

template <class C, class Fn>
using borrowed_t = typename borrowed<C, typename Fn::template type<typename std::remove_reference_t<C>::value_type>>::type;

template <class X>
using parts_of_elements_view = parts_of_view<parts_of_elements<std::remove_const_t<typename X::value_type>, identified::by_handle>>;

}  // namespace detail

template <class P, std::size_t N>
struct parts<std::span<P, N>> : detail::parts_of_view<detail::parts_of_span<P>> {
    template <class Fn>
    using rebind = std::span<typename Fn::template type<P>, N>;
};

template <class X, class... S>
    requires has_parts<X>
struct parts<xt::xview<X&, S...>> : detail::parts_of_elements_view<X> {
    template <class Fn>
    using rebind = xt::xview<rebind_t<std::remove_const_t<X>, Fn>&, S...>;
};

template <detail::borrows C, std::size_t N, xt::layout_type L, class Tag>
struct parts<xt::xtensor_adaptor<C, N, L, Tag>> : detail::parts_of_elements_view<std::remove_reference_t<C>> {
    template <class Fn>
    using rebind = xt::xtensor_adaptor<detail::borrowed_t<C, Fn>, N, L, Tag>;
};

template <detail::borrows C, xt::layout_type L, class S, class Tag>
struct parts<xt::xarray_adaptor<C, L, S, Tag>> : detail::parts_of_elements_view<std::remove_reference_t<C>> {
    template <class Fn>
    using rebind = xt::xarray_adaptor<detail::borrowed_t<C, Fn>, L, S, Tag>;
};

}  // namespace xgrad
