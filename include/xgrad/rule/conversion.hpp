// Defines convert_op<T>: a number as one of another floating-point or complex type; and which of the element types of expressions convert to which.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T>
struct convert_op {
    static constexpr char const* name = "cast<T>(x)";
    template <class X>
        requires(!batch<X>)
    XGRAD_DETAIL_INLINE constexpr T operator()(X const& x) const noexcept {
        return static_cast<T>(x);
    }
};
template <class T>
inline constexpr auto partials<convert_op<T>> = [](auto y, auto) { return partial(one(y)); };
template <class T>
inline constexpr bool takes_complex<convert_op<T>> = detail::is_complex_number<T>;

namespace detail {

// S with its floating-point or complex numbers replaced by T.
template <class S, class T>
struct with_scalar { using type = T; };
template <class P, std::size_t N, class Tag, class T>
struct with_scalar<dual<P, N, Tag>, T> { using type = dual<typename with_scalar<P, T>::type, N, Tag>; };

// Whether an element of type S becomes one of type T without losing derivatives or an imaginary part.
template <class S, class T>
concept converts_to = !std::same_as<S, T> && !is_pack<S> && !is_pack<T> && (is_complex_number<T> || !is_complex_number<S>) &&
                      (!number_dual<S> || std::same_as<typename with_scalar<S, scalar_of_t<T>>::type, T>);
// The operation that does it: the tangents of duals go along.
template <class S, class T>
using conversion_t = convert_op<std::conditional_t<number_dual<S>, scalar_of_t<T>, T>>;

}

}
XGRAD_DETAIL_QUIET_END
