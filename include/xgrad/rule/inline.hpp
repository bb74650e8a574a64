// Defines XGRAD_DETAIL_INLINE and XGRAD_DETAIL_LAMBDA: what must melt into its caller, or a kernel is no kernel.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#    define XGRAD_DETAIL_INLINE __attribute__((always_inline)) inline
#    define XGRAD_DETAIL_LAMBDA __attribute__((always_inline))
#else
#    define XGRAD_DETAIL_INLINE inline
#    define XGRAD_DETAIL_LAMBDA
#endif
