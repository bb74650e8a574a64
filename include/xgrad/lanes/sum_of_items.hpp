// Defines the node of the sum, or the mean, of a map, or of an elementwise expression of one, as sum(w * map(f, a...)): one pass over its items.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/sum_part.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class EOp, class... B>
    requires((std::is_same_v<Op, op::sum> || std::is_same_v<Op, op::mean>) && detail::one_map_among_others<formula<EOp, B...>>)
struct node<Op, formula<EOp, B...>> {
    using A = formula<EOp, B...>;
    using rule = reduction<Op>;
    using value_type = typename A::value_type;
    using T = value_type;
    using lifetime = typename A::lifetime;
    static constexpr int rank = 0;
    static constexpr bool is_batch = A::is_batch, takes_one_pass = true, is_found_by_prepare = true;

    A x;

    explicit node(A&& a) : x(std::move(a)) {}
    node(node&& o) noexcept : x(std::move(o.x)), part_(std::move(o.part_)), y_(o.y_), count_(o.count_), state_(o.state_) {}
    context* owner() const { return x.owner(); }
    void prepare() const {
        if (state_ != fresh) return;
        context* const c = owner();
        if (begin()) {
            y_ = rule::finish(part::map(x).node_at().sum(c && c->reverse, part_), count_);
            state_ = one_pass;
        }
    }
    // As the result of a call: cotangents go where they belong at once. What throws leaves a call that nothing goes back through.
    void prepare_and_pull(T const& seed) const {
        context* const c = owner();
        bool const waits = c->plain || c->keeps != context::keeping::nothing;  // it is pulled later, or more than once
        if constexpr (!places_cotangents) prepare();
        else if (waits) prepare();
        else if (state_ == fresh && begin()) {
            try {
                y_ = rule::finish(part::map(x).node_at().sum_and_pull(T(seed * rule::partial(T(0), T(0), count_)), part_), count_);
            } catch (...) {
                c->reverse = false;
                throw;
            }
            part_.give(x, detail::no_factor());
            state_ = pulled;
        }
    }
    T value() const { return y_; }
    void pull(T const& g, T const&) const noexcept {
        if (state_ == pulled) return;
        if (state_ == one_pass) part_.give(x, T(g * rule::partial(y_, y_, count_)));
        else pull_arrays(g);
    }
    T value_and_pull(T const& g) const noexcept {
        pull(g, y_);
        return y_;
    }

private:
    using part = detail::sum_part<A, T, A::rank>;
    enum state : unsigned char { fresh, one_pass, pulled, as_arrays };
    static consteval bool find_places_cotangents() {
        if constexpr (is_stacked<lifetime> || detail::is_valued<A>) return false;
        else return requires(node const& n, T const& g) { part::map(n.x).node_at().sum_and_pull(g, n.part_); };
    }
    static constexpr bool places_cotangents = find_places_cotangents();
    // False where there is no pass over the items: it has been evaluated as arrays are.
    bool begin() const {
        auto const shape = x.extent();
        count_ = element_count(shape);
        rule::check(count_);
        context* const c = owner();
        if (part_.open(x, shape, c && c->reverse ? c : nullptr)) {
            part::map(x).node_at().prepare();
            return true;
        }
        // it broadcasts, or has been evaluated
        x.prepare();
        y_ = rule::finish(sum_of_arrays(shape), count_);
        state_ = as_arrays;
        return false;
    }
    // A map alone needs no kernel.
    T sum_of_arrays(extents<A::rank> const& shape) const {
        if constexpr (!detail::of_map<A>::is) return tree_kernels<A>::template reduce<rule, true, false>(x, shape, T(0), T(0));
        else {
            detail::running_sum<T> s;
            auto const a = x.source();
            detail::for_each_offset(shape, a.stride, [&](std::size_t, std::ptrdiff_t at) { s.add(T(a.data[at])); });
            return s.value();
        }
    }
    void pull_arrays(T const& g) const noexcept {
        if constexpr (!detail::of_map<A>::is) tree_kernels<A>::template reduce<rule, false, true>(x, x.extent(), y_, g);
        else {
            T const own = T(g * rule::partial(y_, y_, count_));
            detail::give_each(x, [&](std::size_t) { return own; });
        }
    }
    mutable part part_;
    mutable T y_{};
    mutable std::size_t count_ = 0;
    mutable state state_ = fresh;
};

}
XGRAD_DETAIL_QUIET_END
