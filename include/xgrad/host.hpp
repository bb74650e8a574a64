// The only door to xtensor and xsimd: their headers for every supported release, and the patches that old releases need.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
// g++ 12 warns of its own intrinsics (GCC bug 105593), wherever they are inlined
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
#include <xsimd/xsimd.hpp>

#if __has_include(<xtensor/containers/xarray.hpp>)

#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xbuffer_adaptor.hpp>
#include <xtensor/containers/xfixed.hpp>
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xexpression_traits.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/misc/xpad.hpp>
#include <xtensor/views/xview.hpp>

#elif __has_include(<xtensor/xarray.hpp>)

#include <xtensor/xexpression_traits.hpp>
#include <xtensor/xstorage.hpp>

namespace xt::detail {

// g++ in C++20 matches svector with the array-like case: xt::eval of a lazy dynamic expression would be an xtensor<T, 4> and corrupt memory.
template <>
struct xtype_for_shape<dynamic_shape<std::size_t>> {
    template <class T, layout_type L>
    using type = xarray<T, L>;
};

}  // namespace xt::detail

#if defined(__clang__) && __clang_major__ >= 19
namespace xt {

// They find two partial specialisations equally good, and xarray does not compile.
template <>
struct rebind_container<std::ptrdiff_t, svector<std::size_t, 4, std::allocator<std::size_t>, true>> {
    using type = svector<std::ptrdiff_t, 4, std::allocator<std::ptrdiff_t>, true>;
};

}  // namespace xt
#endif

#include <xtensor/xbuffer_adaptor.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#else
#error "xgrad requires xtensor 0.24 or later on the include path (Debian: libxtensor-dev)"
#endif

namespace xgrad {
// As the heads of its functions say it.
template <class X>
#if XTENSOR_VERSION_MAJOR == 0 && XTENSOR_VERSION_MINOR < 26
using host_negation = xtl::negation<X>;
#else
using host_negation = std::negation<X>;
#endif
}
