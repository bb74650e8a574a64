// The only door to xtensor-blas: its lowest layer, cxxblas, which takes pointers, extents and strides. It calls the BLAS
// library, or with XTENSOR_USE_FLENS_BLAS computes by itself. The layers above are not used: they choose wrong arguments
// for some layouts. Only the routines needed are included, which costs some 20 ms; all of cxxblas costs 100.
#pragma once

#include <complex>
#include <cstddef>

#include <xtensor-blas/xblas_config.hpp>  // as xtensor-blas itself: HAVE_CBLAS unless XTENSOR_USE_FLENS_BLAS

#include <xflens/cxxblas/auxiliary/auxiliary.tcc>
#include <xflens/cxxblas/drivers/drivers.tcc>
#include <xflens/cxxblas/level1/axpy.tcc>
#include <xflens/cxxblas/level1/dot.tcc>
#include <xflens/cxxblas/level1/scal.tcc>
#include <xflens/cxxblas/level1extensions/gescal.tcc>
#include <xflens/cxxblas/level2/gemv.tcc>
#include <xflens/cxxblas/level2/ger.tcc>
#include <xflens/cxxblas/level2extensions/gemv.tcc>
#include <xflens/cxxblas/level3/gemm.tcc>

#include <xgrad/rule/library_calls.hpp>

// A routine of that layer, which explain(f, x...) counts.
#define XGRAD_DETAIL_ROUTINE(LAYER, NAME)                  \
    template <class... A>                                  \
    auto NAME(A&&... a) {                                  \
        xgrad::detail::note_library_call(#NAME);           \
        return LAYER::NAME(static_cast<A&&>(a)...);        \
    }

namespace xgrad::linalg {

/// The integer that extents and strides are passed as. cxxblas' own loops multiply them, so there they must be wide.
#if defined(HAVE_CBLAS)
using blas_index = CBLAS_INT;
#else
using blas_index = std::ptrdiff_t;
#endif

namespace routine {
XGRAD_DETAIL_ROUTINE(cxxblas, axpy)
XGRAD_DETAIL_ROUTINE(cxxblas, dot)
XGRAD_DETAIL_ROUTINE(cxxblas, dotu)
XGRAD_DETAIL_ROUTINE(cxxblas, gemm)
XGRAD_DETAIL_ROUTINE(cxxblas, gemv)
XGRAD_DETAIL_ROUTINE(cxxblas, ger)
XGRAD_DETAIL_ROUTINE(cxxblas, geru)
}

}  // namespace xgrad::linalg
