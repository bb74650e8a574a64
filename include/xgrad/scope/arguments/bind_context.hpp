// Defines bind_context: how the arguments of one call are bound, and what gives a storage or a gradient the form of its primal.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/scope/arguments/tangent_seeds.hpp>
#include <xgrad/scope/arguments/handle_type.hpp>
#include <xgrad/tangent/object_table.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What a gradient does to the memory of one argument: it makes it, or adds to the caller's.
enum class gradient_memory { own, add };

// The slots of an argument of type P, whose handles are of mode M, with the elements that L says. It has
//   bind(x, dx, b)   takes the values of x, and the place of its gradient if dx is not null; gives its storage, and in own memory *dx, the form of x
//   handle()         the handle_t<P, M, L>
//   finish(dx, m)    after the call: brings to *dx what is not there yet
//   rearm()          before the values of the call are pulled once more: nothing came yet
template <class P, class M, class L = identity_lift>
struct argument;

struct bind_context {
    context& call;
    gradient_memory memory;
    detail::object_table* objects;          // those that several can point to, as they were met in any argument; null where there are none
    detail::tangent_seeds* seeds = nullptr;  // the tangents of dual elements
    bool is_on_stack = false;                     // all the arguments are numbers and small arrays on the stack, to which nothing can be assigned
};

namespace detail {

template <class M, class L>
struct to_argument {
    template <class P>
    using type = argument<std::remove_cvref_t<P>, M, L>;
};

// Parts are bound one by one, in the order of the primal's; without a gradient (nothing goes backward) there is only the primal.
struct bind_part {
    bind_context const& b;
    template <class X, class A, class D>
    void operator()(X const& x, A& a, D& dx) const {
        a.bind(x, std::addressof(dx), b);
    }
    template <class X, class A>
    void operator()(X const& x, A& a) const {
        a.bind(x, static_cast<tangent_type_t<X>*>(nullptr), b);
    }
};

[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_form(std::string const& what, std::string const& found, std::string const& expected) {
    throw std::invalid_argument("xgrad[E208]: add_gradient(g, f, x...) requires gradients of the arguments' " + what + ", found " + found + " for " + expected +
                                ": begin with zero_tangent(x)");
}

// Whether y, of the same form as a P, has the parts that x has: as many, of the same keys, or none.
template <class P, class Y>
bool has_form_of(P const& x, Y const& y) {
    if constexpr (fixed_form<P>) return true;
    else if constexpr (requires { x.index(); }) return x.index() == y.index();
    else if constexpr (requires { x.has_value(); }) return x.has_value() == y.has_value();
    else if constexpr (requires { typename P::mapped_type; }) {
        if (x.size() != y.size()) return false;
        for (auto const& [key, value] : x)
            if (y.find(key) == y.end()) return false;
        return true;
    } else {
        try {
            parts<P>::each([](auto const&...) {}, x, y);
            return true;
        } catch (std::invalid_argument const&) {
            return false;
        }
    }
}

// The name of what differs in two forms of a P.
template <class P>
constexpr char const* name_of_form() {
    if constexpr (requires(P const& x) { x.index(); }) return "alternatives";
    else if constexpr (requires { typename P::mapped_type; }) return "keys";
    else return "forms";
}

// What can point to an object to which others point.
struct is_shareable {
    template <class P>
    static consteval bool find() {
        if constexpr (pointer_argument<P>) return parts<P>::identity == identified::by_handle;
        else return false;
    }
    template <class P>
    static constexpr bool of = find<P>();
};
// What refers to memory that it does not own.
struct is_borrowed {
    template <class P>
    static consteval bool find() {
        if constexpr (differentiable<P> && has_parts<P>) return parts<P>::identity == identified::by_handle && !owns<tangent_type_t<P>>;
        else return false;
    }
    template <class P>
    static constexpr bool of = find<P>();
};
// Whether the gradient of a P can be made: its parts own what they refer to, or there is nothing to own.
template <class P>
inline constexpr bool has_own_shadow = !somewhere_in<is_borrowed, P>();

struct blank_tangent {
    template <class P>
    tangent_type_t<P> operator()(P const&) const {
        return {};
    }
};

// Gives a gradient the parts of x, each of no particular form; in the caller's memory they must be there.
template <class P, class D>
void give_form(P const& x, D& dx, gradient_memory m) {
    if (has_form_of(x, dx)) return;
    if (m == gradient_memory::add) wrong_form(name_of_form<P>(), "others", "its primal");
    if constexpr (has_own_shadow<P>) dx = parts<P>::template make<D>(blank_tangent{}, x);
}

}

}
XGRAD_DETAIL_QUIET_END
