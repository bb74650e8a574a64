// Defines prepared<F>: what derivatives that keep their memory have in common: the function, whose turn it is, and the workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <xgrad/scope/arguments/call_argument.hpp>
#include <xgrad/scope/call/turn.hpp>
#include <xgrad/scope/memory/workspace.hpp>
#include <xgrad/scope/operand/array_interface.hpp>

namespace xgrad::detail {

// A copy has the function and no memory yet; a move takes the memory along. So must what derives from it.
template <class F>
class prepared {
public:
    explicit prepared(F f) : f_(std::move(f)) {}
    prepared(prepared const& o)
        requires std::is_copy_constructible_v<F>
        : f_(o.f_) {}
    prepared(prepared&&) = default;
    prepared& operator=(prepared&&) = default;
    ~prepared() = default;

    // The bytes of its workspace. After many calls that need far less it shrinks, and release_workspace gives all of it back; not while a call runs
    // (std::logic_error, E222).
    std::size_t workspace_bytes() const noexcept { return workspace_.capacity(); }
    void release_workspace() {
        turn::taken const mine(turn_);
        workspace_.release();
    }

protected:
    F f_;
    turn turn_;
    workspace workspace_;

    // Whether x, or what it stands for, is part of what the call before gave, which the next one overwrites: it must be left alone.
    template <class R, class X>
    static bool is_part_of(R const& result, X const& x) noexcept {
        return reinterpret_cast<std::uintptr_t>(std::addressof(x)) - reinterpret_cast<std::uintptr_t>(std::addressof(result)) < sizeof result;
    }
    template <class R, class P>
    static bool is_part_of(R const& result, constant_argument<P> const& x) noexcept {
        return is_part_of(result, x.value);
    }
    template <class Never>
    static consteval void refuse_const() {
        static_assert(never<Never>, "xgrad[E157]: g(x...) of what prepare_gradient or prepare_hvp gave requires a g that is not const, as it keeps its memory "
                                    "in itself: leave const out, or write mutable behind the parameters of a lambda that captures it");
    }
};

}
