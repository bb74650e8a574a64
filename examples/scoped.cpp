// A declared result, `-> xgrad::real`, runs every pullback at the function's closing brace: for hot scalar code.
#include <chrono>
#include <cmath>
#include <cstdio>

#include <xgrad/xgrad.hpp>

// The distance between two places on the globe, of latitude and longitude in radians, in km (haversine formula). Where the function
// names helpers of its own, they return values that are named by nobody, or xgrad::variable.
#define DISTANCE(RESULT)                                                                 \
    [](auto const& a, auto const& b, auto const& c, auto const& d) RESULT {              \
        auto s = sin((c - a) / 2.0);                                                     \
    }
