// Defines nested_owner: an owner inside of an owner inside of an owner; what goes through a chain of them stops with an exception before the stack ends.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace xgrad::detail {

// Whether more than a quarter of this thread's stack is left. Other ways through the same chain, such as that which destroys it, may take a little more.
inline bool has_room_on_stack() {
    static thread_local std::byte* low = nullptr;
    static thread_local std::size_t quarter = 0;
    auto* const here = static_cast<std::byte*>(__builtin_frame_address(0));
    if (!low) {
#if defined(__linux__)
        pthread_attr_t a;
        void* address = nullptr;
        std::size_t size = 0;
        if (pthread_getattr_np(pthread_self(), &a) == 0) {
            if (pthread_attr_getstack(&a, &address, &size) == 0) low = static_cast<std::byte*>(address), quarter = size / 4;
            pthread_attr_destroy(&a);
        }
#endif
        // elsewhere the least that is common is taken for what there is
        if (!low) quarter = std::size_t{128} << 10, low = here - 4 * quarter;
    }
    return static_cast<std::size_t>(here - low) > quarter;
}

// One for each level, for as long as it is gone through. Throws std::length_error.
class nested_owner {
public:
    constexpr nested_owner() {
        if (std::is_constant_evaluated()) return;
        if (++depth() % 64 == 0 && !has_room_on_stack()) {
            auto const n = depth()--;
            throw std::length_error("xgrad[E224]: an argument requires a chain of owners, each in another, that the stack has room for, found more than " +
                                    std::to_string(n) + " of them: hold the objects in a std::vector, and let indices say which comes next");
        }
    }
    nested_owner(nested_owner const&) = delete;
    nested_owner& operator=(nested_owner const&) = delete;
    constexpr ~nested_owner() {
        if (!std::is_constant_evaluated()) --depth();
    }

private:
    static int& depth() noexcept {
        static thread_local int d = 0;
        return d;
    }
};

}
