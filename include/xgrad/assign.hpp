// Defines assign(x, y), which overwrites an argument's array inside a differentiated function, where the caller finds it as it was; and noalias(u).
#pragma once

#include <stdexcept>
#include <utility>

#include <xgrad/scope/call/variable.hpp>
#include <xgrad/scope/node/assign.hpp>

namespace xgrad {

// x = y for an array argument x (row-major, not passed twice) and a y that broadcasts to its shape. What is returned is the new version: keep it named while x
// is used. When it goes, x has its old values again. An expression reads the values that x has where it is made. Allocates one copy of x.
// Throws std::invalid_argument for an x of another layout and for a y that does not broadcast, std::logic_error where x is passed twice or through a view; a
// complex y for a real x is refused (E029).
template <class T, class R, class M, class E>
    requires(R::value != 0 && (active<E> || plain_operand<E>))
[[nodiscard("the assignment is undone when its result goes: name it")]] auto assign(input<T, R, M> const& x, E&& y) {
    auto* now = x.get();
    if (!now->contiguous)
        throw std::invalid_argument("xgrad[E220]: assign(x, y) requires a row-major array x, found another layout: convert it before the call");
    if (x.owner()->arguments_at(detail::address_of(now->value), detail::address_of(now->value) + now->size) > 1)
        throw std::logic_error(
            "xgrad[E216]: assign(x, y) requires that x is passed once, and not through a view, found two arguments with the same elements: pass a copy");
    auto value = [&] {
        if constexpr (active<E>) {
            using S = typename std::remove_cvref_t<E>::value_type;
            if constexpr (detail::converts_to<S, T>) return as_operand(make_formula<detail::conversion_t<S, T>>(std::forward<E>(y)));
            else return as_operand(std::forward<E>(y));
        } else return as_constant<T>(std::forward<E>(y), x.owner());
    }();
    static_assert(std::is_same_v<typename decltype(value)::value_type, T>,
                  "xgrad[E029]: assign(x, y) of a real x requires a real y, but it is complex: take its real, imag or abs");
    formula<assign_op, slot_ref<T, R, M>, decltype(value)> version(std::in_place, x.share(), x.argument(), std::move(value));
    version.node_at().check();
    x.owner()->runs_once = true;
    version.materialise();
    return version;
}

// Such an argument is few numbers that lie where the caller has them.
template <class T, std::size_t... N, class M, class E>
    requires is_stacked<M>
auto assign(input<T, static_extents<N...>, M> const&, E&&) {
    static_assert(
        detail::never<E>,
        "xgrad[E117]: assign(x, y) in a function with a declared result requires an array x whose type does not fix its shape: name the new value, auto x2 = "
        "y, or declare the result auto");
    return 0;
}

// What is not an array argument has no elements of its own to overwrite.
template <class X, class E>
    requires(active<X> || active<E>)
auto assign(X const&, E&&) {
    static_assert(
        detail::never<X>,
        "xgrad[E046]: assign(x, y) requires for x an array argument of the differentiated function, but this is a number, an expression, a variable or a "
        "plain value: "
        "name the new value, auto x2 = y, or assign to a variable, v = y");
    return 0;
}

// Of an array variable, or a view of one, itself: noalias(u) = e is u = e, which reads e as a whole before anything is overwritten.
template <active E>
decltype(auto) noalias(E&& u) {
    using U = std::remove_cvref_t<E>;
    if constexpr (std::is_const_v<std::remove_reference_t<E>>) return detail::refuse_assignment_to_part<E>(const_cast<U&>(u));
    else return static_cast<E>(static_cast<E&&>(u));
}

}

namespace xt {
using xgrad::noalias;
}
namespace xgrad {
using xt::noalias;
}
