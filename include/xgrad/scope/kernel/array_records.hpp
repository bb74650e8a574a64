// Defines array_records: what a kernel knows of its arrays, and which of those that take cotangents are one, or have elements in common.
#pragma once

#include <cstddef>

#include <xgrad/scope/kernel/offsets.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// In memory for as many as enter.
class array_records {
public:
    XGRAD_DETAIL_INLINE explicit array_records(offsets* records) noexcept : records_(records) {}
    offsets* begin() noexcept { return records_; }
    offsets* end() noexcept { return records_ + count_; }
    int count() const noexcept { return count_; }
    void clear() noexcept {
        count_ = 0;
        last_cotangent_ = nullptr;
        takes_one_ = false;
    }
    // Whether all that take cotangents are one array, used in turn.
    bool takes_one() const noexcept { return takes_one_; }

    // The cotangent that came last, if it lies there.
    XGRAD_DETAIL_INLINE offsets* before_at(void const* memory, std::ptrdiff_t begin) const noexcept {
        return last_cotangent_ && last_cotangent_->memory == memory && last_cotangent_->begin == begin ? last_cotangent_ : nullptr;
    }
    // One that takes no cotangent.
    XGRAD_DETAIL_INLINE offsets& add(std::size_t const* shape, std::ptrdiff_t const* stride, int rank, bool is_of_root) noexcept {
        offsets& o = records_[count_++];
        o.shape = shape;
        o.stride = stride;
        o.rank = rank;
        o.is_of_root = is_of_root;
        o.is_shared = o.is_first = o.covers = o.is_first_part = false;
        o.memory = nullptr;
        o.same = nullptr;
        return o;
    }
    // One that takes a cotangent, which lies at `begin` in this memory. What is used several times in turn is one.
    XGRAD_DETAIL_INLINE offsets* add_cotangent(std::size_t const* shape, std::ptrdiff_t const* stride, int rank, void const* memory, std::ptrdiff_t begin,
                                               bool covers, std::byte* room) noexcept {
        if (last_cotangent_ && last_cotangent_->is(memory, begin, shape, stride, rank)) {
            ++last_cotangent_->uses;
            return last_cotangent_;
        }
        offsets* const o = note_cotangent(add(shape, stride, rank, false), memory, begin, covers, room);
        if (!takes_one_) find_same(o);
        return o;
    }
    // The same where all arrays lie flat, which they do not if this one has elements in common with another part of its memory. `length`: their elements.
    XGRAD_DETAIL_INLINE offsets* see_cotangent(std::size_t const* shape, void const* memory, std::ptrdiff_t begin, bool covers, std::byte* room,
                                               std::size_t length, bool& are_flat) noexcept {
        offsets* const o = note_cotangent(records_[count_++], memory, begin, covers, room);
        o->shape = shape;
        for (offsets const* other = records_; other != o; ++other)
            if (other->memory == memory) {
                if (find_same_flat(o, length)) are_flat = false;
                break;
            }
        return o;
    }

private:
    bool takes_one_ = false;
    int count_ = 0;
    offsets* last_cotangent_ = nullptr;
    offsets* records_;

    XGRAD_DETAIL_INLINE offsets* note_cotangent(offsets& o, void const* memory, std::ptrdiff_t begin, bool covers, std::byte* room) noexcept {
        o.memory = memory;
        o.begin = begin;
        o.room = room;
        o.same = o.next_part = nullptr;
        o.is_shared = false;
        o.is_first_part = o.is_first = true;
        o.covers = covers;
        o.uses = 1;
        o.met = 0;
        takes_one_ = !last_cotangent_;
        return last_cotangent_ = &o;
    }
    static void become_same(offsets& o, offsets& other) noexcept {
        o.same = &other;
        o.covers = other.covers;
        o.is_first = false;
    }
    // What begins at one place is the same; parts that begin elsewhere have elements in common, which is what is asked, or are far apart.
    [[gnu::noinline]] bool find_same_flat(offsets* o, std::size_t length) noexcept {
        bool meets_another = false;
        for (offsets* other = records_; other != o; ++other) {
            if (other->memory != o->memory || other->same) continue;
            if (other->begin == o->begin) {
                become_same(*o, *other);
                return false;
            }
            std::size_t const between = distance(*other, *o);
            meets_another = meets_another || (between < staged_tile && between < length);
        }
        return meets_another;
    }
    [[gnu::noinline]] void find_same(offsets* o) noexcept {
        offsets* last_part = nullptr;
        for (offsets* other = records_; other != o; ++other) {
            if (other->memory != o->memory || other->same) continue;
            if (other->is(o->memory, o->begin, o->shape, o->stride, o->rank)) return become_same(*o, *other);
            if (other->is_first_part && !last_part && meets(*other, *o)) last_part = other;
        }
        if (!last_part) return;
        while (last_part->next_part) last_part = last_part->next_part;
        last_part->next_part = o;
        o->is_first_part = false;
        o->is_shared = last_part->is_shared = true;
    }
    static std::size_t distance(offsets const& a, offsets const& b) noexcept {
        return static_cast<std::size_t>(a.begin < b.begin ? b.begin - a.begin : a.begin - b.begin);
    }
    // Whether a tile of the one may have elements in common with that of the other. They have none where both lie alike, and begin a row or a tile apart.
    static bool meets(offsets const& a, offsets const& b) noexcept {
        std::size_t const between = distance(a, b);
        bool is_far = between >= staged_tile;
        for (int d = 0; d < a.rank; ++d) is_far = is_far || (a.stride[d] == 1 && between >= a.shape[d]);
        return !is_far || a.rank != b.rank || !a.lies_as(b.shape, b.stride);
    }
};

}
XGRAD_DETAIL_QUIET_END
