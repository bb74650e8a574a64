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

namespace xgrad::linalg {

/// The integer that extents and strides are passed as. cxxblas' own loops multiply them, so there they must be wide.
#if defined(HAVE_CBLAS)
using blas_index = CBLAS_INT;
#else
using blas_index = std::ptrdiff_t;
#endif

}  // namespace xgrad::linalg
