// Defines stack(v) of a std::vector, std::span or the like of active values: what a loop has computed one by one, as an array.
#pragma once

#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/scope/node/stack.hpp>

namespace xgrad {

// The array of shape (v.size(), shape of an element...). Throws std::invalid_argument where there is no element, or shapes differ.
template <class V>
    requires(!active<V> && !plain_array<V> && requires(V const& v) {
        std::size(v);
        requires active<decltype(*std::begin(v))>;
    })
auto stack(V const& v) {
    using P = primal_t<std::remove_cvref_t<decltype(*std::begin(v))>>;
    using ref_type = typename variable<P>::ref_type;
    if (std::size(v) == 0) throw std::invalid_argument("xgrad[E206]: stack(v) requires at least one value, found none: begin with one, or leave that case out");
    context* c = nullptr;
    for (auto const& e : v) c = detail::joint_owner(c, e.owner());
    detail::debts<ref_type> refs(c ? *c : plain_context(), std::size(v));
    for (auto const& e : v) refs.push_back(variable<P>(e).debt());
    return formula<detail::stacked, ref_type>(std::in_place, std::move(refs));
}

}
