// The only door to LAPACK and to BLAS on triangles: the lowest layers of xtensor-blas, cxxlapack and cxxblas, which take pointers, extents and
// strides. Without a library (XTENSOR_USE_FLENS_BLAS) there are products, but no factorisations: who calls one is told what to install.
#pragma once

#include <xgrad/rule/memory.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/ruleset/linalg/blas_host.hpp>
#include <xgrad/ruleset/linalg/blas_operand.hpp>

#if defined(HAVE_CBLAS)
#include <xflens/cxxblas/level2/trmv.tcc>
#include <xflens/cxxblas/level2/trsv.tcc>
#include <xflens/cxxblas/level3/trmm.tcc>
#include <xflens/cxxblas/level3/trsm.tcc>
#include <xflens/cxxlapack/interface/gees.tcc>
#include <xflens/cxxlapack/interface/geev.tcc>
#include <xflens/cxxlapack/interface/gelqf.tcc>
#include <xflens/cxxlapack/interface/gesdd.tcc>
#include <xflens/cxxlapack/interface/getrf.tcc>
#include <xflens/cxxlapack/interface/getri.tcc>
#include <xflens/cxxlapack/interface/getrs.tcc>
#include <xflens/cxxlapack/interface/heevd.tcc>
#include <xflens/cxxlapack/interface/orglq.tcc>
#include <xflens/cxxlapack/interface/potrf.tcc>
#include <xflens/cxxlapack/interface/potri.tcc>
#include <xflens/cxxlapack/interface/syevd.tcc>
#include <xflens/cxxlapack/interface/unglq.tcc>
#endif

namespace xgrad::linalg {

#if defined(HAVE_CBLAS)
namespace routine {
XGRAD_DETAIL_ROUTINE(cxxblas, trmm)
XGRAD_DETAIL_ROUTINE(cxxblas, trsm)
XGRAD_DETAIL_ROUTINE(cxxblas, trsv)
XGRAD_DETAIL_ROUTINE(cxxlapack, gees)
XGRAD_DETAIL_ROUTINE(cxxlapack, geev)
XGRAD_DETAIL_ROUTINE(cxxlapack, gelqf)
XGRAD_DETAIL_ROUTINE(cxxlapack, gesdd)
XGRAD_DETAIL_ROUTINE(cxxlapack, getrf)
XGRAD_DETAIL_ROUTINE(cxxlapack, getri)
XGRAD_DETAIL_ROUTINE(cxxlapack, getrs)
XGRAD_DETAIL_ROUTINE(cxxlapack, heevd)
XGRAD_DETAIL_ROUTINE(cxxlapack, orglq)
XGRAD_DETAIL_ROUTINE(cxxlapack, potrf)
XGRAD_DETAIL_ROUTINE(cxxlapack, potri)
XGRAD_DETAIL_ROUTINE(cxxlapack, syevd)
XGRAD_DETAIL_ROUTINE(cxxlapack, unglq)
}
/// The first m rows of the orthogonal, or unitary, matrix that gelqf leaves in a.
template <class T>
void make_unitary_rows(blas_index m, blas_index n, blas_index k, T* a, blas_index lda, T const* tau, T* work, blas_index size) noexcept {
    if constexpr (blas_complex<T>) routine::unglq(m, n, k, a, lda, tau, work, size);
    else routine::orglq(m, n, k, a, lda, tau, work, size);
}
inline constexpr bool has_lapack = true;
#else
inline constexpr bool has_lapack = false;
#endif

/// The element types of factorisations: float, double, complex numbers of them, and duals.
template <class T>
concept factorable = blas_scalar<scalar_of_t<T>>;

template <class T>
consteval bool check_lapack() {
    static_assert(
        has_lapack || !factorable<T>,
        "xgrad[E056]: a factorisation (solve, inv, det, cholesky, eigh, svd, qr) requires a BLAS and LAPACK library, but xgrad is compiled without one: "
        "install OpenBLAS, link it, and leave out XTENSOR_USE_FLENS_BLAS");
    static_assert(
        factorable<T>,
        "xgrad[E057]: a factorisation (solve, inv, det, cholesky, eigh, svd, qr) requires elements of type float or double, or complex numbers of them, but "
        "these are others: convert them");
    return has_lapack && factorable<T>;
}

}  // namespace xgrad::linalg
