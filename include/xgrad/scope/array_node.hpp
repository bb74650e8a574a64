// Defines the nodes of operations on whole arrays: their operands lie in memory, and a rule writes straight into the cotangents.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <xgrad/scope/kernel.hpp>

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

}

template <class Op, class... A>
    requires has_array_rule<Op>
struct node<Op, A...> {
    using rule = array_rule<Op>;
    using value_type = typename detail::array_element<A...>::type;
    using T = value_type;
    using mode = typename detail::join_mode<typename A::mode...>::type;
    static constexpr int rank = rule::template rank<A::rank...>;
    static constexpr bool is_batch = lanes<T> != 1;
    static constexpr bool has_scratch = requires { requires rule::has_scratch; };
    static_assert(takes_complex<Op> || !detail::is_complex_number<T>, "xgrad[E103]: this function of whole arrays requires real numbers, but an operand is complex: take its abs, real or imag");
    static_assert((detail::fits_array_element<T, A> && ...), "xgrad[E022]: an operation on whole arrays requires operands of one element type: convert the constant one");
    using index = std::index_sequence_for<A...>;

    [[no_unique_address]] Op op;
    bundle<A...> x;

    explicit node(A&&... a) : op(), x(std::move(a)...) {}
    explicit node(Op o, A&&... a)
        requires(!std::is_empty_v<Op>)
        : op(std::move(o)), x(std::move(a)...) {}
    template <std::size_t I>
    auto const& at() const noexcept { return item<I>(x); }
    template <class F>
    decltype(auto) each(F f) const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) { return f(at<I>()...); }(index{});
    }

    context* owner() const {
        return each([](auto const&... a) { return detail::common_owner(a...); });
    }
    void check() const {
        each([](auto const&... a) { detail::check_owners(a...); });
    }
    void prepare() const {
        each([](auto const&... a) { (materialise(a), ...); });
        (void)extent();
    }
    extents<rank> extent() const {
        return each([&](auto const&... a) { return with_state([](auto const&... s) { return rule::shape(s...); }, a.extent()...); });
    }
    template <class Slot>
    void evaluate(Slot& y) const {
        compute(array_ref<T, rank>{y.value, y.shape, y.stride});
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
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
        T y = value();
        pull(g, y);
        return y;
    }

private:
    // What the rule keeps from its value for its pullbacks.
    mutable std::optional<block> scratch_;

    // Calls f with the operation, if it holds anything, and with the scratch, if there is one, before the other arguments.
    template <class F, class... X>
    decltype(auto) with_state(F f, X const&... a) const {
        if constexpr (std::is_empty_v<Op>) return f(a...);
        else return f(op, a...);
    }
    template <class F, class... X>
    decltype(auto) with_scratch(F f, X const&... a) const {
        if constexpr (has_scratch) return with_state(f, static_cast<std::ptrdiff_t*>(scratch_->get()), a...);
        else return with_state(f, a...);
    }
    void compute(array_ref<T, rank> const& y) const {
        if constexpr (has_scratch) {
            std::size_t const n = each([&](auto const&... a) { return with_state([](auto const&... s) { return rule::scratch(s...); }, a.extent()...); });
            context* c = owner();
            scratch_.emplace(c ? *c : plain_context(), n * sizeof(std::ptrdiff_t));
        }
        each([&](auto const&... a) { with_scratch([](auto const&... s) { rule::value(s...); }, y, a.source()...); });
    }
    template <class B>
    static void materialise(B const& a) {
        if constexpr (requires { a.hold(); }) a.hold();
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
