// Defines compare: times two programs in turn, so that what slows the machine down slows both, and enters the medians into a benchmark's row.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

namespace perf {

inline double median(std::vector<double> v) {
    auto const middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
}

// The seconds that so many calls take.
template <class F>
double seconds(F& f, std::size_t calls) {
    using clock = std::chrono::steady_clock;
    auto const begin = clock::now();
    for (std::size_t i = 0; i < calls; ++i) {
        benchmark::ClobberMemory();
        f();
    }
    return std::chrono::duration<double>(clock::now() - begin).count();
}

// The number of calls that take long enough for the clock.
template <class F>
std::size_t calls_per_sample(F& f) {
    std::size_t calls = 1;
    while (seconds(f, calls) < 20e-6) calls *= 2;
    return calls;
}

// `ours` is to take at most `bar` times what `limit` takes. The ratio is the median over the iterations of the benchmark.
template <class Limit, class Ours>
void compare(benchmark::State& state, double bar, Limit limit, Ours ours) {
    std::size_t const calls = calls_per_sample(limit);
    std::vector<double> limits, times, ratios;
    for (auto _ : state) {
        double const a = seconds(limit, calls), b = seconds(ours, calls);
        state.SetIterationTime(b / static_cast<double>(calls));
        limits.push_back(a / static_cast<double>(calls));
        times.push_back(b / static_cast<double>(calls));
        ratios.push_back(b / a);
    }
    state.counters["limit"] = median(limits);
    state.counters["xgrad"] = median(times);
    state.counters["ratio"] = median(ratios);
    state.counters["bar"] = bar;
}

// The largest difference of two gradients, relative to the largest element.
template <class A, class B>
double difference(A const& a, B const& b) {
    double most = 0.0, largest = 0.0;
    auto j = b.begin();
    for (auto i = a.begin(); i != a.end(); ++i, ++j) {
        most = std::max(most, std::abs(*i - *j));
        largest = std::max(largest, std::abs(*j));
    }
    return largest == 0.0 ? most : most / largest;
}

// Nothing is timed that is wrong.
inline bool agrees(benchmark::State& state, double difference) {
    if (difference <= 1e-10) return true;
    state.SkipWithError("the gradient is not that of the limit");
    return false;
}

}  // namespace perf
