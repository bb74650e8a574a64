// Defines lapack_calls: counts of the factorisations and of the solves with triangles made by this program, as blas_calls does for products.
#pragma once

#include <xgrad/ruleset/linalg/lapack_host.hpp>

#include "blas_calls.hpp"

namespace xgrad::test {

struct lapack_counts {
    long getrf = 0, potrf = 0, syevd = 0, gesdd = 0, gelqf = 0, geev = 0, getrs = 0, getri = 0, potri = 0, trsm = 0, trsv = 0, trmm = 0;

    long factorisations() const { return getrf + potrf + syevd + gesdd + gelqf + geev; }
    friend lapack_counts operator-(lapack_counts const& a, lapack_counts const& b) {
        return {a.getrf - b.getrf, a.potrf - b.potrf, a.syevd - b.syevd, a.gesdd - b.gesdd, a.gelqf - b.gelqf, a.geev - b.geev, a.getrs - b.getrs,
                a.getri - b.getri, a.potri - b.potri, a.trsm - b.trsm,   a.trsv - b.trsv,   a.trmm - b.trmm};
    }
};

inline lapack_counts lapack_calls;

// The calls that f makes.
template <class F>
lapack_counts lapack_calls_of(F&& f) {
    auto const before = lapack_calls;
    f();
    return lapack_calls - before;
}

}  // namespace xgrad::test

#if defined(HAVE_CBLAS)
#define XGRAD_TEST_COUNT(kind, name, parameters, arguments)         \
    extern "C" __attribute__((weak)) void name parameters {         \
        static auto const next = xgrad::test::next_blas(&name, #name); \
        ++xgrad::test::lapack_calls.kind;                           \
        return next arguments;                                      \
    }
namespace cxxlapack {
XGRAD_TEST_COUNT(getrf, dgetrf_, (int const* m, int const* n, double* a, int const* lda, int* p, int* i), (m, n, a, lda, p, i))
XGRAD_TEST_COUNT(potrf, dpotrf_, (char const* u, int const* n, double* a, int const* lda, int* i), (u, n, a, lda, i))
XGRAD_TEST_COUNT(potri, dpotri_, (char const* u, int const* n, double* a, int const* lda, int* i), (u, n, a, lda, i))
XGRAD_TEST_COUNT(getri, dgetri_, (int const* n, double* a, int const* lda, int const* p, double* w, int const* l, int* i), (n, a, lda, p, w, l, i))
XGRAD_TEST_COUNT(getrs, dgetrs_, (char const* t, int const* n, int const* k, double const* a, int const* lda, int const* p, double* b, int const* ldb, int* i),
                 (t, n, k, a, lda, p, b, ldb, i))
XGRAD_TEST_COUNT(syevd, dsyevd_,
                 (char const* j, char const* u, int const* n, double* a, int const* lda, double* w, double* work, int const* l, int* iwork, int const* li,
                  int* i),
                 (j, u, n, a, lda, w, work, l, iwork, li, i))
XGRAD_TEST_COUNT(gesdd, dgesdd_,
                 (char const* j, int const* m, int const* n, double* a, int const* lda, double* s, double* u, int const* ldu, double* v, int const* ldv,
                  double* work, int const* l, int* iwork, int* i),
                 (j, m, n, a, lda, s, u, ldu, v, ldv, work, l, iwork, i))
XGRAD_TEST_COUNT(gelqf, dgelqf_, (int const* m, int const* n, double* a, int const* lda, double* t, double* w, int const* l, int* i),
                 (m, n, a, lda, t, w, l, i))
XGRAD_TEST_COUNT(geev, dgeev_,
                 (char const* l, char const* r, int const* n, double* a, int const* lda, double* wr, double* wi, double* vl, int const* ldvl, double* vr,
                  int const* ldvr, double* work, int const* size, int* i),
                 (l, r, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, size, i))
// complex ones, which are pairs of numbers here; a Hermitian decomposition counts as a symmetric one
XGRAD_TEST_COUNT(geev, zgeev_,
                 (char const* l, char const* r, int const* n, double* a, int const* lda, double* w, double* vl, int const* ldvl, double* vr, int const* ldvr,
                  double* work, int const* size, double* rwork, int* i),
                 (l, r, n, a, lda, w, vl, ldvl, vr, ldvr, work, size, rwork, i))
XGRAD_TEST_COUNT(getrf, zgetrf_, (int const* m, int const* n, double* a, int const* lda, int* p, int* i), (m, n, a, lda, p, i))
XGRAD_TEST_COUNT(potrf, zpotrf_, (char const* u, int const* n, double* a, int const* lda, int* i), (u, n, a, lda, i))
XGRAD_TEST_COUNT(potri, zpotri_, (char const* u, int const* n, double* a, int const* lda, int* i), (u, n, a, lda, i))
XGRAD_TEST_COUNT(getri, zgetri_, (int const* n, double* a, int const* lda, int const* p, double* w, int const* l, int* i), (n, a, lda, p, w, l, i))
XGRAD_TEST_COUNT(getrs, zgetrs_, (char const* t, int const* n, int const* k, double const* a, int const* lda, int const* p, double* b, int const* ldb, int* i),
                 (t, n, k, a, lda, p, b, ldb, i))
XGRAD_TEST_COUNT(syevd, zheevd_,
                 (char const* j, char const* u, int const* n, double* a, int const* lda, double* w, double* work, int const* l, double* rwork, int const* lr,
                  int* iwork, int const* li, int* i),
                 (j, u, n, a, lda, w, work, l, rwork, lr, iwork, li, i))
XGRAD_TEST_COUNT(gesdd, zgesdd_,
                 (char const* j, int const* m, int const* n, double* a, int const* lda, double* s, double* u, int const* ldu, double* v, int const* ldv,
                  double* work, int const* l, double* rwork, int* iwork, int* i),
                 (j, m, n, a, lda, s, u, ldu, v, ldv, work, l, rwork, iwork, i))
XGRAD_TEST_COUNT(gelqf, zgelqf_, (int const* m, int const* n, double* a, int const* lda, double* t, double* w, int const* l, int* i),
                 (m, n, a, lda, t, w, l, i))
}
XGRAD_TEST_COUNT(trsm, cblas_dtrsm,
                 (CBLAS_ORDER o, CBLAS_SIDE s, CBLAS_UPLO u, CBLAS_TRANSPOSE t, CBLAS_DIAG d, CBLAS_INT m, CBLAS_INT n, double al, double const* a,
                  CBLAS_INT lda, double* b, CBLAS_INT ldb),
                 (o, s, u, t, d, m, n, al, a, lda, b, ldb))
XGRAD_TEST_COUNT(trmm, cblas_dtrmm,
                 (CBLAS_ORDER o, CBLAS_SIDE s, CBLAS_UPLO u, CBLAS_TRANSPOSE t, CBLAS_DIAG d, CBLAS_INT m, CBLAS_INT n, double al, double const* a,
                  CBLAS_INT lda, double* b, CBLAS_INT ldb),
                 (o, s, u, t, d, m, n, al, a, lda, b, ldb))
XGRAD_TEST_COUNT(trsv, cblas_dtrsv,
                 (CBLAS_ORDER o, CBLAS_UPLO u, CBLAS_TRANSPOSE t, CBLAS_DIAG d, CBLAS_INT n, double const* a, CBLAS_INT lda, double* x, CBLAS_INT incx),
                 (o, u, t, d, n, a, lda, x, incx))
#undef XGRAD_TEST_COUNT
#endif
