// Defines settle_blas: one thread, and a processor that OpenBLAS knows. Both are read before main begins, so the program starts anew.
#pragma once

#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <perf/table.hpp>

namespace perf {

// OpenBLAS takes a processor that is newer than itself for a Prescott, and computes at a fifth of the speed.
inline void settle_blas(char** argv) {
    bool changed = false;
    auto const set = [&](char const* name, char const* value) {
        if (std::getenv(name)) return;
        setenv(name, value, 0);
        changed = true;
    };
    set("OPENBLAS_NUM_THREADS", "1");
    if (openblas_get_corename && std::strcmp(openblas_get_corename(), "Prescott") == 0) set("OPENBLAS_CORETYPE", batch_bits() >= 512 ? "SkylakeX" : "Haswell");
    if (changed) execv("/proc/self/exe", argv);
}

}  // namespace perf
