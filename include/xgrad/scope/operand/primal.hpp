// Defines primal_t<E>: the plain type of an active value; and how what lies in a slot is copied to one.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/operand/constant.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class T, int R>
struct primal_of { using type = xt::xtensor<T, static_cast<std::size_t>(R)>; };
template <class T>
struct primal_of<T, 0> { using type = T; };
template <class T>
struct primal_of<T, dynamic_rank> { using type = xt::xarray<T>; };

// One that keeps its shape.
template <class T, class R>
struct fixed_primal;
template <class T, std::size_t... N>
struct fixed_primal<T, static_extents<N...>> { using type = xt::xtensor_fixed<T, xt::xshape<N...>>; };

// One of this shape, its elements not set.
template <class T, int R>
auto primal_of_shape(extents<R> const& s) {
    if constexpr (R == dynamic_rank) return primal_of<T, R>::type::from_shape(std::vector<std::size_t>(s.begin(), s.end()));
    else return primal_of<T, R>::type::from_shape(s.n);
}
// The elements that lie there, in an array of its own; of duals the primals.
template <class T, int R>
auto primal_copy(array_ref<T const, R> const& a) {
    if constexpr (number_dual<T>) return primal_copy(array_ref<typename T::primal_type const, R>{a.data.primal(), a.shape, a.stride});
    else {
        auto x = primal_of_shape<T>(a.shape);
        evaluate(constant_array<T, R, block>(block(), a.data, a.shape, a.stride), a.shape, x.data());
        return x;
    }
}

}

// The plain type of an active value.
template <class E>
using primal_t = typename detail::primal_of<typename std::remove_cvref_t<E>::value_type, std::remove_cvref_t<E>::rank>::type;

}
XGRAD_DETAIL_QUIET_END
