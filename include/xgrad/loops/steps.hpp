// Defines what says how many steps a loop has: known_steps, steps_over items, steps_while a condition holds.
#pragma once

#include <cstddef>

#include <xgrad/loops/items.hpp>

namespace xgrad::detail {

struct known_steps {
    using items = no_items;
    static constexpr char const* text = "iterate(n, body, init, params...)";
    std::size_t n;
    no_variable xs() const { return {}; }
    template <class Items>
    std::size_t count(Items&) const {
        return n;
    }
};
// One for each item.
template <class X>
struct steps_over {
    using items = X;
    static constexpr char const* text = "scan(body, init, xs, params...)";
    X const& all;
    X const& xs() const { return all; }
    template <class Items>
    std::size_t count(Items& all_items) const {
        std::size_t const n = all_items.size();
        if (n >= any_number - 1) items_differ();
        return n;
    }
};
// As long as the condition holds of the state.
template <class C>
struct steps_while {
    using items = no_items;
    static constexpr char const* text = "while_loop(cond, body, init, params...)";
    C holds;
    no_variable xs() const { return {}; }
};

}
