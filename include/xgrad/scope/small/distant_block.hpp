// Defines distant_block: a block of which only the address is here, for what is rarely there.
#pragma once

#include <utility>

#include <xgrad/scope/memory/block.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

namespace xgrad {

// The same, but here is only its address.
class distant_block {
public:
    distant_block() = default;
    distant_block(context& c, block b) : room_(new (c.memory.take(sizeof(room))) room{&c, std::move(b)}) {}
    XGRAD_DETAIL_INLINE distant_block(distant_block&& o) noexcept : room_(std::exchange(o.room_, nullptr)) {}
    XGRAD_DETAIL_INLINE distant_block& operator=(distant_block&& o) noexcept {
        std::swap(room_, o.room_);
        return *this;
    }
    XGRAD_DETAIL_INLINE ~distant_block() {
        if (room_) [[unlikely]] give_back(room_);
    }
    XGRAD_DETAIL_INLINE explicit operator bool() const noexcept { return room_; }
    XGRAD_DETAIL_INLINE void* get() const noexcept { return room_ ? room_->b.get() : nullptr; }

private:
    struct room {
        context* c;
        block b;
    };
    room* room_ = nullptr;
    [[gnu::cold, gnu::noinline]] static void give_back(room* r) noexcept {
        context* const c = r->c;
        r->~room();
        c->memory.give(r, sizeof(room));
    }
};

}
#endif
