// Defines node<Op, A...> for elementwise operations: the operands of a formula, and how they are evaluated and pulled in one fused pass.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/scope/kernel/conversions.hpp>
#include <xgrad/scope/kernel/node_cursor.hpp>
#include <xgrad/scope/kernel/frame.hpp>
#include <xgrad/scope/kernel/remembered.hpp>
#include <xgrad/scope/node/cost.hpp>
#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/operand/broadcast.hpp>
#include <xgrad/scope/operand/constant.hpp>
#include <xgrad/scope/operand/owners.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class... A>
    requires scalar_rule<Op>
struct node<Op, A...> {
    using elementwise = void;
    static constexpr bool is_known = takes_complex<Op> || !(detail::is_complex_number<typename A::value_type> || ...);
    static_assert(is_known, "xgrad[E103]: this function of active values requires real numbers, but an operand is complex: take its abs, real or imag");
    using value_type = typename decltype(detail::value_of_operation<is_known, Op, typename A::value_type...>())::type;
    using T = value_type;
    using lifetime = typename detail::join_lifetime<typename A::lifetime...>::type;
    static constexpr int rank = [] {
        int r = 0;
        ((r = r == dynamic_rank || A::rank == dynamic_rank ? dynamic_rank : (A::rank > r ? A::rank : r)), ...);
        return r;
    }();
    static constexpr bool is_batch = [] {
        // asked only of operations whose operands are all batches of its type: the body of another might not compile
        if constexpr (lanes<T> != 1 && (A::is_batch && ...) &&
                      ((std::is_same_v<typename A::value_type, T> || std::is_same_v<typename A::value_type, scalar_of_t<T>>)&&...))
            return std::is_invocable_v<Op const&, std::conditional_t<A::is_batch, pack_t<scalar_of_t<T>, lanes<T>>, scalar_of_t<T>>...>;
        else return false;
    }();
    static constexpr std::size_t width = is_batch ? lanes<T> : 1;
    static constexpr bool is_linear = [] {
        if constexpr (requires { Op::linear(A::is_active...); }) return Op::linear(A::is_active...);
        else return false;
    }();
    static constexpr bool pulls_without_value = is_linear;
    // arrays of duals have no static shape, their memory is that of two arrays
    using shape_type = std::conditional_t<number_dual<T>, rank_c<rank>, broadcast_shape_t<rank, A...>>;
    using index = std::index_sequence_for<A...>;

    flat_tuple<A...> x;

    XGRAD_DETAIL_INLINE node() {}
    XGRAD_DETAIL_INLINE explicit node(A&&... a) : x(static_cast<A&&>(a)...) {}
    XGRAD_DETAIL_INLINE node(node&& o) noexcept : x(static_cast<flat_tuple<A...>&&>(o.x)) {}
    XGRAD_DETAIL_INLINE node(node const& o) : x(o.x) {}
    XGRAD_DETAIL_INLINE ~node() {}
    XGRAD_DETAIL_INLINE static void* operator new(std::size_t, void* p) noexcept { return p; }

    template <std::size_t I>
    XGRAD_DETAIL_INLINE auto const& at() const noexcept { return item<I>(x); }
    template <class F>
    XGRAD_DETAIL_INLINE decltype(auto) each(F const& f) const { return x.apply(f); }

    XGRAD_DETAIL_INLINE context* owner() const {
        if constexpr (std::is_same_v<lifetime, unchecked>) return running_call;
        else return x.apply(detail::common_owner);
    }
    XGRAD_DETAIL_INLINE void check() const {
        if constexpr (!is_eager) x.apply(detail::check_owners);
    }
    // Of numbers: the same, asked once for a whole tree of them, when its value is. Throws as check() does.
    XGRAD_DETAIL_INLINE context* checked_owner() const {
        context* c = nullptr;
        if (!belongs_to_one(c)) [[unlikely]] {
            check();
            c = owner();
        }
        return c;
    }
    // Whether all active operands belong to c, or, if that is null, to the call of the first one.
    XGRAD_DETAIL_INLINE bool belongs_to_one(context*& c) const { return x.apply(detail::belong_to_one{c}); }
    // Evaluates operands that are not elementwise, or long and broadcast. May throw, as extent() may; afterwards nothing does but a user's own operation.
    XGRAD_DETAIL_INLINE void prepare() const {
        each([this](auto const&... a) XGRAD_DETAIL_LAMBDA { (this->prepare_one(a), ...); });
    }
    XGRAD_DETAIL_INLINE extents<rank> extent() const {
        if constexpr (has_static_shape<node>) return shape_type::shape;
        extents<rank> s{};
        if constexpr (rank != dynamic_rank) s.n.fill(1);
        x.apply([&s](auto const&... a) XGRAD_DETAIL_LAMBDA {
            if (!(detail::broadcast_operand_into(s, a) && ...)) [[unlikely]] detail::refuse_to_broadcast(Op::name, a...);
        });
        return s;
    }

    // ---- one element

    using frame = frame_of<T, typename A::frame...>;

    XGRAD_DETAIL_INLINE void forward(frame& f) const {
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            (at<I>().forward(item<I>(f.x)), ...);
            if constexpr (is_in_common) f.y = compute(detail::as<T>(value_of(item<I>(f.x)))...);
            else f.y = apply<Op>(detail::as<T>(value_of(item<I>(f.x)))...);
        }(index{});
    }
    XGRAD_DETAIL_INLINE void backward(frame const& f, T const& g) const noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            auto d = derive(f.y, detail::in_full<T>(value_of(item<I>(f.x)))...);
            (pull_one<I>(at<I>(), item<I>(f.x), d, g), ...);
        }(index{});
    }
    // Scalars of a scoped function are evaluated where they are made, and then each operand knows its value.
    static constexpr bool is_eager = [] {
        if constexpr (rank == 0 && is_stacked<lifetime>) return (known_value<A> && ...);
        else return false;
    }();
    XGRAD_DETAIL_INLINE T value_now() const {
        if constexpr (counts_on_stack<lifetime>) x.apply(detail::check_running_call);
        return each([](auto const&... a) XGRAD_DETAIL_LAMBDA {
            if constexpr (is_in_common) return compute(detail::as<T>(a.forward())...);
            else return apply<Op>(detail::as<T>(a.forward())...);
        });
    }
    XGRAD_DETAIL_INLINE void pull_now(T const& g, T const& y) const noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            auto d = derive(y, detail::in_full<T>(at<I>().forward())...);
            (add_to<I>(at<I>(), d, g), ...);
        }(index{});
    }

    XGRAD_DETAIL_INLINE T value() const {
        frame f;
        forward(f);
        return f.y;
    }
    // The value is there: only the operands are computed again.
    XGRAD_DETAIL_INLINE void pull(T const& g, T const& y) const noexcept {
        frame f;
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { (at<I>().forward(item<I>(f.x)), ...); }(index{});
        f.y = y;
        backward(f, g);
    }
    XGRAD_DETAIL_INLINE T value_and_pull(T const& g) const {
        frame f;
        forward(f);
        backward(f, g);
        return f.y;
    }

    // ---- the result of a call, where the derivatives with respect to the operands are known before their values

    static constexpr bool is_found_by_prepare = false;
    static constexpr bool splits = rank == 0 && is_linear && (xgrad::takes_one_pass<A> || ...);
    static constexpr bool takes_one_pass = splits;
    void prepare_split(T const* seed) const {
        each([](auto const&... a) { (materialise_factor(a), ...); });
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            auto d = partials<Op>(T(0), coefficient(at<I>())...);
            (prepare_split_one<I>(at<I>(), d, seed), ...);
        }(index{});
    }
    T deliver_split(T const& seed) const noexcept {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            auto d = partials<Op>(T(0), coefficient(at<I>())...);
            flat_tuple<decltype(T(at<I>().is_active))...> const v{deliver_one<I>(at<I>(), d, seed)...};
            return T(Op{}(item<I>(v)...));
        }(index{});
    }

    // ---- arrays

    // Before the pullback: offers the memory of y's cotangent to the first operand that can take it.
    template <class Slot>
    bool offer_cotangent(Slot const& y) const noexcept {
        return each([&](auto const&... a) { return (a.offer_cotangent(y) || ...); });
    }
    XGRAD_DETAIL_INLINE bool is_same(node const& o) const noexcept {
        return [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { return (at<I>().is_same(o.template at<I>()) && ...); }(index{});
    }
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents(extents<S> const& space) const noexcept {
        detail::ensure_each_cotangent(x, space);
    }
    template <class Step>
    using cursor = detail::node_cursor_t<node, Step>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type& p, bool reverse) const noexcept {
        return cursor<Step>(p, x, reverse);
    }

private:
    // What all items have in common is computed once, where it is not cheap.
    static constexpr bool is_in_common = std::is_same_v<lifetime, in_common>;
    template <class... X>
    XGRAD_DETAIL_INLINE static T compute(X const&... v) {
        if constexpr (detail::is_worth_remembering<Op, T, rank>) return T(detail::remembered<Op, T, sizeof...(A)>::at(T(v)...).y);
        else return apply<Op>(v...);
    }
    struct known_partials {
        template <class... X>
        XGRAD_DETAIL_INLINE auto operator()(T const& y, X const&... v) const {
            if constexpr (!detail::is_worth_remembering<Op, T, rank>) return partials<Op>(y, v...);
            else if constexpr (detail::remembered<Op, T, sizeof...(A)>::knows_partials) {
                auto const& known = detail::remembered<Op, T, sizeof...(A)>::at(T(v)...);
                return [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { return partial(T(known.partial[I])...); }(index{});
            } else return partials<Op>(y, v...);
        }
    };
    static constexpr auto choose_partials() {
        if constexpr (is_in_common) return known_partials{};
        else return partials<Op>;
    }
    static constexpr auto derive = choose_partials();
    template <class B>
    static void materialise_factor(B const& a) {
        if constexpr (!xgrad::takes_one_pass<B>) a.materialise();
    }
    template <std::size_t I, class B, class D>
    static void prepare_split_one(B const& a, D const& d, T const* seed) {
        if constexpr (xgrad::takes_one_pass<B>) {
            typename B::value_type const g = detail::given_back<typename B::value_type>(detail::contribution<T>(seed ? *seed : T(0), partial_at<I>(d)));
            a.prepare_root(seed ? &g : nullptr);
        }
    }
    template <class B>
    static T coefficient(B const& a) noexcept {
        if constexpr (B::is_active) return T(0);
        else {
            typename B::frame f;
            a.forward(f);
            return T(detail::in_full<T>(value_of(f)));
        }
    }
    template <std::size_t I, class B, class D>
    static T deliver_one(B const& a, D const& d, T const& seed) noexcept {
        if constexpr (xgrad::takes_one_pass<B>)
            return T(detail::in_full<T>(a.deliver_root(detail::given_back<typename B::value_type>(detail::contribution<T>(seed, partial_at<I>(d))))));
        else {
            typename B::frame f;
            a.forward(f);
            if constexpr (B::is_active) a.backward(f, detail::given_back<typename B::value_type>(detail::contribution<T>(seed, partial_at<I>(d))));
            return T(detail::in_full<T>(value_of(f)));
        }
    }
    template <class B>
    XGRAD_DETAIL_INLINE void prepare_one(B const& a) const {
        // a scalar inside an array expression is evaluated before the kernel, never once per element, and so is what is long and broadcast
        if constexpr (rank != 0 && B::rank == 0) return a.materialise();
        else if constexpr (sizeof...(A) > 1 && detail::may_be_broadcast<B>)
            if (a.is_fresh() && element_count(a.extent()) < element_count(extent())) return a.materialise();
        a.prepare();
    }
    template <std::size_t I, class B, class F, class D>
    static XGRAD_DETAIL_INLINE void pull_one(B const& a, F const& f, D const& d, T const& g) noexcept {
        if constexpr (detail::is_captured<T, typename B::value_type> && B::is_active) detail::refuse_captured<B>();
        else if constexpr (B::is_active)
            if (lets_through(partial_at<I>(d))) a.backward(f, detail::given_back<typename B::value_type>(detail::contribution<T>(g, partial_at<I>(d))));
    }
    // A choice that is not taken is not pulled at all.
    template <class P>
    static XGRAD_DETAIL_INLINE bool lets_through([[maybe_unused]] P const& partial) noexcept {
        if constexpr (requires { partial.open; }) return detail::is_open_somewhere(partial.open);
        else return true;
    }
    template <std::size_t I, class B, class D>
    static XGRAD_DETAIL_INLINE void add_to(B const& a, D const& d, T const& g) noexcept {
        if constexpr (detail::is_captured<T, typename B::value_type> && B::is_active) detail::refuse_captured<B>();
        else if constexpr (B::is_active)
            if (lets_through(partial_at<I>(d))) a.add(detail::given_back<typename B::value_type>(detail::contribution<T>(g, partial_at<I>(d))));
    }
};

}
XGRAD_DETAIL_QUIET_END
