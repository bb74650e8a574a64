// Defines node<Op, A...> of operations on small arrays of static shape, whose rule is written out for these shapes (static_rule).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/scope/node/array.hpp>
#include <xgrad/scope/small/distant_block.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class Op, class... A>
concept has_static_rule = has_array_rule<Op> && (has_static_shape<A> && ...) &&
                          requires { sizeof(static_rule<Op, typename array_element<A...>::type, typename A::shape_type...>); };

// The elements of a small array of shape S.
template <class T, class S>
struct small_elements {
    T e[S::size];
    XGRAD_DETAIL_INLINE small_elements() noexcept {}
    XGRAD_DETAIL_INLINE explicit small_elements(T const* p) noexcept {
        for_each_index<S::size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { put_one_of<S::size>(e[i], p[i]); });
    }
    auto source() const noexcept { return array_ref<T const, S::value>{e, S::shape, S::stride}; }
    auto target() noexcept { return array_ref<T, S::value>{e, S::shape, S::stride}; }
};

// Those of an array that is not on the stack need not be copied.
template <class T, class S>
struct elements_off_stack {
    T const* e;
    auto source() const noexcept { return array_ref<T const, S::value>{e, S::shape, S::stride}; }
};
template <class X>
struct own_copy { using type = X; };
template <class T, class S>
struct own_copy<elements_off_stack<T, S>> { using type = small_elements<T, S>; };

// What such a value has in its slot: what the rule keeps.
template <class Rule>
struct kept_by {
    typename Rule::kept for_pullback;
};

}

template <class Op, class... A>
    requires has_array_rule<Op> && detail::has_static_rule<Op, A...>
struct node<Op, A...> {
    using rule = array_rule<Op>;
    using value_type = typename detail::array_element<A...>::type;
    using T = value_type;
    using lifetime = typename detail::join_lifetime<typename A::lifetime...>::type;
    // written out for these shapes
    using static_rule_type = static_rule<Op, T, typename A::shape_type...>;
    using kept = detail::kept_by<static_rule_type>;
    using shape_type = typename static_rule_type::shape_type;
    static constexpr int rank = rule::template rank<A::rank...>;
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false;
    static constexpr bool has_scratch = requires { requires rule::has_scratch; };
    static_assert((detail::fits_array_element<T, A> && ...),
                  "xgrad[E022]: an operation on whole arrays requires operands of one element type: convert the constant one");
    static_assert(std::is_empty_v<Op>);
    using index = std::index_sequence_for<A...>;

    // a scalar result is there as soon as the operands are, so that nothing is left that might throw
    static constexpr bool is_found_by_prepare = rank == 0;
    // whether the static_rule leaves nothing to the array_rule
    static constexpr bool always_serves =
        std::is_same_v<decltype(static_rule_type::value(std::declval<typename static_rule_type::kept&>(), std::declval<T*>(),
                                                        std::declval<static_operands<T, sizeof...(A)> const&>())),
                       std::true_type>;

    [[no_unique_address]] Op op;
    flat_tuple<A...> x;

    XGRAD_DETAIL_INLINE explicit node(A&&... a) : op(), x(std::move(a)...) {}
    node(node&&) = default;
    XGRAD_DETAIL_INLINE ~node() {}
    template <std::size_t I>
    XGRAD_DETAIL_INLINE auto const& at() const noexcept { return item<I>(x); }
    template <class F>
    XGRAD_DETAIL_INLINE decltype(auto) each(F const& f) const { return x.apply(f); }

    XGRAD_DETAIL_INLINE context* owner() const { return x.apply(detail::common_owner); }
    XGRAD_DETAIL_INLINE void check() const { x.apply(detail::check_owners); }
    XGRAD_DETAIL_INLINE void prepare() const {
        each([](auto const&... a) XGRAD_DETAIL_LAMBDA { (a.materialise(), ...); });
        if constexpr (is_found_by_prepare) {
            T y;
            serve(found_, &y);
            found_.y = y;
        }
    }
    XGRAD_DETAIL_INLINE extents<rank> extent() const {
        if constexpr (rank != 0) return shape_type::shape;
        else return {};
    }
    template <class Slot>
    XGRAD_DETAIL_INLINE void evaluate(Slot& y) const {
        serve(y.kept, y.value);
    }
    template <class Slot>
    XGRAD_DETAIL_INLINE void pull(Slot const& y) const noexcept {
        pull_served(y.kept, y.cotangent, y.value);
    }

    // ---- scalar results

    XGRAD_DETAIL_INLINE T value() const
        requires(rank == 0)
    {
        return found_.y;
    }
    XGRAD_DETAIL_INLINE void pull(T const& g, T const& y) const noexcept
        requires(rank == 0)
    {
        pull_served(found_, &g, &y);
    }
    XGRAD_DETAIL_INLINE T value_and_pull(T const& g) const
        requires(rank == 0)
    {
        T const y = value();
        pull(g, y);
        return y;
    }

private:
    // What the array_rule keeps, there where the static_rule has not served.
    using scratch_type = std::conditional_t<always_serves, no_block, distant_block>;
    [[no_unique_address]] mutable scratch_type scratch_;
    struct found_number : kept {
        T y;
    };
    struct found_nothing {};
    [[no_unique_address]] mutable std::conditional_t<is_found_by_prepare, found_number, found_nothing> found_;

    XGRAD_DETAIL_INLINE auto operands() const noexcept {
        return each([](auto const&... a) XGRAD_DETAIL_LAMBDA { return static_operands<T, sizeof...(A)>{{a.source().data...}}; });
    }
    XGRAD_DETAIL_INLINE auto targets() const noexcept {
        return each([](auto const&... a) XGRAD_DETAIL_LAMBDA {
            static_targets<T, sizeof...(A)> t;
            std::size_t i = 0;
            auto const take = [&](auto const& b) XGRAD_DETAIL_LAMBDA {
                using B = std::remove_cvref_t<decltype(b)>;
                if constexpr (B::is_active) t.data[i] = b.target(t.add[i]).data;
                else t.data[i] = nullptr, t.add[i] = false;
                t.is_off_stack[i] = B::is_off_stack;
                ++i;
            };
            (take(a), ...);
            return t;
        });
    }

    XGRAD_DETAIL_INLINE void serve(kept& k, T* y) const {
        if constexpr (always_serves) static_rule_type::value(k.for_pullback, y, operands());
        else if (static_rule_type::value(k.for_pullback, y, operands())) [[likely]] scratch_ = {};
        else {
            by_general_rule(y);
            // what has another value here was not alive in that call, and can be in registers, if there are enough
            if constexpr (sizeof k.for_pullback < 16 * sizeof(T)) k.for_pullback = {};
        }
    }
    XGRAD_DETAIL_INLINE void pull_served(kept const& served, T const* ybar, T const* y) const noexcept {
        auto const k = served.for_pullback;  // read on both ways: the state defect (rule/inline.hpp)
        if constexpr (always_serves) static_rule_type::pullback(k, ybar, y, operands(), targets());
        else if (!scratch_) [[likely]] static_rule_type::pullback(k, ybar, y, operands(), targets());
        else pull_by_general_rule(ybar, y);
    }

    // Where the rule for these shapes does not serve, the general one does, out of line and on copies, to which it gets references: so the compiler
    // can keep what is here in registers, and passes nothing on the stack.
    using result_shape = std::conditional_t<rank == 0, static_extents<>, shape_type>;
    template <class B>
    XGRAD_DETAIL_INLINE static auto copy_of(B const& a) {
        using S = typename B::shape_type;
        if constexpr (B::is_off_stack) return detail::elements_off_stack<T, S>{a.source().data};
        else return detail::small_elements<T, S>(a.source().data);
    }

    struct general_value {
        detail::small_elements<T, result_shape> y;
        scratch_type scratch;
    };
    template <class... X>
    [[gnu::cold, gnu::noinline]] static auto value_by_general_rule(context* c, X const&... x) {
        general_value r;
        block scratch;
        detail::value_by_rule(Op(), scratch, c, r.y.target(), x.source()...);
        r.scratch = distant_block(c ? *c : plain_context(), std::move(scratch));
        return r;
    }
    XGRAD_DETAIL_INLINE void by_general_rule(T* y) const {
        general_value r = each([&](auto const&... a) XGRAD_DETAIL_LAMBDA { return value_by_general_rule(owner(), copy_of(a)...); });
        detail::for_each_index<result_shape::size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { y[i] = r.y.e[i]; });
        scratch_ = std::move(r.scratch);
    }

    template <class Y, class... X>
    [[gnu::cold, gnu::noinline]] static auto pullback_by_general_rule(void* scratch, Y const& ybar, Y const& y, X const&... x) noexcept {
        flat_tuple<typename detail::own_copy<X>::type...> xbar;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            auto const pull = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
                if constexpr (std::remove_cvref_t<decltype(item<J>(std::declval<flat_tuple<A...> const&>()))>::is_active)
                    detail::with_scratch([](auto const&... s) { rule::template pullback<static_cast<int>(J)>(s...); }, Op(), scratch,
                                         item<J>(xbar).target(), false, ybar.source(), y.source(), x.source()...);
            };
            (pull(std::integral_constant<std::size_t, I>{}), ...);
        }(index{});
        return xbar;
    }
    XGRAD_DETAIL_INLINE void pull_by_general_rule(T const* ybar, T const* y) const noexcept {
        auto const xbar = each([&](auto const&... a) XGRAD_DETAIL_LAMBDA {
            using Y = detail::small_elements<T, result_shape>;
            return pullback_by_general_rule(scratch_.get(), Y(ybar), Y(y), copy_of(a)...);
        });
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { (give(at<I>(), item<I>(xbar)), ...); }(index{});
    }
    template <class B, class X>
    XGRAD_DETAIL_INLINE static void give(B const& a, X const& xbar) noexcept {
        if constexpr (B::is_active) {
            bool add = false;
            auto const to = a.target(add);
            detail::for_each_index<B::shape_type::size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA {
                put_one_of<B::shape_type::size>(to.data[i], add ? T(to.data[i] + xbar.e[i]) : xbar.e[i], B::is_off_stack);
            });
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
#endif
