// Defines node<Op, A...> of operations on whole arrays: their operands lie in memory, and a rule writes straight into the cotangents.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/flat_tuple.hpp>
#include <xgrad/scope/memory/block.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/owners.hpp>

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
    inline constexpr bool fits_array_element = std::is_same_v<typename A::value_type, T> ||
                                               (!A::is_active &&
                                                (std::is_same_v<typename A::value_type, scalar_of_t<T>> || std::is_integral_v<typename A::value_type>));

    // One number that lies in memory as those of arrays do.
    template <class T>
    struct number_in_memory {
        alignas(T) alignas(std::max_align_t) std::byte room[sizeof(T)];
        memory_t<T> data = memory_in<T>(room, 1);
        number_in_memory() { *data = T(0); }
        explicit number_in_memory(T const& x) { *data = x; }
        number_in_memory(number_in_memory const&) = delete;
};

// Calls f with the operation, if it holds anything, before the other arguments.
template <class Op, class F, class... X>
decltype(auto) with_operation(F f, [[maybe_unused]] Op const& op, X const&... a) {
    if constexpr (std::is_empty_v<Op>) return f(a...);
    else return f(op, a...);
}
// f(), by a call of its own.
template <class F>
[[gnu::noinline]] decltype(auto) apart(F const& f) { return f(); }
// The same with the scratch, if the rule has one. What keeps something is long, as a factorisation is, and a map would take it in wherever it may be left.
template <class Op, class F, class... X>
decltype(auto) with_scratch(F f, Op const& op, [[maybe_unused]] void* scratch, X const&... a) {
    if constexpr (requires { requires array_rule<Op>::has_scratch; })
        return apart([&] { return with_operation(f, op, static_cast<std::ptrdiff_t*>(scratch), a...); });
    else return with_operation(f, op, a...);
}
// The value by the rule of Op; its scratch is taken from the call's memory, or from that of plain values, in pointers' widths. How much it is may depend on
// the type of the elements.
template <class Op, class Block, class T, int R, class... X>
void value_by_rule(Op const& op, [[maybe_unused]] Block& scratch, [[maybe_unused]] context* c, array_ref<T, R> const& y, X const&... x) {
    using rule = array_rule<Op>;
    if constexpr (requires { requires rule::has_scratch; }) {
        std::size_t const n = with_operation(
            [](auto const&... s) {
                if constexpr (requires { rule::template scratch<T>(s...); }) return rule::template scratch<T>(s...);
                else return rule::scratch(s...);
            },
            op, x.shape...);
        scratch.renew(c ? *c : plain_context(), n * sizeof(std::ptrdiff_t));
    }
    with_scratch([](auto const&... s) { rule::value(s...); }, op, scratch.get(), y, x...);
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
    static constexpr bool is_batch = lanes<T> != 1, takes_one_pass = false, is_found_by_prepare = false;
    static constexpr bool has_scratch = requires { requires rule::has_scratch; };
    static_assert(takes_complex<Op> || !detail::is_complex_number<T>,
                  "xgrad[E103]: this function of whole arrays requires real numbers, but an operand is complex: take its abs, real or imag");
    static_assert((detail::fits_array_element<T, A> && ...),
                  "xgrad[E022]: an operation on whole arrays requires operands of one element type: convert the constant one");
    using index = std::index_sequence_for<A...>;

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
        each([](auto const&... a) XGRAD_DETAIL_LAMBDA { (a.materialise(), ...); });
        (void)extent();
    }
    XGRAD_DETAIL_INLINE extents<rank> extent() const {
        return each([&](auto const&... a) { return detail::with_operation([](auto const&... s) { return rule::shape(s...); }, op, a.extent()...); });
    }
    template <class Slot>
    XGRAD_DETAIL_INLINE void evaluate(Slot& y) const {
        compute(array_ref<T, rank>{y.value, y.shape, y.stride});
    }
    template <class Slot>
    XGRAD_DETAIL_INLINE void pull(Slot const& y) const noexcept {
        pull_from(array_ref<T const, rank>{y.cotangent, y.shape, y.stride}, array_ref<T const, rank>{y.value, y.shape, y.stride});
    }

    // ---- scalar results

    T value() const
        requires(rank == 0)
    {
        detail::number_in_memory<T> y;
        compute(array_ref<T, 0>{y.data, {}, {}});
        return T(*y.data);
    }
    void pull(T const& g, T const& y) const noexcept
        requires(rank == 0)
    {
        detail::number_in_memory<T> const ybar(g), kept(y);
        pull_from(array_ref<T const, 0>{ybar.data, {}, {}}, array_ref<T const, 0>{kept.data, {}, {}});
    }
    T value_and_pull(T const& g) const
        requires(rank == 0)
    {
        T const y = value();
        pull(g, y);
        return y;
    }

private:
    // What the rule keeps from its value for its pullbacks.
    [[no_unique_address]] mutable std::conditional_t<has_scratch, block, no_block> scratch_;

    void compute(array_ref<T, rank> const& y) const {
        each([&](auto const&... a) { detail::value_by_rule(op, scratch_, owner(), y, a.source()...); });
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
            each([&](auto const&... a) {
                detail::with_scratch([](auto const&... s) { rule::template pullback<static_cast<int>(I)>(s...); }, op, scratch_.get(), xbar, add, ybar, y,
                                     a.source()...);
            });
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
