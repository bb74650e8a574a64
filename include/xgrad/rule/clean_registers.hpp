// Defines clean_registers: leaves the upper halves of vector registers clean behind a loop over packs.
#pragma once

#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Compilers clean up at the end of a function, but g++ 12 forgets some ways out: where packs are passed by value to what is not inlined, and where a constant
// is loaded once more behind a call. Scalar code in SSE, such as libm's, is then slow on some processors: an exponential takes ten times as long.
struct clean_registers {
    XGRAD_DETAIL_INLINE ~clean_registers() {
#if defined(__AVX__) && defined(__GNUC__) && !defined(__clang__)
        __builtin_ia32_vzeroupper();
#endif
    }
};

}
XGRAD_DETAIL_QUIET_END
