// Defines pointee_argument<P, M>: an object that arguments point to: its slots, its handle, its shadow.
#pragma once

#include <memory>
#include <new>
#include <utility>

#include <xgrad/scope/arguments/bind_context.hpp>
#include <xgrad/tangent/nested_owner.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A place for a handle whose address is known before it is made: in a cycle it is made of what points to it.
template <class H>
class handle_place {
public:
    handle_place() noexcept {}
    handle_place(handle_place const&) = delete;
    handle_place& operator=(handle_place const&) = delete;
    ~handle_place() { clear(); }
    void clear() noexcept {
        if (made_) h_.~H();
        made_ = begun_ = false;
    }
    template <class A>
    H const* of(A& a) {
        if (!std::exchange(begun_, true)) {
            nested_owner const here;
            ::new (static_cast<void*>(std::addressof(h_))) H(a.handle());
            made_ = true;
        }
        return std::addressof(h_);
    }

private:
    union {
        H h_;
    };
    bool begun_ = false, made_ = false;
};
template <class P>
class handle_place<P const&> {
public:
    void clear() noexcept {}
    template <class A>
    P const* of(A& a) {
        return std::addressof(a.handle());
    }
};

template <class P, class M, class L>
struct pointee_argument {
    argument<P, M, L> a;
    handle_place<handle_t<P, M, L>> place;
    tangent_type_t<P>* shadow = nullptr;
    // in own memory, with the number of gradients that share it
    std::shared_ptr<tangent_type_t<P>> owned{};
    long holders = 0;

    auto handle() { return place.of(a); }
    template <class X>
    void bind(X const& x, bind_context const& b) {
        nested_owner const here;
        place.clear();
        a.bind(x, shadow, b);
    }
};

}
XGRAD_DETAIL_QUIET_END
