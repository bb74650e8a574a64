// Defines plan: how a kernel goes through its iteration space: in tiles, in each of which every array lies in one piece, or is brought to lie so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/kernel/array_records.hpp>
#include <xgrad/scope/kernel/axes.hpp>
#include <xgrad/scope/kernel/seen_arrays.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Knows shapes and strides alone, and no type of elements: it is compiled once. Tiles come in row-major order, or in that in which most arrays lie. Each array
// of the kernel is seen first: all may lie flat, that is, be all of the space in row-major order, and no more than that needs to be known. If they do not,
// each enters, and has a record. Where several parts of one memory take cotangents, each takes them in a copy of a tile, and adds to the memory when the tile
// ends: elements that two parts have in common would else be read by one right after the other wrote some of them, which processors are slow at.
class plan : public seen_arrays {
public:
    std::size_t size;      // the elements of this tile: as many as some whole steps take, or fewer than one does
    bool partial = false;  // whether they are fewer
    // Of the last tile of a row, which its steps do not fill: how many elements the last step has of its own. The others, which the step before has had, are
    // read and computed once more; what adds them up leaves them out.
    std::size_t rest = 0;

    // Of arrays that have been seen; a step takes `unit` elements, a power of two. `arrays`: room for as many records as may enter.
    XGRAD_DETAIL_INLINE plan(seen_arrays const& seen, std::size_t unit, offsets* arrays) : seen_arrays(seen), arrays_(arrays), unit_(unit), length_(count_) {}

    // All lie flat: one that takes a cotangent, and does not go alone, has a record. What is used several times in turn has one.
    template <int R>
    XGRAD_DETAIL_INLINE offsets* note_cotangent(extents<R> const& shape, void const* memory, std::ptrdiff_t begin, bool covers, std::byte* room) noexcept {
        offsets* const before = arrays_.before_at(memory, begin);
        if (!before) return arrays_.see_cotangent(shape.n.data(), memory, begin, covers, room, length_, is_flat_);
        ++before->uses;
        return before;
    }
    // If not all that was seen lies flat, it enters, in the same order.
    void begin_entering() noexcept { arrays_.clear(); }
    template <int R>
    XGRAD_DETAIL_INLINE offsets* enter(extents<R> const& shape, strides<R> const& stride) noexcept {
        return &arrays_.add(shape.n.data(), stride.n.data(), shape.rank(), false);
    }
    // One in row-major order that is all of the space; and one that has the rank of the space, and stays where it is along what a result is reduced along.
    offsets const* enter_all() noexcept { return &arrays_.add(nullptr, nullptr, whole_space, true); }
    offsets const* enter_result(std::ptrdiff_t const* stride, bool keeps_order = false) noexcept {
        keeps_order_ = keeps_order;
        return &arrays_.add(space_, stride, rank_, true);
    }
    // An array that takes a cotangent: the first that is given, and all of it, if it `covers` the memory.
    template <int R>
    XGRAD_DETAIL_INLINE offsets* enter_cotangent(extents<R> const& shape, strides<R> const& stride, void const* memory, std::ptrdiff_t begin, bool covers,
                                                 std::byte* room) noexcept {
        return arrays_.add_cotangent(shape.n.data(), stride.n.data(), shape.rank(), memory, begin, covers, room);
    }
    // Whether all that take cotangents are one array, used in turn.
    bool takes_one() const noexcept { return steps_ > most_alone && arrays_.takes_one(); }
    // A first tile, of operands that lie flat and fill a step, or none: the elements of its whole steps. `most`: those of a tile that is no copy.
    XGRAD_DETAIL_INLINE std::size_t start_flat(std::size_t most) noexcept {
        position_ = begin_ = size = 0;
        most_ = most;
        end_ = length_;
        if (is_flat_ && length_ >= unit_) cut();
        return size - rest;
    }
    // Makes the first tile behind start_flat's, which is there where that was not all; then the next one, if there is one.
    XGRAD_DETAIL_INLINE void start() noexcept {
        position_ = size;
        if (!is_flat_) find_tiles();
        cut();
    }
    XGRAD_DETAIL_INLINE bool next() noexcept {
        position_ += size;
        if (position_ == end_) return !is_flat_ && next_row();
        if (!by_rows_) advance_index();
        cut();
        return true;
    }

    // Where this tile begins in its row, or in every array that lies flat.
    std::ptrdiff_t position() const noexcept { return static_cast<std::ptrdiff_t>(position_); }
    // Whether this tile of the array lies in one piece at offset(o).
    bool in_place(offsets const* o) const noexcept { return !partial && (is_flat_ || o->in_place); }
    std::ptrdiff_t offset(offsets const* o) const noexcept {
        return is_flat_ ? position() : o->at + position() * o->step[last_];
    }
    // Whether this tile is part of a row of the array, at offset(o).
    bool is_in_row(offsets const* o) const noexcept { return is_flat_ || (by_rows_ && o->step[last_] == 1); }
    // Whether that is so of every part of the memory of this one.
    bool are_in_row(offsets const* o) const noexcept {
        while (o && is_in_row(o)) o = o->next_part;
        return !o;
    }
    // Whether all of this tile is one element of the array.
    bool is_one_element(offsets const* o) const noexcept { return !is_flat_ && o->stays; }
    // Whether a copy of this tile is that of the tile before.
    bool is_copied(offsets const* o) const noexcept { return !partial && position_ != begin_ && (by_rows_ ? is_one_element(o) : o->repeats); }
    // Whether the cotangents of this tile are added to those of others in a copy, which goes to the array's once for many tiles.
    bool gathers(offsets const* o) const noexcept { return !partial && !is_flat_ && !by_rows_ && o->repeats && !o->is_shared; }
    bool begins_gathering() const noexcept { return position_ / most_ % most_gathered == 0; }
    bool ends_gathering() const noexcept { return (position_ / most_ + 1) % most_gathered == 0 || length_ - position_ - size < unit_; }
    std::size_t gathered() const noexcept { return begins_gathering() ? size : most_; }  // elements of the copy
    std::size_t row_length() const noexcept { return shape_[last_]; }
    std::ptrdiff_t step(offsets const* o) const noexcept { return o->step[last_]; }
    bool begins_row() const noexcept { return position_ == begin_; }

    // f(offset, step, first, n, rows, between): the elements first, ..., first + n - 1 of this tile are n of the array, so far apart; and so
    // are those of rows behind them, `rows` with this one, each `between` behind the one before.
    template <class F>
    void for_each_stretch(offsets const* to, F f) const {
        offsets const& o = *to;
        std::ptrdiff_t const inner = is_flat_ ? 1 : o.step[last_];
        if (is_flat_ || by_rows_) return f(offset(to), inner, std::size_t(0), size, std::size_t(1), std::ptrdiff_t(0));
        std::size_t index[max_dynamic_rank];
        std::ptrdiff_t at = 0;
        for (int d = 0; d <= last_; ++d) at += static_cast<std::ptrdiff_t>(index[d] = index_[d]) * o.step[d];
        std::size_t const length = shape_[last_];
        std::ptrdiff_t const between = o.step[last_ - 1];
        for (std::size_t done = 0;;) {
            bool const is_whole = index[last_] == 0 && size - done >= length;
            std::size_t const n = is_whole ? length : std::min(length - index[last_], size - done);
            std::size_t const rows = is_whole ? std::min(shape_[last_ - 1] - index[last_ - 1], (size - done) / length) : 1;
            f(at, inner, done, n, rows, between);
            if ((done += n * rows) == size) return;
            at += static_cast<std::ptrdiff_t>(rows) * between - static_cast<std::ptrdiff_t>(index[last_]) * inner;
            index[last_] = 0, index[last_ - 1] += rows;
            for (int d = last_ - 1; index[d] == shape_[d]; --d) {
                at += o.step[d - 1] - static_cast<std::ptrdiff_t>(shape_[d]) * o.step[d];
                index[d] = 0;
                ++index[d - 1];
            }
        }
    }

private:
    static constexpr std::size_t most_gathered = 64;  // tiles: sums of floats stay exact
    static constexpr std::size_t longest_block = 4 * staged_tile;
    bool keeps_order_ = false;
    bool by_rows_ = true;  // tiles are parts of rows, or of the whole space
    int last_;
    array_records arrays_;
    std::size_t const unit_;
    std::size_t length_;      // of a row, or of the whole space
    std::size_t position_;    // where this tile begins in it
    std::size_t most_;
    std::size_t begin_, end_;  // of this block of the row
    std::size_t rows_;         // that are left of it, and that there are
    std::size_t first_rows_;
    std::size_t shape_[max_dynamic_rank];
    std::size_t index_[max_dynamic_rank];  // of the row, or of this tile's first element

    // Whether it is a result that the last axis is reduced along.
    bool is_reduced(offsets const& o) const noexcept { return o.is_of_root && o.step[last_] == 0; }
    [[gnu::noinline]] void find_tiles() noexcept {
        rows_ = 1;
        for (offsets& o : arrays_) {
            o.at = 0;
            o.find_steps(space_, rank_);
        }
        for (int d = 0; d < rank_; ++d) shape_[d] = space_[d];
        axes all{shape_, rank_, arrays_.begin(), arrays_.count(), unit_};
        bool const in_blocks = rank_ > 1 && !keeps_order_ && all.order();
        all.merge();
        rank_ = all.rank;
        last_ = rank_ - 1;
        std::size_t const n = shape_[last_];
        // if some rows that go together are whole steps, each tile begins with one: what is the same in each row is the same in each tile
        std::size_t const rows_of_steps = std::lcm(n, unit_);
        bool of_rows = rank_ > 1 && rows_of_steps <= staged_tile;
        std::size_t copied = 0;  // arrays of which a tile of several rows would be copied, by what that costs
        bool in_pieces = false;  // whether some of them are more than one number for each row
        for (offsets& o : arrays_) {
            o.in_place = o.step[last_] == 1;
            for (int d = last_ - 1; d >= 0; --d) o.in_place = o.in_place && o.step[d] == o.step[d + 1] * static_cast<std::ptrdiff_t>(shape_[d + 1]);
            o.repeats = of_rows && !o.in_place;
            for (int d = 0; d < last_; ++d) o.repeats = o.repeats && o.step[d] == 0;
            if (!o.in_place && !o.repeats) copied += is_reduced(o) ? 2 : 1;
            in_pieces = in_pieces || (!o.in_place && !o.repeats && o.step[last_] != 0);
        }
        // Rows that are short go together, and those whose ends fill no step, unless more would be copied for it.
        bool const fills = (n & (unit_ - 1)) == 0;
        by_rows_ = rank_ == 1 || n >= (fills ? 8 : 16) * unit_ || (in_pieces && n >= 4 * unit_ && (fills || copied * n > staged_tile / 2));
        for (int d = 0; d < last_; ++d) rows_ *= shape_[d];
        length_ = by_rows_ ? n : n * rows_;
        if (!by_rows_) rows_ = 1;
        of_rows = of_rows && !by_rows_;
        bool all_in_place = true;
        for (offsets& o : arrays_) {
            if (by_rows_) {
                o.in_place = o.step[last_] == 1;
                o.repeats = false;
            }
            o.stays = by_rows_ && o.step[last_] == 0;
            all_in_place = all_in_place && !o.is_shared && (o.in_place || (o.is_of_root && is_one_element(&o)));
        }
        end_ = length_;
        first_rows_ = rows_;
        if (in_blocks && by_rows_) end_block();
        for (int d = 0; d < rank_; ++d) index_[d] = 0;
        if (!all_in_place) most_ = of_rows ? staged_tile / rows_of_steps * rows_of_steps : staged_tile;
    }
    // Long rows, of arrays that lie in pieces along others, go in blocks that the cache holds: all rows of one block, then those of the next.
    void end_block() noexcept { end_ = length_ - begin_ < 2 * longest_block ? length_ : begin_ + longest_block; }
    [[gnu::noinline]] bool next_row() noexcept {
        if (--rows_ == 0) return next_block();
        position_ = begin_;
        for (int d = last_ - 1;; --d) {
            if (++index_[d] != shape_[d]) {
                for (offsets& o : arrays_) o.at += o.step[d];
                break;
            }
            index_[d] = 0;
            for (offsets& o : arrays_) o.at -= o.step[d] * (static_cast<std::ptrdiff_t>(shape_[d]) - 1);
        }
        if (size != end_ - begin_) cut();
        return true;
    }
    bool next_block() noexcept {
        if (end_ == length_) return false;
        position_ = begin_ = end_;
        rows_ = first_rows_;
        for (offsets& o : arrays_) o.at = 0;
        for (int d = 0; d < last_; ++d) index_[d] = 0;
        end_block();
        cut();
        return true;
    }
    [[gnu::noinline]] void advance_index() noexcept {
        std::size_t more = size;
        for (int d = last_; more != 0; --d) {
            more += index_[d];
            index_[d] = more % shape_[d];
            more /= shape_[d];
        }
    }
    XGRAD_DETAIL_INLINE void cut() noexcept {
        std::size_t const left = end_ - position_;
        partial = left < unit_;
        size = std::min(left, most_);
        rest = 0;
        if (partial) return;
        if (by_rows_ && !reads_once_) {
            if (left != size && left - size < unit_) size -= unit_;  // so that there is a step before the last one
            rest = size & (unit_ - 1);
        } else size &= ~(unit_ - 1);
    }
};

}
XGRAD_DETAIL_QUIET_END
