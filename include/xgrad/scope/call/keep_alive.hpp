// Defines keep_alive(e): an operand that a function uses more than once, or keeps in what it returns.
#pragma once

#include <utility>

#include <xgrad/scope/call/variable.hpp>

namespace xgrad::detail {

// A temporary small array of the stack becomes a variable.
template <class E>
decltype(auto) keep_alive(E&& e) {
    if constexpr (is_stacked_array<E>) return variable<primal_t<E>>(std::forward<E>(e));
    else return (e);
}

}
