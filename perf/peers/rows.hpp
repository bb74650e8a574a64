// Defines row and rows: a peer's value and gradient beside xgrad's, once both agree: the median of calls that are made in turn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <perf/compare.hpp>
#include <perf/peers/xgrad.hpp>
#include <perf/settle_blas.hpp>
#include <perf/table.hpp>

namespace peers {

// How a peer gives the value and the gradient g.
template <class Peer>
void row(char const* program, char const* how, gradient_call const& ours, Peer peer, std::size_t repetitions) {
    std::vector<double> g, expected;
    double const value = ours(&expected);
    double const theirs = peer(g);
    std::string const name = std::string(program) + "; " + how;
    if (std::abs(theirs / value - 1.0) > 1e-9 || g.size() != expected.size() || perf::difference(g, expected) > 1e-9) {
        std::printf("%-46s another gradient, with the value %.17g instead of %.17g\n", name.c_str(), theirs, value);
        return;
    }
    auto const a = [&] { benchmark::DoNotOptimize(peer(g)); };
    auto const b = [&] { benchmark::DoNotOptimize(ours(nullptr)); };
    std::size_t const calls = perf::calls_per_sample(b);
    std::vector<double> times, own, ratios;
    for (std::size_t i = 0; i < repetitions; ++i) {
        // each with its own data in the caches
        a();
        times.push_back(perf::seconds(a, calls) / static_cast<double>(calls));
        b();
        own.push_back(perf::seconds(b, calls) / static_cast<double>(calls));
        ratios.push_back(times.back() / own.back());
    }
    auto const duration = perf::duration(perf::median(times)), own_duration = perf::duration(perf::median(own));
    std::printf("%-46s %12s %12s %7.1fx\n", name.c_str(), duration.c_str(), own_duration.c_str(), perf::median(ratios));
    std::fflush(stdout);
}

inline void head(std::string const& peer) {
    std::printf("%s; %s; xsimd %s; %s\n", perf::machine().c_str(), perf::compiler().c_str(), xsimd::default_arch::name(), perf::blas().c_str());
    std::printf("%-46s %12s %12s %8s\n", peer.c_str(), "peer", "xgrad", "ratio");
}

// The programs by one peer: gradient(f, g) takes a functor, and gives its value at f.x.
template <class Gradient>
void rows(char const* how, Gradient gradient) {
    auto const one = [&](auto const& f, std::size_t repetitions) {
        auto call = gradient(f);
        row(f.name, how, by_xgrad(f), call, repetitions);
    };
    one(residual{}, 301);
    one(chain{}, 101);
    one(make_mixture("mixture, d = 10, K = 25", 25, 10), 11);
}

}  // namespace peers
