// Long names that move, are copied, come from helpers, or are more than one pass takes.
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "deferred_names.hpp"

using deferred::agree_with_pieces, deferred::numbers, deferred::vector;

BOOST_AUTO_TEST_CASE(of_every_life) {
    std::size_t const n = 17001;
    vector const x = numbers(n, 0.7, 0.1), y = numbers(n, -0.4, 2.0);
    // constants, choices, and names that move on
    agree_with_pieces([](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto s = sin(e) + cos(b);
        auto c = where(s > 0.3, e, s * s);
        auto moved = std::move(s);
        auto d = log(2.0 + moved * moved) * c;
        return sum(std::move(d) + c);
    }, x, y);
    // copies, and names in optional ones
    agree_with_pieces([](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto copy = e;
        std::optional<std::remove_cvref_t<decltype(e)>> other = e;
        auto s = sin(copy) * *other;
        other.reset();
        return sum(s * e);
    }, x, y);
    // helpers that return expressions of their locals
    agree_with_pieces([](auto const& a, auto const& b) {
        auto const helper = [](auto const& c) {
            auto e = exp(c);
            auto s = sin(e);
            return s * e;
        };
        auto h = helper(a * b);
        auto k = helper(h);
        return sum(k * h);
    }, x, y);
    // nobody uses it
    agree_with_pieces([](auto const& a, auto const& b) {
        auto e = exp(a);
        auto dead = log(e) * e;
        auto dead_too = dead * e;
        return sum(e * b);
    }, x, y);
    // more names than a pass takes
    agree_with_pieces([](auto const& a, auto const& b) {
        auto c = sin(a);
        auto d = cos(c);
        auto e = sin(d + b);
        auto f = cos(e);
        auto g = sin(f + c);
        auto h = cos(g);
        auto i = sin(h + d);
        auto j = cos(i);
        auto k = sin(j);
        auto l = cos(k + e);
        auto m = sin(l);
        auto o = cos(m + b);
        auto p = sin(o);
        return sum(c * d + e * f + g * h + i * j + k * l + m * o * p);
    }, x, y);
    // one value twice
    agree_with_pieces([](auto const& a) {
        auto e = exp(a);
        auto f = tanh(e) * e;
        return sum(f * f + e * e);
    }, x);
}
