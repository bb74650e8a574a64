// Defines the nodes of operations on whole arrays: their operands lie in memory, and a rule writes straight into the cotangents.
#pragma once

#include <utility>

#include <xgrad/scope/kernel.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class... A>
    requires has_array_rule<Op>
struct node<Op, A...> {
    using rule = array_rule<Op>;
    using value_type = std::common_type_t<typename A::value_type...>;
    using T = value_type;
    using mode = typename detail::join_mode<typename A::mode...>::type;
    static constexpr int rank = rule::template rank<A::rank...>;
    static constexpr bool is_batch = lanes<T> != 1;
    static_assert((std::is_same_v<typename A::value_type, T> && ...), "xgrad[E022]: an operation on whole arrays requires operands of one element type: convert the constant one");
    using index = std::index_sequence_for<A...>;

    bundle<A...> x;

    explicit node(A&&... a) : x(std::move(a)...) {}
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
        return each([](auto const&... a) { return rule::shape(a.extent()...); });
    }
    template <class Slot>
    void evaluate(Slot& y) const {
        each([&](auto const&... a) { rule::value(array_ref<T, rank>{y.value, y.shape, y.stride}, a.source()...); });
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        pull_from(array_ref<T const, rank>{y.cotangent, y.shape, y.stride}, array_ref<T const, rank>{y.value, y.shape, y.stride});
    }

    // ---- scalar results

    T value() const
        requires(rank == 0)
    {
        T y{};
        each([&](auto const&... a) { rule::value(array_ref<T, 0>{&y, {}, {}}, a.source()...); });
        return y;
    }
    void pull(T const& g, T const& y) const noexcept
        requires(rank == 0)
    {
        pull_from(array_ref<T const, 0>{&g, {}, {}}, array_ref<T const, 0>{&y, {}, {}});
    }
    T value_and_pull(T const& g) const
        requires(rank == 0)
    {
        T y = value();
        pull(g, y);
        return y;
    }

private:
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
            each([&](auto const&... a) { rule::template pullback<static_cast<int>(I)>(xbar, add, ybar, y, a.source()...); });
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
