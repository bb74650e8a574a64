// Defines check_replay: in a debug build, whether a step that is run once more gives the state that it gave before.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <type_traits>

#include <xgrad/loops/state.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

#ifdef NDEBUG
inline constexpr bool compares_replays = false;
#else
inline constexpr bool compares_replays = true;
#endif

[[noreturn, gnu::cold, gnu::noinline]] inline void replay_failed(char const* call, char const* why) noexcept {
    std::fprintf(stderr, "xgrad[E252]: %s requires a body that does the same when it is run once more, but it has thrown an exception there (%s): keep what "
                         "changes from run to run in the state, or pass it\n", call, why);
    std::terminate();
}
[[noreturn, gnu::cold, gnu::noinline]] inline void replay_differs(char const* call) noexcept {
    std::fprintf(stderr, "xgrad[E252]: %s requires a body that does the same when it is run once more, but it has given another state there: keep what "
                         "changes from run to run in the state, or pass it\n", call);
    std::terminate();
}

// Compilers round differently where a step is pulled, too: half of the digits have to agree.
template <class State>
void check_replay(char const* call, State& state, std::byte* found, std::byte const* expected) noexcept {
    each_leaf(
        [&]<class Leaf>(Leaf& leaf) {
            if constexpr (Leaf::takes_cotangents) {
                using T = typename Leaf::T;
                using V = std::remove_cvref_t<decltype(innermost_primal(T()))>;
                using R = real_type_t<xgrad::lane_type_t<V>>;
                auto const a = leaf.memory(found), b = leaf.memory(const_cast<std::byte*>(expected));
                R most = 0, apart = 0;
                bool differ = false;
                auto compare = [&](auto const& p, auto const& q) {
                    if ((p == p) != (q == q)) differ = true;
                    if (p == p && p != q) apart = std::max<R>(apart, std::abs(p - q));
                    if (q == q) most = std::max<R>(most, std::abs(q));
                };
                for (std::size_t i = 0; i < leaf.size(); ++i) {
                    V const p = innermost_primal(T(a[i])), q = innermost_primal(T(b[i]));
                    if constexpr (!batch<V>) compare(p, q);
                    else for (std::size_t j = 0; j < V::size; ++j) compare(p.get(j), q.get(j));
                }
                // what is no number, or infinite, is as it was
                if (differ || apart > std::sqrt(std::numeric_limits<R>::epsilon()) * (most + std::numeric_limits<R>::min())) replay_differs(call);
            }
        },
        state);
}

}
XGRAD_DETAIL_QUIET_END
