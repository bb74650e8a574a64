// thunk(f), inplaceable_thunk(value, add_to), unthunk(t): cotangents that are computed when they are needed, or never as values.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/deferred.hpp>

namespace xgrad {

namespace detail {

template <class Value>
struct thunk_of {
    using xgrad_deferred = void;
    Value make;
    [[nodiscard]] constexpr auto value() const { return make(); }
};

template <class Value, class AddTo>
struct inplaceable_thunk_of {
    using xgrad_deferred = void;
    Value make;
    AddTo add;
    [[nodiscard]] constexpr auto value() const { return make(); }
    template <class T>
    constexpr void add_to(T& xbar) const {
        add(xbar);
    }
};

}  // namespace detail

// The cotangent f(), not yet computed. f may also add to something and return it: accumulation can wait, too.
template <class F>
[[nodiscard]] constexpr detail::thunk_of<F> thunk(F f) {
    return {std::move(f)};
}

// The cotangent value(), which add_to(xbar) adds to an existing one without making it.
template <class Value, class AddTo>
[[nodiscard]] constexpr detail::inplaceable_thunk_of<Value, AddTo> inplaceable_thunk(Value value, AddTo add_to) {
    return {std::move(value), std::move(add_to)};
}

// The cotangent itself, whether it was deferred or not.
template <class T>
[[nodiscard]] constexpr auto unthunk(T const& t) {
    if constexpr (deferred<T>)
        return t.value();
    else
        return t;
}

// A sum is a value: both operands are made, and the sum.
template <class A, class B>
    requires deferred<A> || deferred<B>
[[nodiscard]] constexpr auto operator+(A const& a, B const& b) {
    auto const value = unthunk(a);
    return accumulate(value, unthunk(b));
}

}  // namespace xgrad
