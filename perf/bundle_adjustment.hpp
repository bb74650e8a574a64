// Defines bundle_adjustment: a row of the table for the gradient of the residual, by a function that calls it with the inputs.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>

#include <xgrad/xgrad.hpp>

#include <perf/compare.hpp>
#include <perf/limits/bundle_adjustment.hpp>

namespace perf {

template <class F>
void bundle_adjustment(benchmark::State& state, F const& f, double bar) {
    auto x = limits::bundle_adjustment_point();
    auto g = limits::apply([&](auto const&... e) { return xgrad::prepare_gradient(f, e...); }, x);
    auto const gradient = [&]() -> auto& {
        return limits::apply([&](auto const&... e) -> auto& { return g(e...); }, x).gradient;
    };
    auto const found = std::apply([](auto... e) { return limits::camera_and_point{e...}; }, gradient());
    if (!agrees(state, difference(found, limits::bundle_adjustment_gradient(x)))) return;
    compare(
        state, bar,
        [&] {
            benchmark::DoNotOptimize(x);
            benchmark::DoNotOptimize(limits::bundle_adjustment(x));
        },
        [&] {
            benchmark::DoNotOptimize(x);
            benchmark::DoNotOptimize(gradient());
        });
}

}  // namespace perf
