// Defines gradients: as much memory of a call as so many gradients of the shared arguments take, and no more.
#pragma once

#include <cstddef>

#include <xgrad/scope/memory/workspace.hpp>

namespace xgrad::detail {

// Several gradients of one size, one behind the other.
class gradients {
public:
    gradients(context& c, std::size_t count, std::size_t bytes) : owner_(c), bytes_(bytes), all_(count * bytes) {
        if (all_ == 0) return;
        p_ = static_cast<std::byte*>(c.memory.take_exact(all_));
        ++c.live;
    }
    gradients(gradients const&) = delete;
    ~gradients() {
        if (all_ == 0) return;
        --owner_.live;
        owner_.memory.give_exact(p_, all_);
    }
    // Null where there are none.
    std::byte* operator[](std::size_t i) const noexcept { return p_ ? p_ + i * bytes_ : nullptr; }
    std::size_t bytes() const noexcept { return all_; }

private:
    context& owner_;
    std::size_t bytes_, all_;
    std::byte* p_ = nullptr;
};

}
