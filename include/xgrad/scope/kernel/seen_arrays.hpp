// Defines seen_arrays: what a kernel finds out about its arrays as it opens, before it goes through any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/kernel/offsets.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What becomes of a use of an operand that a tree has several times (repeated.hpp): it computes the value, for itself or for others that are the same, or it is
// the same as one that does.
enum class repeated_use : unsigned { alone, kept, again };

// Whether all of them lie flat, that is, are all of the space in row-major order; what their uses are; and where each has room for copies of tiles.
class seen_arrays {
public:
    // `count`: the elements of the space; `steps`: what they are if all lie flat; `room`: the kernel's memory for copies.
    template <int R>
    XGRAD_DETAIL_INLINE seen_arrays(extents<R> const& space, std::size_t count, std::size_t steps, std::byte* room)
        : space_(space.n.data()), rank_(space.rank()), count_(count), steps_(steps), room_(room) {}

    // An array of this shape, which broadcasts to the space: whether it lies flat. Then a part of one that takes a cotangent is seen, too.
    template <int R>
    XGRAD_DETAIL_INLINE bool see(extents<R> const& shape, bool contiguous) noexcept {
        bool lies_flat = contiguous && shape.rank() == rank_;
        for (int d = 0; d < shape.rank() && lies_flat; ++d) lies_flat = shape[d] == space_[d];
        is_flat_ = is_flat_ && lies_flat;
        return lies_flat;
    }
    void see_part() noexcept { has_parts_ = true; }
    // Memory that the kernel's root reads, and that of a cotangent: where it is the same, what a step has read is there no more.
    void see_read(void const* memory) noexcept { read_ = memory; }
    void see_cotangent(void const* memory) noexcept { reads_once_ = reads_once_ || memory == read_; }
    // A result that some axes are reduced to; `in_turn`: and that takes elements in their order, tile by tile.
    void see_result(bool in_turn) noexcept {
        is_flat_ = false;
        is_long_ = in_turn;
    }
    bool is_flat() const noexcept { return is_flat_; }
    bool reads_once() const noexcept { return reads_once_; }
    // Whether each use of an array that lies flat adds to its cotangent by itself: there are so few steps that it takes longer to find out which of them are of
    // one array, or of parts that have elements in common.
    bool goes_alone(bool is_part) const noexcept { return steps_ <= (is_part ? 4 : most_alone); }
    // Whether the kernel is short: all arrays lie flat, and each goes alone. `finds_none`: there are no two that might be one; `most`: the elements of a tile.
    bool is_short(bool finds_none, std::size_t most) const noexcept { return is_flat_ && (finds_none ? count_ <= most : goes_alone(has_parts_)); }
    // Whether those that do not lie flat are copied, all of them, which takes less than to find tiles.
    bool goes_by_copies(std::size_t most) const noexcept { return !is_flat_ && count_ <= most && !is_long_ && goes_alone(has_parts_); }
    iteration_space space() const noexcept { return {space_, rank_}; }

    // What becomes of the uses of operands that the tree has several times, from the last to the first; they are taken from the first to the last.
    XGRAD_DETAIL_INLINE void note_use(repeated_use use) noexcept { uses_ = uses_ << bits_of_use | static_cast<unsigned>(use); }
    XGRAD_DETAIL_INLINE repeated_use take_use() noexcept {
        auto const use = static_cast<repeated_use>(uses_ & ((1u << bits_of_use) - 1));
        uses_ >>= bits_of_use;
        return use;
    }
    std::byte* take(std::size_t bytes) noexcept { return std::exchange(room_, room_ + bytes); }

protected:
    static constexpr std::size_t most_alone = 32;
    std::size_t const* space_;
    int rank_;
    std::size_t const count_, steps_;
    bool is_flat_ = true, reads_once_ = false;

private:
    static constexpr int bits_of_use = 2;
    bool has_parts_ = false, is_long_ = false;
    std::byte* room_;
    void const* read_ = nullptr;
    std::uint64_t uses_ = 0;  // of repeated operands
};

}
XGRAD_DETAIL_QUIET_END
