// Defines deferral and stretches: how a named array is computed, and pulled, that has no memory but for a stretch of it.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/memory/context.hpp>

namespace xgrad {

class stretches;

// What a slot knows of its own value while that is deferred (storage/deferred.hpp).
struct deferral {
    void (*evaluate)(slot_base*);                          // all of it, if it is deferred still: it lies in memory from now on; may throw
    void (*produce)(slot_base*, std::size_t n) noexcept;   // the next n elements, in the memory that there is for them
    void (*pull)(slot_base*, std::size_t n) noexcept;      // their cotangents
    bool (*enter)(slot_base*, stretches&);                 // what it is computed from, then itself; false where there is no room
};

// The elements of a stretch: few enough that those of all names stay in a cache.
inline constexpr std::size_t longest_stretch = 1024;

// A pass over long arrays that lie flat, stretch by stretch: the names in it that are deferred, each behind those that it is computed from, and what lies in
// memory, which goes on from stretch to stretch.
class stretches {
public:
    // Something that lies in memory, and how it goes on.
    struct array {
        void const* at;
        void (*advance)(void const*, std::ptrdiff_t) noexcept;
        slot_base* slot;  // that of its cotangent, or null
        bool had_cotangent;
    };
    bool has(void const* at) const noexcept {
        for (std::size_t k = 0; k < names_; ++k)
            if (name_[k].slot == at) return true;
        for (std::size_t k = 0; k < arrays_; ++k)
            if (array_[k].at == at) return true;
        return false;
    }
    bool add(slot_base* s, deferral const* how) noexcept {
        if (names_ == most_names) return false;
        name_[names_++] = {s, how};
        return true;
    }
    bool add(array const& a) noexcept {
        if (arrays_ == most_arrays) return false;
        array_[arrays_++] = a;
        return true;
    }
    // How many names there are.
    std::size_t names() const noexcept { return names_; }
    // Before a pass: whether names go through it. One that has a pass already is evaluated whole, and computed once for both; so all may be, and become arrays.
    bool begin() {
        if (arrays_ + names_ > most_arrays) return false;
        bool any = false;
        for (std::size_t k = 0; k < names_; ++k) {
            if (!std::exchange(name_[k].slot->has_pass, true)) any = true;
            else name_[k].how->evaluate(name_[k].slot);
        }
        return any;
    }

    // pass(n) for each stretch, of n elements of `size`; where names are pulled, it gives them cotangents. It is called by its address, so that the rest is
    // compiled once.
    template <class F>
    void for_each(std::size_t size, bool pull, F& pass) {
        run(size, pull, [](void* p, std::size_t n) { (*static_cast<F*>(p))(n); }, &pass);
    }

private:
    static constexpr std::size_t most_names = 12, most_arrays = 24;
    struct name {
        slot_base* slot;
        deferral const* how;
    };
    std::array<name, most_names> name_;
    std::array<array, most_arrays> array_;
    std::size_t names_ = 0, arrays_ = 0;

    void run(std::size_t size, bool pull, void (*pass)(void*, std::size_t), void* state) {
        for (std::size_t first = 0, n = 0; first < size; first += n) {
            n = size - first < longest_stretch ? size - first : longest_stretch;
            for (std::size_t k = 0; k < arrays_; ++k)
                if (auto* const s = array_[k].slot) s->has_cotangent = array_[k].had_cotangent;
            for (std::size_t k = 0; k < names_; ++k) name_[k].how->produce(name_[k].slot, n);
            pass(state, n);
            if (pull)
                for (std::size_t k = names_; k-- > 0;) name_[k].how->pull(name_[k].slot, n);
            advance(static_cast<std::ptrdiff_t>(n));
        }
        advance(-static_cast<std::ptrdiff_t>(size));
    }
    void advance(std::ptrdiff_t n) noexcept {
        for (std::size_t k = 0; k < arrays_; ++k) array_[k].advance(array_[k].at, n);
    }
};

}
