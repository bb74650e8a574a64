// unequal(...): the exceptions of operations on two values that differ in size, shape, or which parts are there.
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

template <class X, class... Rest>
constexpr void require_equal_sizes(X const& x, Rest const&... rest) {
    ((static_cast<std::size_t>(x.size()) == static_cast<std::size_t>(rest.size())
          ? void()
          : unequal("sizes", std::to_string(x.size()), std::to_string(rest.size()))),
     ...);
}

template <class S>
std::string shape_text(S const& shape) {
    std::string text = "(";
    for (auto n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + ")";
}

template <class X, class... Rest>
constexpr void require_equal_shapes(X const& x, Rest const&... rest) {
    auto same = [](auto const& a, auto const& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
    ((same(x.shape(), rest.shape()) ? void() : unequal("shapes", shape_text(x.shape()), shape_text(rest.shape()))), ...);
}

// For what may be there or not: an optional, a pointer.
template <class X, class... Rest>
constexpr void require_equal_presence(X const& x, Rest const&... rest) {
    auto text = [](bool there) { return there ? "a value" : "none"; };
    ((static_cast<bool>(x) == static_cast<bool>(rest) ? void()
                                                      : unequal("presence", text(static_cast<bool>(x)), text(static_cast<bool>(rest)))),
     ...);
}

}  // namespace xgrad::detail
