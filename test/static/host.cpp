// The host's patches: the types that lazy expressions and dynamic arrays have.
#include <xgrad/host.hpp>

#include <type_traits>

template <class T>
using array = xt::xarray<T>;

using lazy = decltype(xt::exp(std::declval<array<double>&>()) + 1.0);
static_assert(std::is_same_v<xt::temporary_type_t<lazy>, array<double>>);
static_assert(std::is_same_v<std::decay_t<decltype(xt::eval(std::declval<lazy>()))>, array<double>>);
static_assert(std::is_same_v<xt::temporary_type_t<decltype(-std::declval<xt::xtensor<float, 3>&>())>, xt::xtensor<float, 3>>);
static_assert(std::is_same_v<array<int>::strides_type::value_type, std::ptrdiff_t>);
static_assert(std::is_same_v<xt::get_strides_t<array<int>::shape_type>, array<int>::strides_type>);
static_assert(std::is_same_v<xt::temporary_type_t<decltype(-std::declval<array<double> const&>())>, array<double>>);
static_assert(std::is_same_v<xt::get_strides_t<array<double>::shape_type>, array<double>::strides_type>);
