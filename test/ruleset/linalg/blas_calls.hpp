// Defines blas_calls: counts of the BLAS calls made by this program. The symbols below stand before those of a shared BLAS
// library, count, and hand on to it. Nothing is counted where there is no library (XTENSOR_USE_FLENS_BLAS).
#pragma once

#include <xgrad/ruleset/linalg/blas_host.hpp>

namespace xgrad::test {

#if defined(HAVE_CBLAS)
inline constexpr bool counts_blas_calls = true;
#else
inline constexpr bool counts_blas_calls = false;
#endif

struct blas_counts {
    long gemm = 0, gemv = 0, ger = 0, dot = 0, axpy = 0;

    friend bool operator==(blas_counts const&, blas_counts const&) = default;
    friend blas_counts operator-(blas_counts const& a, blas_counts const& b) {
        return {a.gemm - b.gemm, a.gemv - b.gemv, a.ger - b.ger, a.dot - b.dot, a.axpy - b.axpy};
    }
};

inline blas_counts blas_calls;

/// The calls that f makes.
template <class F>
blas_counts blas_calls_of(F&& f) {
    auto const before = blas_calls;
    f();
    return blas_calls - before;
}

}  // namespace xgrad::test

#if defined(HAVE_CBLAS)

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace xgrad::test {

// Linkers drop a shared library of which nothing is missing: this routine is not counted, so it is.
[[gnu::used]] inline auto* const keeps_the_library = &cblas_dnrm2;

template <class F>
F* next_blas(F*, char const* name) {
    if (auto* const f = dlsym(RTLD_NEXT, name)) return reinterpret_cast<F*>(f);
    std::fprintf(stderr, "blas_calls.hpp: no shared library behind this program defines %s\n", name);
    std::abort();
}

}  // namespace xgrad::test

// weak, so that several units of one program may include this
#define XGRAD_TEST_COUNT(result, kind, name, parameters, arguments) \
    extern "C" __attribute__((weak)) result name parameters { \
        static auto const next = xgrad::test::next_blas(&name, #name); \
        ++xgrad::test::blas_calls.kind; \
        return next arguments; \
    }
#define XGRAD_TEST_COUNT_ALL(s, S, P, dot_result, dot_name, dot_parameters, dot_arguments, ger_name) \
    XGRAD_TEST_COUNT(void, gemm, cblas_##s##gemm, \
                     (CBLAS_ORDER o, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, CBLAS_INT m, CBLAS_INT n, CBLAS_INT k, S alpha, \
                      P const* a, CBLAS_INT lda, P const* b, CBLAS_INT ldb, S beta, P* c, CBLAS_INT ldc), \
                     (o, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) \
    XGRAD_TEST_COUNT(void, gemv, cblas_##s##gemv, \
                     (CBLAS_ORDER o, CBLAS_TRANSPOSE t, CBLAS_INT m, CBLAS_INT n, S alpha, P const* a, CBLAS_INT lda, \
                      P const* x, CBLAS_INT incx, S beta, P* y, CBLAS_INT incy), \
                     (o, t, m, n, alpha, a, lda, x, incx, beta, y, incy)) \
    XGRAD_TEST_COUNT(void, axpy, cblas_##s##axpy, (CBLAS_INT n, S alpha, P const* x, CBLAS_INT incx, P* y, CBLAS_INT incy), \
                     (n, alpha, x, incx, y, incy)) \
    XGRAD_TEST_COUNT(void, ger, ger_name, \
                     (CBLAS_ORDER o, CBLAS_INT m, CBLAS_INT n, S alpha, P const* x, CBLAS_INT incx, P const* y, CBLAS_INT incy, \
                      P* a, CBLAS_INT lda), \
                     (o, m, n, alpha, x, incx, y, incy, a, lda)) \
    XGRAD_TEST_COUNT(dot_result, dot, dot_name, dot_parameters, dot_arguments)
#define XGRAD_TEST_COUNT_REAL(s, P) \
    XGRAD_TEST_COUNT_ALL(s, P, P, P, cblas_##s##dot, (CBLAS_INT n, P const* x, CBLAS_INT incx, P const* y, CBLAS_INT incy), \
                         (n, x, incx, y, incy), cblas_##s##ger)
#define XGRAD_TEST_COUNT_COMPLEX(s, P) \
    XGRAD_TEST_COUNT_ALL(s, P const*, P, void, cblas_##s##dotu_sub, \
                         (CBLAS_INT n, P const* x, CBLAS_INT incx, P const* y, CBLAS_INT incy, P* result), \
                         (n, x, incx, y, incy, result), cblas_##s##geru)

XGRAD_TEST_COUNT_REAL(s, float)
XGRAD_TEST_COUNT_REAL(d, double)
XGRAD_TEST_COUNT_COMPLEX(c, float)
XGRAD_TEST_COUNT_COMPLEX(z, double)

#undef XGRAD_TEST_COUNT_COMPLEX
#undef XGRAD_TEST_COUNT_REAL
#undef XGRAD_TEST_COUNT_ALL
#undef XGRAD_TEST_COUNT
#endif
