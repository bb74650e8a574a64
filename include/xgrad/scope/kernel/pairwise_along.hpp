// Defines pairwise_along<Rule, T>: long reductions along axes in parts, which meet pairwise: what rule/pairwise.hpp does for one number, for arrays of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include <xgrad/rule/pairwise.hpp>
#include <xgrad/rule/memory.hpp>
#include <xgrad/scope/memory/block.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The result has `kept` neighbouring elements for each index before the first axis that is reduced; each of them takes `count` of the `total` elements. What it
// has taken is put aside before that are too many for one sum after the other.
template <class Rule, class T>
class pairwise_along {
public:
    pairwise_along(context& c, memory_t<T> y, std::size_t kept, std::size_t count, std::size_t total)
        : y_(y), kept_(kept), run_(kept * count), total_(total), part_(total) {
        // a tile of several rows may be taken beside them
        constexpr std::size_t most = longest_sum<T> / 2;
        std::size_t const parts = count / most + 1;
        if (parts == 1 || total == 0) return;
        part_ = kept * most;
        room_ = kept * static_cast<std::size_t>(std::bit_width(parts));
        levels_.renew(c, room_ * sizeof(T));
    }
    bool is_needed() const noexcept { return part_ < total_; }
    // y has taken n more elements of the space.
    void add(std::size_t n) {
        taken_ += n;
        if (taken_ >= part_ || begin_ + taken_ == total_) put_aside();
    }

private:
    memory_t<T> y_;
    std::size_t kept_, run_, total_, part_, room_ = 0;
    std::size_t begin_ = 0, taken_ = 0;
    std::size_t parts_ = 0, depth_ = 0;  // of this run
    block levels_;

    memory_t<T> level(std::size_t k) const { return memory_in<T>(levels_.get(), room_) + k * kept_; }
    void meet(memory_t<T> y) {
        memory_t<T> const x = level(--depth_);
        for (std::size_t i = 0; i < kept_; ++i) y[i] = T(Rule::combine(T(x[i]), T(y[i])));
    }
    [[gnu::noinline]] void put_aside() {
        for (std::size_t const end = begin_ + taken_; begin_ != end;) {
            std::size_t const run = begin_ / run_, run_ends = (run + 1) * run_;
            memory_t<T> const y = y_ + run * kept_;
            begin_ = std::min(end, run_ends);
            if (begin_ == run_ends) {
                while (depth_ != 0) meet(y);
                parts_ = 0;
            } else {
                for (std::size_t k = parts_++; (k & 1) != 0; k >>= 1) meet(y);
                copy_elements<T>(y, kept_, level(depth_++));
                fill_elements<T>(y, kept_, Rule::template identity<T>());
            }
        }
        taken_ = 0;
    }
};

}
XGRAD_DETAIL_QUIET_END
