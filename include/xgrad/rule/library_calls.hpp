// Defines library_calls: while a call is explained, the names of the BLAS and LAPACK routines that rules call.
#pragma once

#include <vector>

namespace xgrad::detail {

inline constinit thread_local std::vector<char const*>* library_calls = nullptr;

inline void note_library_call(char const* name) {
    if (library_calls) [[unlikely]] library_calls->push_back(name);
}

}  // namespace xgrad::detail
