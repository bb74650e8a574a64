// Defines the nodes of reductions: over all elements of a tree (node<Op, A>) and along some axes (node<along<Op, R>, A>).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pairwise.hpp>
#include <xgrad/scope/kernel/reduce_along.hpp>
#include <xgrad/scope/kernel/tree_kernels.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/storage/deferred.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The reduction Op along some axes; the result has rank R.
template <class Op, class R>
struct along {
    std::uint32_t axes = 0;  // one bit for each axis of the operand
    bool keep_dims = false;
};

template <class Op, class A>
    requires has_reduction<Op>
struct node<Op, A> {
    using rule = reduction<Op>;
    using value_type = typename A::value_type;
    using T = value_type;
    using lifetime = typename A::lifetime;
    static constexpr int rank = 0;
    static constexpr bool is_batch = A::is_batch, takes_one_pass = true, is_found_by_prepare = false;
    A x;

    XGRAD_DETAIL_INLINE node() {}
    XGRAD_DETAIL_INLINE explicit node(A&& a) : x(static_cast<A&&>(a)) {}
    XGRAD_DETAIL_INLINE node(node&& o) noexcept : x(static_cast<A&&>(o.x)), space_(o.space_) {}
    XGRAD_DETAIL_INLINE ~node() {}
    XGRAD_DETAIL_INLINE static void* operator new(std::size_t, void* p) noexcept { return p; }
    XGRAD_DETAIL_INLINE context* owner() const { return x.owner(); }
    XGRAD_DETAIL_INLINE void prepare() const {
        x.prepare();
        if constexpr (!has_static_shape<A>) find_space();
        rule::check(count());
    }
    // As a result, whose cotangent is known where the value is: what is deferred need not be evaluated whole.
    XGRAD_DETAIL_INLINE void prepare_delivery() const {
        if constexpr (!may_defer) prepare();
        else {
            if (space_.goes_in_stretches) return;
            find_space();
            if (space_.count >= detail::least_deferred) space_.goes_in_stretches = has_deferred();
            if (!space_.goes_in_stretches) x.prepare();
            rule::check(count());
        }
    }
    XGRAD_DETAIL_INLINE T value() const {
        T const s = reduce<rule, true, false>(T(0), T(0));
        if constexpr (detail::may_scale<rule>)
            if (T const c = rule::scale(s); c != T(1)) [[unlikely]] return value_by_scale(c);
        return rule::finish(s, count());
    }
    XGRAD_DETAIL_INLINE void pull(T const& g, T const& y) const noexcept { reduce<rule, false, true>(y, g); }
    XGRAD_DETAIL_INLINE T value_and_pull(T const& g) const {
        if constexpr (rule::linear) return rule::finish(reduce<rule, true, true>(T(0), g), count());
        else {
            T y = value();
            pull(g, y);
            return y;
        }
    }

private:
    template <class Rule, bool Value, bool Pull>
    XGRAD_DETAIL_INLINE T reduce(T const& y, T const& g) const {
        if constexpr (has_static_shape<A>) return tree_kernels<A>::template reduce<Rule, Value, Pull>(x, A::shape_type::shape, y, g);
        else return reduce_dynamic<Rule, Value, Pull>(y, g);
    }
    // by a call, as what has a slot (storage/counted.hpp)
    template <class Rule, bool Value, bool Pull>
    [[gnu::noinline]] T reduce_dynamic(T const& y, T const& g) const {
        if constexpr (may_defer && Value && Rule::linear)
            if (space_.goes_in_stretches) return reduce_in_stretches<Rule, Pull>(y, g);
        return tree_kernels<A>::template reduce<Rule, Value, Pull>(x, space_.shape, y, g);
    }
    [[gnu::cold, gnu::noinline]] T value_by_scale(T const& c) const
        requires detail::may_scale<rule>
    {
        return T(rule::finish(reduce<typename rule::scaled, true, false>(c, T(0)), count()) / c);
    }
    XGRAD_DETAIL_INLINE std::size_t count() const {
        if constexpr (has_static_shape<A>) return A::shape_type::size;
        else return space_.count;
    }
    XGRAD_DETAIL_INLINE void find_space() const {
        space_.shape = x.extent();
        space_.count = element_count(space_.shape);
    }
    [[gnu::noinline]] bool has_deferred() const {
        stretches all;
        return detail::find_stretches(x, space_.shape, all) && all.begin();
    }
    static constexpr bool may_defer = !has_static_shape<A> && rule::linear && detail::goes_in_stretches<A>;
    template <class Rule, bool Pull>
    T reduce_in_stretches(T const& y, T const& g) const {
        detail::note_pass<A>();
        stretches all;
        static_cast<void>(detail::find_stretches(x, space_.shape, all));
        detail::pairwise<T, detail::combine_by<Rule>> total;
        auto pass = [&](std::size_t n) { total.add(reduce_stretch<Rule, true, Pull>(x, space_.shape, n, space_.count, y, g)); };
        all.for_each(space_.count, Pull, pass);
        return total.value(Rule::template identity<T>());
    }
    // the shape of x, once prepared, where its type does not say
    struct known_space {};
    struct found_space {
        extents<A::rank> shape{};
        std::size_t count = 0;
        bool goes_in_stretches = false;
    };
    [[no_unique_address]] mutable std::conditional_t<has_static_shape<A>, known_space, found_space> space_;
};

template <class Op, class R, class A>
    requires has_reduction<Op>
struct node<along<Op, R>, A> {
    using rule = reduction<Op>;
    using value_type = typename A::value_type;
    using T = value_type;
    using lifetime = typename A::lifetime;
    static constexpr int rank = R::value;
    static constexpr bool is_batch = A::is_batch, takes_one_pass = false, is_found_by_prepare = false;
    along<Op, R> op;
    A x;

    node() = default;
    node(along<Op, R> o, A a) : op(o), x(std::move(a)) {}
    context* owner() const { return x.owner(); }
    void prepare() const {
        x.prepare();
        rule::check(reduced_count(x.extent()));
    }
    extents<rank> extent() const {
        auto const s = x.extent();
        extents<rank> r{};
        if constexpr (rank == dynamic_rank) {
            int left = 0;
            for (int d = 0; d < s.rank(); ++d) left += op.keep_dims || !reduced(d);
            r.set_rank(left);
        }
        int k = 0;
        for (int d = 0; d < s.rank(); ++d) {
            if (!reduced(d)) r[k++] = s[d];
            else if (op.keep_dims) r[k++] = 1;
        }
        return r;
    }
    template <class Slot>
    void evaluate(Slot& y) const {
        auto const s = x.extent();
        accumulate<rule>(y, s, y.value, T(1));
        auto const count = reduced_count(s);
        bool lost = false;
        if constexpr (detail::may_scale<rule>)
            for (std::size_t i = 0; i < y.size; ++i) lost |= rule::scale(T(y.value[i])) != T(1);
        if constexpr (detail::may_scale<rule>)
            if (lost) [[unlikely]] return evaluate_by_scale(y, s, count);
        for (std::size_t i = 0; i < y.size; ++i) y.value[i] = rule::finish(T(y.value[i]), count);
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        auto const s = x.extent();
        pull_along<rule>(x, s, y.value, y.cotangent, steps(s, y), reduced_count(s));
    }

private:
    // Rule along the axes into memory that is walked as that of y is.
    template <class Rule, class Slot, int S>
    void accumulate(Slot const& y, extents<S> const& s, memory_t<T> to, T const& scale) const {
        std::size_t kept = 1;
        bool inside = false;
        for (int d = 0; d < s.rank(); ++d) {
            if (reduced(d)) inside = true;
            else if (inside) kept *= s[d];
        }
        context* const c = x.owner();
        detail::fill_elements<T>(to, y.size, Rule::template identity<T>());
        detail::pairwise_along<Rule, T> parts(c ? *c : plain_context(), to, kept, reduced_count(s), element_count(s));
        reduce_along<Rule>(x, s, to, steps(s, y), scale, parts.is_needed() ? &parts : nullptr);
    }
    // Each scale that some sum needs has a pass of its own.
    template <class Slot, int S>
    [[gnu::cold, gnu::noinline]] void evaluate_by_scale(Slot& y, extents<S> const& s, std::size_t count) const
        requires detail::may_scale<rule>
    {
        std::vector<T> scale(y.size);
        for (std::size_t i = 0; i < y.size; ++i) {
            scale[i] = rule::scale(T(y.value[i]));
            y.value[i] = rule::finish(T(y.value[i]), count);
        }
        std::vector<std::max_align_t> room((y.size * sizeof(T)) / sizeof(std::max_align_t) + 1);
        auto const scaled = detail::memory_in<T>(reinterpret_cast<std::byte*>(room.data()), y.size);
        for (T c = T(1); auto const& next : scale) {
            if (next == T(1) || next == c) continue;
            c = next;
            accumulate<typename rule::scaled>(y, s, scaled, c);
            for (std::size_t i = 0; i < y.size; ++i)
                if (scale[i] == c) y.value[i] = T(rule::finish(T(scaled[i]), count) / c), scale[i] = T(1);
        }
    }
    bool reduced(int d) const noexcept { return (op.axes >> d & 1u) != 0; }
    template <int S>
    std::size_t reduced_count(extents<S> const& s) const {
        std::size_t c = 1;
        for (int d = 0; d < s.rank(); ++d)
            if (reduced(d)) c *= s[d];
        return c;
    }
    // How the result's memory is walked when the operand is.
    template <int S, class Slot>
    strides<S> steps(extents<S> const& s, Slot const& y) const noexcept {
        strides<S> t{};
        t.set_rank(s.rank());
        int k = 0;
        for (int d = 0; d < s.rank(); ++d) {
            if (!reduced(d)) t[d] = y.stride[k++];
            else if (op.keep_dims) ++k;
        }
        return t;
    }
};

}
XGRAD_DETAIL_QUIET_END
