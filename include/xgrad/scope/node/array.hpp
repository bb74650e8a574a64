// Defines node<Op, A...> of operations on whole arrays: their operands lie in memory, and a rule writes straight into the cotangents.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/flat_tuple.hpp>
#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>
#include <xgrad/scope/memory/block.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/owners.hpp>
#include <xgrad/scope/storage/check_finite.hpp>

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

// A rule that puts its operands into blocks of its result, as they are, says by place<N>(op, strides of the result, shapes of the operands..., strides) where
// the block of operand N begins, and how it lies. A fresh formula may be evaluated straight into its block, and pulled from there, if that lies in one piece.
template <class Op, class A>
concept may_be_in_its_place = requires(A const& a) {
    requires array_rule<Op>::puts_blocks && A::is_elementwise && A::rank != 0 && A::storage::keeps_operands && !has_static_shape<A> && !checks_finite;
    a.node_at();
};

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
    template <class B>
    static consteval bool pulls_without_value_in_place() {
        if constexpr (detail::may_be_in_its_place<Op, B>) return B::node_type::pulls_without_value;
        else return true;
    }
    static constexpr bool pulls_without_value = [] {
        if constexpr (requires { rule::puts_blocks; }) return (pulls_without_value_in_place<A>() && ...);
        else return requires { requires rule::pulls_without_value; };
    }();
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
    XGRAD_DETAIL_INLINE decltype(auto) each(F const& f) const { return x.apply(f); }

    XGRAD_DETAIL_INLINE context* owner() const { return x.apply(detail::common_owner); }
    XGRAD_DETAIL_INLINE void check() const { x.apply(detail::check_owners); }
    XGRAD_DETAIL_INLINE void prepare() const {
        if constexpr (puts_any)
            each([&](auto const&... a) {
                // by way of values: each is asked once
                [&](auto const&... s) { find_places(index{}, row_major_strides(shape_of_result(s...)), s...); }(a.extent()...);
            });
        else {
            each([](auto const&... a) XGRAD_DETAIL_LAMBDA { (a.materialise(), ...); });
            (void)extent();
        }
    }
    XGRAD_DETAIL_INLINE extents<rank> extent() const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return shape_of_result(shape<I>()...); }(index{});
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

    // Of each operand that may be evaluated in its place: where that begins, or that it is not, and its shape.
    struct no_place {};
    template <int R>
    struct known_place {
        std::ptrdiff_t begin = -1;
        extents<R> shape;
    };
    template <class B>
    struct place_of { using type = no_place; };
    template <class B>
        requires detail::may_be_in_its_place<Op, B>
    struct place_of<B> { using type = known_place<B::rank>; };
    static constexpr bool puts_any = (detail::may_be_in_its_place<Op, A> || ...);
    [[no_unique_address]] mutable std::conditional_t<puts_any, flat_tuple<typename place_of<A>::type...>, no_place> places_{};
    template <std::size_t I>
    static constexpr bool may_put = detail::may_be_in_its_place<Op, std::remove_cvref_t<decltype(item<I>(std::declval<flat_tuple<A...> const&>()))>>;
    template <std::size_t I>
    bool is_put() const {
        if constexpr (may_put<I>) return item<I>(places_).begin >= 0;
        else return false;
    }
    template <std::size_t I>
    auto shape() const {
        if constexpr (may_put<I>)
            if (is_put<I>()) return item<I>(places_).shape;
        return at<I>().extent();
    }
    template <class... S>
    extents<rank> shape_of_result(S const&... shapes) const {
        return detail::with_operation([](auto const&... s) { return rule::shape(s...); }, op, shapes...);
    }
    // In a result that is in row-major order, as those of slots are.
    template <std::size_t... I, class... S>
    void find_places(std::index_sequence<I...>, strides<rank> const& y, S const&... shapes) const {
        (find_place<I>(y, shapes...), ...);
        (static_cast<void>(is_put<I>() ? at<I>().prepare() : at<I>().materialise()), ...);
    }
    template <std::size_t I, class... S>
    void find_place([[maybe_unused]] strides<rank> const& y, [[maybe_unused]] S const&... shapes) const {
        if constexpr (may_put<I>) {
            if (!at<I>().is_fresh()) return;
            auto& p = item<I>(places_);
            p.shape = std::get<I>(std::tie(shapes...));
            decltype(row_major_strides(p.shape)) lie;
            std::ptrdiff_t const begin = rule::template place<static_cast<int>(I)>(op, y, lie, shapes...);
            if (is_contiguous(p.shape, lie)) p.begin = begin;
        }
    }
    // The operand as the rule takes it: what is in its place already is told by where it lies.
    template <std::size_t I, class Y>
    auto source(Y const& y) const {
        using S = decltype(at<I>().source());
        if constexpr (may_put<I>)
            if (is_put<I>()) {
                auto const& p = item<I>(places_);
                return S{y.data + p.begin, p.shape, row_major_strides(p.shape)};
            }
        return at<I>().source();
    }
    template <class F, class Y>
    decltype(auto) with_sources(F f, Y const& y) const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) { return f(source<I>(y)...); }(index{});
    }
    template <std::size_t I, class Y>
    void put([[maybe_unused]] Y const& y) const {
        if constexpr (may_put<I>)
            if (is_put<I>()) xgrad::evaluate(at<I>().node_at(), item<I>(places_).shape, y.data + item<I>(places_).begin);
    }

    void compute(array_ref<T, rank> const& y) const {
        if constexpr (puts_any) [&]<std::size_t... I>(std::index_sequence<I...>) { (put<I>(y), ...); }(index{});
        with_sources([&](auto const&... a) { detail::value_by_rule(op, scratch_, owner(), y, a...); }, y);
    }
    template <class Y>
    void pull_from(Y const& ybar, Y const& y) const noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (pull_one<I>(ybar, y), ...); }(index{});
    }
    template <std::size_t I, class Y>
    void pull_one(Y const& ybar, Y const& y) const noexcept {
        using B = std::remove_cvref_t<decltype(at<I>())>;
        if constexpr (B::is_active) {
            if constexpr (may_put<I>)
                if (is_put<I>()) {
                    auto const& p = item<I>(places_);
                    return pull_back(at<I>().node_at(), p.shape, y.data + p.begin, ybar.data + p.begin);
                }
            bool add = false;
            auto const xbar = at<I>().target(add);
            with_sources(
                [&](auto const&... a) {
                    detail::with_scratch([](auto const&... s) { rule::template pullback<static_cast<int>(I)>(s...); }, op, scratch_.get(), xbar, add, ybar, y,
                                         a...);
                },
                y);
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
