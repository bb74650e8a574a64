// Defines the nodes of operations on whole arrays: their operands lie in memory, and a rule writes straight into the cotangents.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// The element type of an operation on whole arrays: that of its active operands.
template <class... A>
struct array_element;
template <class A, class... B>
struct array_element<A, B...> : array_element<B...> {};
template <class A, class... B>
    requires(A::is_active)
struct array_element<A, B...> { using type = typename A::value_type; };
// Constants are of that type, too, or of the number in it; or they are indices or conditions.
template <class T, class A>
inline constexpr bool fits_array_element = std::is_same_v<typename A::value_type, T> || (!A::is_active && (std::is_same_v<typename A::value_type, scalar_of_t<T>> || std::is_integral_v<typename A::value_type>));

// One number that lies in memory as those of arrays do.
template <class T>
struct number_in_memory {
    alignas(T) alignas(std::max_align_t) std::byte room[sizeof(T)];
    memory_t<T> data = memory_in<T>(room, 1);
    number_in_memory() { *data = T(0); }
    explicit number_in_memory(T const& x) { *data = x; }
    number_in_memory(number_in_memory const&) = delete;
};

// What is known of an operation on operands all of fixed shape: its static_rule, if it has one.
template <bool Fixed>
struct static_operation {
    template <class Op, class T, class... A>
    using rule = void;
};
template <>
struct static_operation<true> {
    template <class Op, class T, class... A>
    static auto find() {
        if constexpr (requires { sizeof(static_rule<Op, T, typename A::shape_type...>); }) return std::type_identity<static_rule<Op, T, typename A::shape_type...>>{};
        else return std::type_identity<void>{};
    }
    template <class Op, class T, class... A>
    using rule = typename decltype(find<Op, T, A...>())::type;
};

// The elements of a small array of shape S.
template <class T, class S>
struct few_elements {
    T e[S::size];
    XGRAD_DETAIL_INLINE few_elements() noexcept {}
    XGRAD_DETAIL_INLINE explicit few_elements(T const* p) noexcept {
        for_each_index<S::size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { put_one_of<S::size>(e[i], p[i]); });
    }
    auto source() const noexcept { return array_ref<T const, S::value>{e, S::shape, S::stride}; }
    auto target() noexcept { return array_ref<T, S::value>{e, S::shape, S::stride}; }
};

// Those of an array that is not on the stack need not be copied.
template <class A>
inline constexpr bool is_off_stack = requires { requires A::is_off_stack; };
template <class T, class S>
struct elements_off_stack {
    T const* e;
    auto source() const noexcept { return array_ref<T const, S::value>{e, S::shape, S::stride}; }
};
template <class X>
struct own_copy { using type = X; };
template <class T, class S>
struct own_copy<elements_off_stack<T, S>> { using type = few_elements<T, S>; };

// What such a value has in its slot: what the rule keeps.
template <class Rule>
struct kept_by {
    using shape_type = typename Rule::shape_type;
    typename Rule::kept for_pullback;
};
template <>
struct kept_by<void> {
    using shape_type = void;
};
// Whether there is a static_rule that leaves nothing to the array_rule.
template <class Rule, class T, std::size_t N>
constexpr bool always_serves() {
    if constexpr (std::is_void_v<Rule>) return false;
    else return std::is_same_v<decltype(Rule::value(std::declval<typename Rule::kept&>(), std::declval<T*>(), std::declval<static_operands<T, N> const&>())), std::true_type>;
}

}

template <class Op, class... A>
    requires has_array_rule<Op>
struct node<Op, A...> {
    using rule = array_rule<Op>;
    using value_type = typename detail::array_element<A...>::type;
    using T = value_type;
    using lifetime = typename detail::join_lifetime<typename A::lifetime...>::type;
    static constexpr int rank = rule::template rank<A::rank...>;
    static constexpr bool is_batch = lanes<T> != 1;
    static constexpr bool has_scratch = requires { requires rule::has_scratch; };
    static_assert(takes_complex<Op> || !detail::is_complex_number<T>, "xgrad[E103]: this function of whole arrays requires real numbers, but an operand is complex: take its abs, real or imag");
    static_assert((detail::fits_array_element<T, A> && ...), "xgrad[E022]: an operation on whole arrays requires operands of one element type: convert the constant one");
    using index = std::index_sequence_for<A...>;
    // written out for these shapes
    using fixed = typename detail::static_operation<(has_static_shape<A> && ...)>::template rule<Op, T, A...>;
    static constexpr bool has_static_rule = !std::is_void_v<fixed>;
    static_assert(!has_static_rule || std::is_empty_v<Op>);
    static constexpr bool always_serves = detail::always_serves<fixed, T, sizeof...(A)>();
    using kept = detail::kept_by<fixed>;
    using shape_type = typename kept::shape_type;

    // a scalar result of fixed operands is there as soon as they are, so that nothing is left that might throw
    static constexpr bool is_found_by_prepare = has_static_rule && rank == 0;

    [[no_unique_address]] Op op;
    flat_tuple<A...> x;

    XGRAD_DETAIL_INLINE explicit node(A&&... a) : op(), x(std::move(a)...) {}
    explicit node(Op o, A&&... a)
        requires(!std::is_empty_v<Op>)
        : op(std::move(o)), x(std::move(a)...) {}
    node(node&&) = default;
    XGRAD_DETAIL_INLINE ~node() {}
    template <std::size_t I>
    XGRAD_DETAIL_INLINE auto const& at() const noexcept { return item<I>(x); }
    template <class F>
    XGRAD_DETAIL_INLINE decltype(auto) each(F f) const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA -> decltype(auto) { return f(at<I>()...); }(index{});
    }

    XGRAD_DETAIL_INLINE context* owner() const {
        return each([](auto const&... a) XGRAD_DETAIL_LAMBDA { return detail::common_owner(a...); });
    }
    XGRAD_DETAIL_INLINE void check() const {
        each([](auto const&... a) XGRAD_DETAIL_LAMBDA { detail::check_owners(a...); });
    }
    XGRAD_DETAIL_INLINE void prepare() const {
        each([](auto const&... a) XGRAD_DETAIL_LAMBDA { (materialise(a), ...); });
        if constexpr (is_found_by_prepare) {
            T y;
            serve(found_, &y);
            found_.y = y;
        } else if constexpr (!has_static_rule) (void)extent();
    }
    XGRAD_DETAIL_INLINE extents<rank> extent() const {
        if constexpr (has_static_rule && rank != 0) return shape_type::shape;
        else if constexpr (has_static_rule) return {};
        else return each([&](auto const&... a) { return with_state([](auto const&... s) { return rule::shape(s...); }, a.extent()...); });
    }
    template <class Slot>
    XGRAD_DETAIL_INLINE void evaluate(Slot& y) const {
        if constexpr (has_static_rule) serve(y.kept, y.value);
        else compute(array_ref<T, rank>{y.value, y.shape, y.stride});
    }
    template <class Slot>
    XGRAD_DETAIL_INLINE void pull(Slot const& y) const noexcept {
        if constexpr (has_static_rule) {
            pull_served(y.kept, y.cotangent, y.value);
        } else pull_from(array_ref<T const, rank>{y.cotangent, y.shape, y.stride}, array_ref<T const, rank>{y.value, y.shape, y.stride});
    }

    // ---- scalar results

    XGRAD_DETAIL_INLINE T value() const
        requires(rank == 0)
    {
        if constexpr (is_found_by_prepare) return found_.y;
        else {
            detail::number_in_memory<T> y;
            compute(array_ref<T, 0>{y.data, {}, {}});
            return T(*y.data);
        }
    }
    XGRAD_DETAIL_INLINE void pull(T const& g, T const& y) const noexcept
        requires(rank == 0)
    {
        if constexpr (is_found_by_prepare) pull_served(found_, &g, &y);
        else {
            detail::number_in_memory<T> const ybar(g), kept(y);
            pull_from(array_ref<T const, 0>{ybar.data, {}, {}}, array_ref<T const, 0>{kept.data, {}, {}});
        }
    }
    XGRAD_DETAIL_INLINE T value_and_pull(T const& g) const
        requires(rank == 0)
    {
        T const y = value();
        pull(g, y);
        return y;
    }

private:
    // What the rule keeps from its value for its pullbacks. A distant one is there where the rule for these shapes has not served.
    using scratch_type = std::conditional_t<has_static_rule, std::conditional_t<always_serves, no_block, distant_block>, std::conditional_t<has_scratch, block, no_block>>;
    [[no_unique_address]] mutable scratch_type scratch_;
    struct found_number : kept {
        T y;
    };
    [[no_unique_address]] mutable std::conditional_t<is_found_by_prepare, found_number, detail::kept_by<void>> found_;

    // Calls f with the operation, if it holds anything, and with the scratch, if there is one, before the other arguments.
    template <class F, class... X>
    static decltype(auto) with_operation(F f, [[maybe_unused]] Op const& op, X const&... a) {
        if constexpr (std::is_empty_v<Op>) return f(a...);
        else return f(op, a...);
    }
    template <class F, class... X>
    static decltype(auto) with_all(F f, Op const& op, [[maybe_unused]] void* scratch, X const&... a) {
        if constexpr (has_scratch) return with_operation(f, op, static_cast<std::ptrdiff_t*>(scratch), a...);
        else return with_operation(f, op, a...);
    }
    template <class F, class... X>
    decltype(auto) with_state(F f, X const&... a) const {
        return with_operation(f, op, a...);
    }
    template <class F, class... X>
    decltype(auto) with_scratch(F f, X const&... a) const {
        return with_all(f, op, scratch_.get(), a...);
    }
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
                t.is_off_stack[i] = detail::is_off_stack<B>;
                ++i;
            };
            (take(a), ...);
            return t;
        });
    }
    void compute(array_ref<T, rank> const& y) const {
        each([&](auto const&... a) { compute(op, scratch_, owner(), y, a.source()...); });
    }
    template <class Block, class... X>
    static void compute(Op const& op, [[maybe_unused]] Block& scratch, [[maybe_unused]] context* c, array_ref<T, rank> const& y, X const&... a) {
        if constexpr (has_scratch) {
            std::size_t const n = with_operation([](auto const&... s) { return rule::scratch(s...); }, op, a.shape...);
            scratch.renew(c ? *c : plain_context(), n * sizeof(std::ptrdiff_t));
        }
        with_all([](auto const&... s) { rule::value(s...); }, op, scratch.get(), y, a...);
    }

    XGRAD_DETAIL_INLINE void serve(kept& k, T* y) const {
        if constexpr (always_serves) fixed::value(k.for_pullback, y, operands());
        else if (fixed::value(k.for_pullback, y, operands())) [[likely]] scratch_ = {};
        else {
            by_general_rule(y);
            // what has another value here was not alive in that call, so that g++ has it in registers, if there are enough
            if constexpr (sizeof k.for_pullback < 16 * sizeof(T)) k.for_pullback = {};
        }
    }
    XGRAD_DETAIL_INLINE void pull_served(kept const& served, T const* ybar, T const* y) const noexcept {
        auto const k = served.for_pullback;  // read on both ways, or g++ leaves it in memory
        if constexpr (always_serves) fixed::pullback(k, ybar, y, operands(), targets());
        else if (!scratch_) [[likely]] fixed::pullback(k, ybar, y, operands(), targets());
        else pull_by_general_rule(ybar, y);
    }

    // Where the rule for these shapes does not serve, the general one does, out of line and on copies, to which it gets references: so the compiler can keep what
    // is here in registers, and passes nothing on the stack.
    using result_shape = std::conditional_t<rank == 0, static_extents<>, shape_type>;
    template <class B>
    XGRAD_DETAIL_INLINE static auto copy_of(B const& a) {
        using S = typename B::shape_type;
        if constexpr (detail::is_off_stack<B>) return detail::elements_off_stack<T, S>{a.source().data};
        else return detail::few_elements<T, S>(a.source().data);
    }

    struct general_value {
        detail::few_elements<T, result_shape> y;
        scratch_type scratch;
    };
    template <class... X>
    [[gnu::cold, gnu::noinline]] static auto value_by_general_rule(context* c, X const&... x) {
        general_value r;
        block scratch;
        compute(Op(), scratch, c, r.y.target(), x.source()...);
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
                    with_all([](auto const&... s) { rule::template pullback<static_cast<int>(J)>(s...); }, Op(), scratch, item<J>(xbar).target(), false, ybar.source(), y.source(), x.source()...);
            };
            (pull(std::integral_constant<std::size_t, I>{}), ...);
        }(index{});
        return xbar;
    }
    XGRAD_DETAIL_INLINE void pull_by_general_rule(T const* ybar, T const* y) const noexcept {
        auto const xbar = each([&](auto const&... a) XGRAD_DETAIL_LAMBDA {
            return pullback_by_general_rule(scratch_.get(), detail::few_elements<T, result_shape>(ybar), detail::few_elements<T, result_shape>(y), copy_of(a)...);
        });
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { (give(at<I>(), item<I>(xbar)), ...); }(index{});
    }
    template <class B, class X>
    XGRAD_DETAIL_INLINE static void give(B const& a, X const& xbar) noexcept {
        if constexpr (B::is_active) {
            bool add = false;
            auto const to = a.target(add);
            detail::for_each_index<B::shape_type::size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA {
                put_one_of<B::shape_type::size>(to.data[i], add ? T(to.data[i] + xbar.e[i]) : xbar.e[i], detail::is_off_stack<B>);
            });
        }
    }

    template <class B>
    XGRAD_DETAIL_INLINE static void materialise(B const& a) {
        if constexpr (requires { a.materialise(); }) a.materialise();
        else a.prepare();
    }
    template <class Y>
    void pull_from(Y const& ybar, Y const& y) const noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (pull_one<I>(ybar, y), ...); }(index{});
    }
    template <std::size_t I, class Y>
    void pull_one(Y const& ybar, Y const& y) const noexcept {
        using B = std::remove_cvref_t<decltype(at<I>())>;
        if constexpr (B::is_active) {
            bool add = false;
            auto const xbar = at<I>().target(add);
            each([&](auto const&... a) { with_scratch([](auto const&... s) { rule::template pullback<static_cast<int>(I)>(s...); }, xbar, add, ybar, y, a.source()...); });
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
