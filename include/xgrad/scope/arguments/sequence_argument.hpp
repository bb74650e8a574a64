// Defines argument<P> of sequences (std::vector, list, deque, valarray, span) and of arrays of structs: an argument for each element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

#include <xgrad/scope/arguments/array_argument.hpp>
#include <xgrad/scope/arguments/bind_context.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Gives a gradient as many elements as x has.
template <sequence P, class D>
void give_size(P const& x, D& dx, gradient_memory m) {
    if (dx.size() == x.size()) return;
    if (m == gradient_memory::add) wrong_form("sizes", std::to_string(dx.size()), "a sequence of " + std::to_string(x.size()));
    if constexpr (has_own_shadow<P>) {
        // std::valarray's own resize leaves it broken where there is no memory
        if constexpr (requires { dx.push_back(*std::begin(dx)); }) dx.resize(x.size());
        else dx = D(x.size());
    }
}
template <array_of_parts P, class D>
void give_size(P const& x, D& dx, gradient_memory m) {
    if (std::ranges::equal(x.shape(), dx.shape())) return;
    if (m == gradient_memory::add) wrong_form("shapes", shape_text(dx.shape()), "an argument of shape " + shape_text(x.shape()));
    if constexpr (has_own_shadow<P>) renew(dx, x);
}

template <class P>
auto first_of(P& x) {
    if constexpr (plain_array<P>) return x.storage().begin();
    else return std::begin(x);
}

}

template <class P, class M, class L>
    requires detail::sequence<P> || detail::array_of_parts<P>
struct argument<P, M, L> {
    using element = detail::only_part_t<P>;
    std::vector<argument<element, M, L>> a;
    std::vector<handle_t<element, M, L>> handles;  // kept from call to call
    P const* primal = nullptr;

    template <class D>
    void bind(P const& x, D* dx, bind_context const& b) {
        primal = std::addressof(x);
        a.resize(x.size());
        auto at = detail::first_of(x);
        if (dx) {
            detail::give_size(x, *dx, b.memory);
            auto shadow = detail::first_of(*dx);
            for (auto& part : a) detail::bind_part{b}(*at++, part, *shadow++);
        } else
            for (auto& part : a) detail::bind_part{b}(*at++, part);
    }
    template <class D>
    void finish(D* dx, gradient_memory m) noexcept {
        if (!dx) return;
        auto shadow = detail::first_of(*dx);
        for (auto& part : a) part.finish(std::addressof(*shadow++), m);
    }
    void rearm() noexcept {
        for (auto& part : a) part.rearm();
    }
    handle_t<P, M, L> handle() {
        handles.clear();
        handles.reserve(a.size());
        for (auto& part : a) handles.push_back(part.handle());
        if constexpr (detail::sequence<P>) return handles;
        else {
            typename handle_t<P, M, L>::storage_type elements(handles.data(), handles.size());
            if constexpr (P::static_layout == xt::layout_type::dynamic) return handle_t<P, M, L>(std::move(elements), primal->shape(), primal->strides());
            else return handle_t<P, M, L>(std::move(elements), primal->shape());
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
