// require_equal_...(x, others...): the exceptions of operations on values that differ in size, in shape, or in which parts are there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace xgrad::detail {

[[noreturn]] inline void unequal(std::string const& what, std::string const& x, std::string const& y) {
    throw std::invalid_argument("xgrad[E010]: an operation on two values requires equal " + what + " (found " + x + " and " + y +
                                "): take both from the same primal value");
}

template <class X, class Y>
constexpr void require_equal_size(X const& x, Y const& y) {
    if (static_cast<std::size_t>(x.size()) != static_cast<std::size_t>(y.size())) unequal("sizes", std::to_string(x.size()), std::to_string(y.size()));
}

template <class X, class... Rest>
constexpr void require_equal_sizes(X const& x, Rest const&... rest) {
    (require_equal_size(x, rest), ...);
}

template <class S>
std::string shape_text(S const& shape) {
    std::string text = "(";
    for (auto n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + ")";
}

template <class S, class R>
constexpr void require_equal_shape(S const& x, R const& y) {
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end())) unequal("shapes", shape_text(x), shape_text(y));
}

template <class X, class... Rest>
constexpr void require_equal_shapes(X const& x, Rest const&... rest) {
    (require_equal_shape(x.shape(), rest.shape()), ...);
}

// For what may be there or not: the object of an optional, of a pointer.
template <class... There>
constexpr void require_equal_presence(bool x, There... y) {
    ((x == y ? void() : unequal("presence", x ? "a value" : "none", y ? "a value" : "none")), ...);
}

}  // namespace xgrad::detail
