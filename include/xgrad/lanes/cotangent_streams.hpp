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

public:
    static constexpr std::size_t most = 8;
    // g(0), g(1), ... of a pack, n of them, for what lies at(0), at(1), ... from `to` on: neighbours where is_row(k), one element elsewhere.
    template <class At, class IsRow, class G>
    XGRAD_DETAIL_INLINE void keep(memory_t<U> to, std::size_t n, At const& at, IsRow const& is_row, G const& g) noexcept {
        // how many, and of which kind each is, in one number
        std::size_t kind = n << most;
        each(n, [&](std::size_t k) XGRAD_DETAIL_LAMBDA { kind |= static_cast<std::size_t>(is_row(k)) << k; });
        if (!follow(n, kind, at, is_row)) [[unlikely]] {
            add_to(to);
            kind_ = kind;
            each(n, [&](std::size_t k) XGRAD_DETAIL_LAMBDA {
                first_[k] = at(k);
                of_[k][0] = V(0.0);
            });
        }
        std::size_t const j = packs_++;
        each(n, [&](std::size_t k) XGRAD_DETAIL_LAMBDA {
            if (is_row(k)) of_[k][j] = g(k);
            else of_[k][0] = of_[k][0] + g(k);
        });
        if (packs_ == tile) [[unlikely]] add_to(to);
    }
    // What is kept goes there.
    [[gnu::noinline]] void add_to(memory_t<U> to) noexcept {
        std::size_t const n = packs_;
        for (std::size_t k = 0; n != 0 && k < kind_ >> most; ++k) {
            auto const first = to + first_[k];
            if ((kind_ >> k & 1) == 0) *first = U(U(*first) + sum_of_lanes<U, W>(of_[k][0]));
            else
                for (std::size_t j = 0; j < n; ++j)
                    add_lanes<U, W>(first, true, of_[k][j], [j](std::size_t) XGRAD_DETAIL_LAMBDA { return static_cast<std::ptrdiff_t>(j * W); });
        }
        packs_ = 0;
        kind_ = none;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    V of_[most][tile];
    std::ptrdiff_t first_[most];
    std::size_t packs_ = 0, kind_ = none;

    // Whether the next of n cotangents lie at at(0), at(1), ..., each behind that of the pack before.
    template <class At, class IsRow>
    XGRAD_DETAIL_INLINE bool follow(std::size_t n, std::size_t kind, At const& at, IsRow const& is_row) const noexcept {
        bool follows = kind == kind_;
        auto const behind = static_cast<std::ptrdiff_t>(packs_ * W);
        each(n, [&](std::size_t k) XGRAD_DETAIL_LAMBDA { follows = follows && at(k) - (is_row(k) ? behind : 0) == first_[k]; });
        return follows;
    }
    template <class G>
    XGRAD_DETAIL_INLINE static void each(std::size_t n, G g) noexcept {
        [&]<std::size_t... K>(std::index_sequence<K...>) XGRAD_DETAIL_LAMBDA { ((K < n ? g(K) : void()), ...); }(std::make_index_sequence<most>());
    }
};

}
XGRAD_DETAIL_QUIET_END
