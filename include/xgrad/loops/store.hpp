// Defines state_store, where a loop's states are stored: in the call's workspace, and, as on_disk says, in a file that has no name.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/memory/block.hpp>

namespace xgrad::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void no_room_on_disk(std::string const& path, std::size_t bytes, int error) {
    throw std::runtime_error("xgrad[E255]: on_disk(path, policy) requires a folder with room for the states of a loop, " + std::to_string(bytes) +
                             " bytes, but " + path + " says: " + std::strerror(error) + ": take another folder, or fewer states");
}

// Memory in a file of a folder. The file loses its name at once, so nothing is left whatever happens; its room is there before it is written to, so a disk
// that is full is known in the forward pass.
class mapped_file {
public:
    mapped_file(std::string const& folder, std::size_t bytes) : bytes_(bytes) {
        if (bytes == 0) return;
        std::string name = folder + "/xgrad-XXXXXX";
        int const file = ::mkstemp(name.data());
        if (file < 0) no_room_on_disk(folder, bytes, errno);
        ::unlink(name.c_str());
        int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
        if (error == 0) {
            p_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (p_ == MAP_FAILED) error = errno;
        }
        ::close(file);
        if (error == 0) return;
        p_ = nullptr;
        no_room_on_disk(folder, bytes, error);
    }
    mapped_file(mapped_file const&) = delete;
    ~mapped_file() {
        if (p_) ::munmap(p_, bytes_);
    }
    void* get() const noexcept { return p_; }

private:
    void* p_ = nullptr;
    std::size_t bytes_;
};

// Which states lie on disk: those that no room is for in so many bytes of memory.
struct disk_of_states {
    std::string folder;
    std::size_t memory = 0;
};

class state_store {
public:
    state_store(context& c, std::size_t bytes_of_one, disk_of_states const* disk) noexcept : owner_(c), bytes_(bytes_of_one), disk_(disk) {}
    state_store(state_store const&) = delete;
    ~state_store() {
        for (std::size_t k = count_; k-- != 0;) {
            if (pieces_[k].file) delete pieces_[k].file;
            else pieces_[k].memory.~block();
        }
    }
    // Room for n states, of which those that were there stay where they are.
    void reserve(std::size_t n) {
        if (n <= size_) return;
        std::size_t const in_memory = disk_ ? disk_->memory / (bytes_ + (bytes_ == 0)) : n;
        std::size_t const have = in_memory_;
        if (size_ == 0 && disk_ && n > in_memory) {
            // what is stored last is used most
            add(n - in_memory, true);
            add(in_memory, false);
        } else {
            std::size_t const more = n - size_, here = disk_ ? std::min(more, in_memory - std::min(have, in_memory)) : more;
            add(here, false);
            add(more - here, true);
        }
    }
    // The same where nobody knows how many there will be.
    void grow(std::size_t n, std::size_t most) {
        if (n > size_) reserve(std::min(std::max(n, std::max<std::size_t>(2 * size_, 16)), most));
    }
    // Nearly always there is one piece.
    XGRAD_DETAIL_INLINE std::byte* operator[](std::size_t i) const noexcept { return i < in_first_ ? first_ + i * bytes_ : behind_first(i); }
    std::size_t size() const noexcept { return size_; }

private:
    struct piece {
        std::byte* p = nullptr;
        std::size_t end = 0;  // the number of the first state that is not in it
        mapped_file* file = nullptr;
        union {
            block memory;
        };
        piece() noexcept {}
        ~piece() {}
    };
    context& owner_;
    std::size_t bytes_, size_ = 0, in_memory_ = 0, count_ = 0;
    disk_of_states const* disk_;
    std::byte* first_ = nullptr;
    std::size_t in_first_ = 0;
    std::array<piece, 64> pieces_;
    [[gnu::noinline]] std::byte* behind_first(std::size_t i) const noexcept {
        std::size_t k = 1;
        while (i >= pieces_[k].end) ++k;
        return pieces_[k].p + (i - pieces_[k - 1].end) * bytes_;
    }

    void add(std::size_t n, bool on_disk) {
        if (n == 0) return;
        piece& p = pieces_[count_];
        if (on_disk) {
            p.file = new mapped_file(disk_->folder, checked_product(n, bytes_));
            p.p = static_cast<std::byte*>(p.file->get());
        } else {
            new (&p.memory) block(owner_, bytes_of_packs(checked_product(n, bytes_)));
            p.p = static_cast<std::byte*>(p.memory.get());
            in_memory_ += n;
        }
        p.end = size_ += n;
        if (count_++ == 0) {
            first_ = p.p;
            in_first_ = n;
        }
    }
};

}
