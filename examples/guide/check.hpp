// Defines check, which ends a program of the guide where a result is not what its page says, and near, for numbers that are equal but for rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <source_location>

inline void check(bool right, std::source_location at = std::source_location::current()) {
    if (right) return;
    std::fprintf(stderr, "%s:%u: this is not so\n", at.file_name(), static_cast<unsigned>(at.line()));
    std::exit(1);
}
inline bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b)); }
