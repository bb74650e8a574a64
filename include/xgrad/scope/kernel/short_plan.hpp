// Defines short_plan: the plan of a short kernel, whose arrays lie flat, or are copied to lie so.
#pragma once

#include <cstddef>

#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/kernel/offsets.hpp>
#include <xgrad/scope/kernel/seen_arrays.hpp>

namespace xgrad {

// All is one tile, in place, whose last step takes again what the one before has taken (plan::rest). Where there is no step before, or what it has read
// is there no more, the whole steps are one tile, and the rest, which fills no step, is another, in copies. Nothing that is not inlined sees it: it is in
// registers, and of a few elements a kernel does little but compute them.
class short_plan {
public:
    std::size_t size;      // the elements of this tile
    bool partial = false;  // whether they fill no step
    std::size_t rest = 0;
    bool const takes_several;  // whether several uses of arrays take cotangents, which may be of one array

    XGRAD_DETAIL_INLINE short_plan(seen_arrays const& seen, std::size_t count, std::size_t unit, bool several)
        : size(count & ~(unit - 1)), takes_several(several), space_(seen.space()), count_(count), unit_(unit) {
        if (size == count || size == 0 || seen.reads_once()) return;
        rest = count - size;
        size = count;
    }
    // The rest, if there is one.
    XGRAD_DETAIL_INLINE bool next() noexcept {
        if (partial || size == count_) return false;
        begin_ = size;
        size = count_ - size;
        partial = true;
        return true;
    }
    // Where this tile begins.
    std::ptrdiff_t position() const noexcept { return static_cast<std::ptrdiff_t>(begin_); }
    // Whether this tile lies where it is, in memory of which so many elements may be read.
    bool is_filled(std::size_t elements) const noexcept { return begin_ + unit_ <= elements; }
    iteration_space space() const noexcept { return space_; }

private:
    iteration_space space_;
    std::size_t count_, unit_, begin_ = 0;
};

}
