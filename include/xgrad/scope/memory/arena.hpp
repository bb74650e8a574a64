// Defines arena: growing memory for slots, values and cotangents; what is given back is used again, and returns to the system when it is not needed for long.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <xgrad/rule/inline.hpp>

#if defined(XGRAD_DETAIL_ADDRESS_SANITIZER)
extern "C" {
void __asan_poison_memory_region(void const volatile*, std::size_t);
void __asan_unpoison_memory_region(void const volatile*, std::size_t);
}
#endif

namespace xgrad {

namespace detail {

// What nobody has taken is not to be read or written: the address sanitizer finds who does.
XGRAD_DETAIL_INLINE void forbid([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(XGRAD_DETAIL_ADDRESS_SANITIZER)
    __asan_poison_memory_region(p, bytes);
#endif
}
XGRAD_DETAIL_INLINE void allow([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(XGRAD_DETAIL_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(p, bytes);
#endif
}

}

// Blocks of a size class (multiples of 16 bytes up to 256, of 64 up to 1024, then four classes to an octave) that were given back form a list; taking
// pops it, or cuts a block off the chunk in use. Giving back cannot fail, so the reverse pass needs nothing that is not there already.
class arena {
public:
    arena() = default;
    arena(arena const&) = delete;
    arena& operator=(arena const&) = delete;
    ~arena() { release(); }
    // Gives all memory back to the system. No block may be taken.
    void release() noexcept {
        release_behind(nullptr);
        highest_ = free_.size() - 1;
        forget_free();
        enter(nullptr);
        bottom_ = top_;
    }

    XGRAD_DETAIL_INLINE void* take(std::size_t bytes) {
        auto const [index, size] = class_of(bytes);
        if (void* p = free_[index]) {
            detail::allow(p, size);
            free_[index] = *static_cast<void**>(p);
            return p;
        }
        if (size <= small ? size <= static_cast<std::size_t>(end_ - top_) : align() && size <= static_cast<std::size_t>(end_ - top_)) return advance(size);
        return cut(size);
    }
    XGRAD_DETAIL_INLINE void give(void* p, std::size_t bytes) noexcept {
        auto const [index, size] = class_of(bytes);
        // the block that was cut off last goes back to where it came from
        if (static_cast<std::byte*>(p) + size == top_) {
            top_ = static_cast<std::byte*>(p);
            detail::forbid(p, size);
            return;
        }
        *static_cast<void**>(p) = free_[index];
        free_[index] = p;
        detail::forbid(p, size);
        if (index > highest_) highest_ = index;
    }
    // A big block that lives for most of a call, of its own size, where its class would be up to a quarter more. It is used again for the same size alone.
    void* take_exact(std::size_t bytes) {
        std::size_t const size = exact_size(bytes);
        for (exact_block** at = &exact_; *at; at = &(*at)->next)
            if ((*at)->size == size) {
                void* const p = *at;
                *at = (*at)->next;
                detail::allow(p, size);
                return p;
            }
        return cut(size);
    }
    void give_exact(void* p, std::size_t bytes) noexcept {
        std::size_t const size = exact_size(bytes);
        if (static_cast<std::byte*>(p) + size == top_) top_ = static_cast<std::byte*>(p);
        else {
            exact_ = new (p) exact_block{exact_, size};
            if (highest_ == 0) highest_ = 1;  // there is something to forget
        }
        // what the list is made of is read where it is searched
        std::size_t const head = top_ == p ? 0 : sizeof(exact_block);
        detail::forbid(static_cast<std::byte*>(p) + head, size - head);
    }

    // Takes every block back at once; the memory stays, but for what many calls in turn did not reach.
    void reset() noexcept {
        if (current_ && current_->next) [[unlikely]] shrink();
        else spared_ = 0;
        if (highest_ != 0) forget_free();
        enter(first_);
        bottom_ = top_;
#if defined(XGRAD_DETAIL_ADDRESS_SANITIZER)
        for (chunk* c = first_; c; c = c->next) detail::forbid(c + 1, c->size);
#endif
    }
    // What was taken behind a place is taken back at once, if the memory is in the state of then: nothing from before it was given back.
    struct place {
        void* in = nullptr;
        std::byte* top = nullptr;
    };
    place here() const noexcept { return {current_, top_}; }
    XGRAD_DETAIL_INLINE void return_to(place const& p) noexcept {
        if (current_ != p.in || top_ != p.top || highest_ != 0) return_from(p);
    }
    // Whether no block is taken, and nothing else was marked since the last reset.
    bool is_clear() const noexcept { return top_ == bottom_; }
    void mark() noexcept { bottom_ = reinterpret_cast<std::byte*>(this); }
    // The bytes behind which nothing was taken since the last reset.
    std::size_t reached() const noexcept {
        std::size_t bytes = 0;
        for (chunk const* c = first_; c && c != current_; c = c->next) bytes += c->size;
        return current_ ? bytes + static_cast<std::size_t>(top_ - reinterpret_cast<std::byte const*>(current_ + 1)) : bytes;
    }
    // The bytes obtained from the system so far.
    std::size_t capacity() const noexcept { return capacity_; }

private:
    static constexpr std::size_t alignment = 64, small = 256, medium = 1024;
    struct alignas(alignment) chunk {
        chunk* next;
        std::size_t size;
    };
    chunk* first_ = nullptr;
    chunk* current_ = nullptr;
    std::byte* top_ = nullptr;
    std::byte* end_ = nullptr;
    std::byte* bottom_ = nullptr;  // the top where no block is taken, or no top
    std::size_t capacity_ = 0, grown_ = 0, highest_ = 0;
    int spared_ = 0;  // how many calls in turn did not reach the last chunk
    std::array<void*, 241> free_{};  // up to blocks of 2^63 bytes
    struct exact_block {
        exact_block* next;
        std::size_t size;
    };
    exact_block* exact_ = nullptr;
    static constexpr std::size_t exact_size(std::size_t bytes) noexcept {
        return bytes <= small ? small + alignment : (bytes + alignment - 1) / alignment * alignment;
    }

    void forget_free() noexcept {
        for (std::size_t i = 0; i <= highest_; ++i) free_[i] = nullptr;
        exact_ = nullptr;
        highest_ = 0;
    }

    XGRAD_DETAIL_INLINE static constexpr std::pair<std::size_t, std::size_t> class_of(std::size_t bytes) noexcept {
        if (bytes <= small) {
            std::size_t k = bytes == 0 ? 1 : (bytes + 15) / 16;
            return {k, k * 16};
        }
        if (bytes <= medium) {
            std::size_t const k = (bytes + alignment - 1) / alignment;
            return {12 + k, k * alignment};
        }
        std::size_t octave = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;  // 2^octave < bytes <= 2^(octave + 1)
        std::size_t step = std::size_t{1} << (octave - 2), quarter = (bytes - 1 - (std::size_t{1} << octave)) / step;
        return {29 + (octave - 10) * 4 + quarter, (std::size_t{1} << octave) + (quarter + 1) * step};
    }
    // Gives up the chunks behind this one.
    void release_behind(chunk* last) noexcept {
        chunk*& rest = last ? last->next : first_;
        while (chunk* c = rest) {
            rest = c->next;
            capacity_ -= c->size;
            if (grown_ > capacity_) grown_ = capacity_;
            detail::allow(c + 1, c->size);
            ::operator delete(c, std::align_val_t{alignment});
        }
    }
    // The last chunk is about half of the memory.
    [[gnu::cold, gnu::noinline]] void shrink() noexcept {
        if (++spared_ < 64) return;
        spared_ = 0;
        chunk* last = current_;
        while (last->next->next) last = last->next;
        release_behind(last);
    }
    [[gnu::noinline]] void return_from(place const& p) noexcept {
        if (highest_ != 0) forget_free();
        enter(p.in ? static_cast<chunk*>(p.in) : first_);
        if (p.in) top_ = p.top;
#if defined(XGRAD_DETAIL_ADDRESS_SANITIZER)
        if (current_) detail::forbid(top_, static_cast<std::size_t>(end_ - top_));
        for (chunk* c = current_ ? current_->next : nullptr; c; c = c->next) detail::forbid(c + 1, c->size);
#endif
    }
    void enter(chunk* c) noexcept {
        current_ = c;
        top_ = c ? reinterpret_cast<std::byte*>(c + 1) : nullptr;
        end_ = c ? top_ + c->size : nullptr;
    }
    XGRAD_DETAIL_INLINE std::byte* advance(std::size_t size) noexcept {
        detail::allow(top_, size);
        return std::exchange(top_, top_ + size);
    }
    // Brings what is cut off next to a boundary, if there is one before the chunk's end.
    XGRAD_DETAIL_INLINE bool align() noexcept {
        auto* const p = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(top_) + alignment - 1) & ~(alignment - 1));
        if (p > end_) return false;
        top_ = p;
        return true;
    }
    [[gnu::noinline]] void* cut(std::size_t size) {
        for (;;) {
            if (size > small) (void)align();
            if (current_ && top_ <= end_ && size <= static_cast<std::size_t>(end_ - top_)) return advance(size);
            if (current_ && current_->next) enter(current_->next);
            else grow(size);
        }
    }
    void grow(std::size_t size) {
        // a small one comes first: calls that need little leave the big one behind it alone
        if (constexpr std::size_t first = 16384; !current_ && size > first) grow(first);
        std::size_t want = grown_ < 8192 ? 16384 : grown_;
        if (want < size) want = size;
        // one block that is more than all before it has a chunk of its own: what comes next is not expected to be as much
        if (size <= capacity_ || !current_) grown_ += want;
        want = (want + alignment - 1) & ~(alignment - 1);
        auto* c = new (::operator new(sizeof(chunk) + want, std::align_val_t{alignment})) chunk{nullptr, want};
        (current_ ? current_->next : first_) = c;
        capacity_ += want;
        detail::forbid(c + 1, want);
        enter(c);
    }
};

}
