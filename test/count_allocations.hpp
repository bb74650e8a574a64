// Defines allocations and allocated_bytes, the number of heap allocations so far, and what they took. It replaces the operators of the program: to
// be included in one unit of it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::size_t allocations = 0;
[[maybe_unused]] std::size_t allocated_bytes = 0;
}

// The sanitizers' operators are replaced, too: they still see malloc.
[[gnu::noinline]] void* operator new(std::size_t n) {
    ++allocations;
    allocated_bytes += n;
    if (void* p = std::malloc(n ? n : 1)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
    ++allocations;
    allocated_bytes += n;
    std::size_t const alignment = static_cast<std::size_t>(a);
    if (void* p = std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
