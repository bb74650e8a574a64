// Defines block: memory of a call, of which an operand or an operation is the owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <xgrad/scope/memory/workspace.hpp>

namespace xgrad {

namespace detail {
// Blocks that are not small lie at multiples of 64 bytes, as packs have to.
constexpr std::size_t bytes_of_packs(std::size_t bytes) noexcept { return std::max<std::size_t>(bytes, 320); }
}

// A block of a context's memory, which copies share; none where the array belongs to somebody else.
class block {
public:
    block() = default;
    block(context& c, std::size_t bytes) { take(c, bytes); }
    XGRAD_DETAIL_INLINE block(block&& o) noexcept : owner_(std::exchange(o.owner_, nullptr)), p_(o.p_), bytes_(o.bytes_) {}
    block(block const& o) noexcept : owner_(o.owner_), p_(o.p_), bytes_(o.bytes_) {
        if (owner_) ++owners(p_, bytes_);
    }
    block& operator=(block&&) = delete;
    XGRAD_DETAIL_INLINE ~block() {
        if (owner_) leave(owner_, p_, bytes_);
    }
    // Takes another one in the place of this.
    void renew(context& c, std::size_t bytes) {
        if (owner_) leave(owner_, p_, bytes_);
        owner_ = nullptr;  // none is left where the memory cannot be had
        take(c, bytes);
    }
    XGRAD_DETAIL_INLINE void* get() const noexcept { return p_; }

private:
    // how many have it is written behind what they have
    static std::size_t& owners(void* p, std::size_t bytes) noexcept { return *reinterpret_cast<std::size_t*>(static_cast<std::byte*>(p) + bytes); }
    void take(context& c, std::size_t bytes) {
        bytes_ = (bytes + alignof(std::size_t) - 1) / alignof(std::size_t) * alignof(std::size_t);
        p_ = c.memory.take(bytes_ + sizeof(std::size_t));
        new (&owners(p_, bytes_)) std::size_t(1);
        owner_ = &c;
        ++c.live;
    }
    // of what it has, not of itself, whose address stays unknown
    static void leave(context* owner, void* p, std::size_t bytes) noexcept {
        if (--owners(p, bytes) != 0) return;
        --owner->live;
        owner->memory.give(p, bytes + sizeof(std::size_t));
    }
    context* owner_ = nullptr;
    void* p_ = nullptr;
    std::size_t bytes_ = 0;
};

struct no_block {
    static constexpr void* get() noexcept { return nullptr; }
};

}
