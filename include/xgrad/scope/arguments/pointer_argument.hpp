// Defines argument<P> of what points: std::unique_ptr, shared_ptr, reference_wrapper and P*. One object has one storage, one handle, one shadow.
#pragma once

#include <memory>
#include <stdexcept>
#include <type_traits>

#include <xgrad/scope/arguments/pointee_argument.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_presence(bool there) {
    wrong_form("forms", there ? "an object" : "none", there ? "a null pointer" : "an object");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void two_shadows() {
    throw std::invalid_argument("xgrad[E216]: add_gradient(g, f, x...) requires one shadow for an object that several pointers share, found two: begin with "
                                "gradient(f, x...), or with zero_tangent of a std::tuple of the arguments");
}

}

template <class P, class Deleter, class M, class L>
    requires differentiable<std::unique_ptr<P, Deleter>>
struct argument<std::unique_ptr<P, Deleter>, M, L> {
    using object = std::remove_cv_t<P>;
    std::unique_ptr<detail::pointee_argument<object, M, L>> a;

    template <class D>
    void bind(std::unique_ptr<P, Deleter> const& x, D* dx, bind_context const& b) {
        if (dx && bool(x) != bool(*dx)) {
            if (b.memory == gradient_memory::add) detail::wrong_presence(!x);
            if constexpr (detail::has_own_shadow<object>) *dx = x ? D(new tangent_type_t<object>{}) : D();
        }
        if (!x) return a.reset();
        if (!a) a = std::make_unique<detail::pointee_argument<object, M, L>>();
        a->shadow = dx ? dx->get() : nullptr;
        a->bind(*x, b);
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        if (dx && a) a->a.finish(dx->get(), m);
    }
    void rearm() noexcept {
        if (a) a->a.rearm();
    }
    handle_t<std::unique_ptr<P, Deleter>, M, L> handle() { return handle_t<std::unique_ptr<P, Deleter>, M, L>(a ? a->handle() : nullptr); }
};

// What may point to one object with others: the first that is met in a call has the storage.
template <detail::pointer_argument P, class M, class L>
struct argument<P, M, L> {
    using object = detail::only_part_t<P>;
    using pointee_argument = detail::pointee_argument<object, M, L>;
    std::unique_ptr<pointee_argument> mine;
    pointee_argument* a = nullptr;
    bool first = false;

    template <class D>
    void bind(P const& x, D* dx, bind_context const& b) {
        a = nullptr;
        first = false;
        bool const there = detail::is_there(x);
        if (dx && b.memory == gradient_memory::add && there != detail::is_there(*dx)) detail::wrong_presence(!there);
        if (!there) {
            if (dx) *dx = D();
            return;
        }
        auto& known = b.objects->entry(std::addressof(detail::pointee(x))).first;
        if (known) {
            a = static_cast<pointee_argument*>(known.get());
            if (dx) share(*dx, b.memory);
            return;
        }
        if (!mine) mine = std::make_unique<pointee_argument>();
        a = mine.get();
        first = true;
        known = std::shared_ptr<void>(std::shared_ptr<void>(), a);
        a->shadow = nullptr;
        if (dx) take(*dx, b.memory);
        a->bind(detail::pointee(x), b);
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        if (dx && first) a->a.finish(a->shadow, m);
    }
    void rearm() noexcept {
        if (first) a->a.rearm();
    }
    handle_t<P, M, L> handle() {
        auto const* h = a ? a->handle() : nullptr;
        if constexpr (requires { typename handle_t<P, M, L>::element_type; }) return handle_t<P, M, L>(std::shared_ptr<void>(), h);
        else if constexpr (std::is_pointer_v<P>) return h;
        else return handle_t<P, M, L>(*h);
    }

private:
    // The shadow of an object that is met first.
    template <class D>
    void take(D& dx, gradient_memory m) {
        if constexpr (detail::has_own_shadow<P>) {
            if (m == gradient_memory::own) {
                // one that is in another gradient as well, a copy of what was given before, is left to it
                if (!dx || dx != a->owned || a->owned.use_count() != a->holders + 1) dx = a->owned = std::make_shared<tangent_type_t<object>>();
                a->holders = 1;
            }
        }
        a->shadow = std::to_address(dx);
    }
    template <class D>
    void share(D& dx, gradient_memory m) {
        if constexpr (detail::has_own_shadow<P>) {
            if (m == gradient_memory::own) {
                dx = a->owned;
                ++a->holders;
            }
        }
        if (std::to_address(dx) != a->shadow) detail::two_shadows();
    }
};

}
XGRAD_DETAIL_QUIET_END
