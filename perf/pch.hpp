// What every program of perf/ pays for, precompiled once.
#pragma once
#include <benchmark/benchmark.h>

#if __has_include(<xtensor-blas/xblas.hpp>)
#    include <xgrad/linalg.hpp>
#endif
#include <xgrad/xgrad.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>
#include <vector>
