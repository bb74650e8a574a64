// Defines cotangent_streams: what the packs of a tabulation add to the neighbours that they read.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/lanes/pack_memory.hpp>
#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Cotangents of the packs that come one behind the other, a stream of them for each reading of f. The neighbours that a pack reads, and those of the next one,
// lie over each other: were each added to memory at once, it would wait for what was just stored there. A tile of packs is kept, and added stream by stream.
template <class U, std::size_t W>
class cotangent_streams {
    using V = pack_t<U, W>;
    static constexpr std::size_t tile = 32;
    struct stream {
        V of[tile];
        std::ptrdiff_t first, step;
    };

public:
    static constexpr std::size_t most = 8;
    // g(0), g(1), ... of a pack, n of them, for what lies at(0), at(1), ... from `to` on: neighbours where step(k) is 1, one element where it is 0.
    template <class At, class Step, class G>
    XGRAD_DETAIL_INLINE void keep(memory_t<U> to, std::size_t n, At const& at, Step const& step, G const& g) noexcept {
        if (!follow(n, at, step)) [[unlikely]] {
            add_to(to);
            count_ = n;
            each(n, [&](std::size_t k) XGRAD_DETAIL_LAMBDA {
                streams_[k].first = at(k);
                streams_[k].step = step(k);
                streams_[k].of[0] = V(0.0);
            });
        }
        std::size_t const j = packs_++;
        each(n, [&](std::size_t k) XGRAD_DETAIL_LAMBDA {
            auto& of = streams_[k].of;
            if (step(k) == 1) of[j] = g(k);
            else of[0] = of[0] + g(k);
        });
        if (packs_ == tile) [[unlikely]] add_to(to);
    }
    // What is kept goes there.
    [[gnu::noinline]] void add_to(memory_t<U> to) noexcept {
        std::size_t const n = packs_;
        for (std::size_t k = 0; k < count_ && n != 0; ++k) {
            auto const first = to + streams_[k].first;
            if (streams_[k].step == 0) *first = U(U(*first) + sum_of_lanes<U, W>(streams_[k].of[0]));
            else
                for (std::size_t j = 0; j < n; ++j)
                    add_lanes<U, W>(first, true, streams_[k].of[j], [j](std::size_t) XGRAD_DETAIL_LAMBDA { return static_cast<std::ptrdiff_t>(j * W); });
        }
        packs_ = 0;
    }

private:
    stream streams_[most];
    std::size_t packs_ = 0, count_ = 0;

    // Whether the next of n cotangents lie at at(0), at(1), ..., each behind that of the pack before.
    template <class At, class Step>
    XGRAD_DETAIL_INLINE bool follow(std::size_t n, At const& at, Step const& step) const noexcept {
        bool follows = packs_ != 0 && n == count_;
        each(n, [&](std::size_t k) XGRAD_DETAIL_LAMBDA {
            auto const& s = streams_[k];
            follows = follows && step(k) == s.step && at(k) == s.first + static_cast<std::ptrdiff_t>(packs_ * W) * s.step;
        });
        return follows;
    }
    template <class G>
    XGRAD_DETAIL_INLINE static void each(std::size_t n, G g) noexcept {
        [&]<std::size_t... K>(std::index_sequence<K...>) XGRAD_DETAIL_LAMBDA { ((K < n ? g(K) : void()), ...); }(std::make_index_sequence<most>());
    }
};

}
XGRAD_DETAIL_QUIET_END
