// Defines block: memory of a call, of which an operand or an operation is the owner.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/scope/memory/workspace.hpp>

namespace xgrad {

// A block of a context's memory; none where the array belongs to somebody else.
class block {
public:
    block() = default;
    block(context& c, std::size_t bytes) : owner_(&c), p_(c.memory.take(bytes)), bytes_(bytes) { ++c.live; }
    XGRAD_DETAIL_INLINE block(block&& o) noexcept : owner_(std::exchange(o.owner_, nullptr)), p_(o.p_), bytes_(o.bytes_) {}
    block& operator=(block&&) = delete;
    XGRAD_DETAIL_INLINE ~block() {
        if (owner_) give_back(owner_, p_, bytes_);
    }
    // Takes another one in the place of this.
    void renew(context& c, std::size_t bytes) {
        if (owner_) give_back(owner_, p_, bytes_);
        owner_ = nullptr;  // none is left where the memory cannot be had
        p_ = c.memory.take(bytes);
        bytes_ = bytes;
        owner_ = &c;
        ++c.live;
    }
    XGRAD_DETAIL_INLINE void* get() const noexcept { return p_; }

private:
    // of what it has, not of itself, whose address stays unknown
    static void give_back(context* owner, void* p, std::size_t bytes) noexcept {
        --owner->live;
        owner->memory.give(p, bytes);
    }
    context* owner_ = nullptr;
    void* p_ = nullptr;
    std::size_t bytes_ = 0;
};

struct no_block {
    static constexpr void* get() noexcept { return nullptr; }
};

}
