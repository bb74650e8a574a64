// Defines result<S> of several numbers and arrays, which a function may declare to give, and delivery<S, L>, where its caller takes it from.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/loops/output.hpp>
#include <xgrad/scope/call/result.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// What a type says of the shape of its values: all, or nothing.
template <class Y>
struct shape_by_type {
    static constexpr bool is_known = perturbable_number<Y>;
    static constexpr extents<0> get() { return {}; }
};
template <class T, std::size_t... N, xt::layout_type Layout, bool Sharable, class Tag>
struct shape_by_type<xt::xfixed_container<T, xt::fixed_shape<N...>, Layout, Sharable, Tag>> {
    static constexpr bool is_known = true;
    static constexpr extents<static_cast<int>(sizeof...(N))> get() { return {{N...}}; }
};
template <class Y>
struct shape_by_type<summed<Y>> : shape_by_type<Y> {};

// For each part its value, and the cotangent that it is given at once, where one is due.
template <class S, class L>
struct delivery;
template <class L>
struct to_delivery {
    template <class S>
    using type = delivery<std::remove_cvref_t<S>, L>;
};
template <class S, class L>
    requires(!is_std_tuple<S> && !is_summed<S> && !differentiable<S>)
struct delivery<S, L> {
    using primal = S;
    S value{};
};
template <perturbable_number S, class L>
struct delivery<S, L> {
    using primal = S;
    using T = typename L::template type<S>;
    T value, seed;
    bool due = false;
    XGRAD_DETAIL_INLINE delivery() noexcept : seed{} {}  // nobody reads the value before it is delivered
};
// Of an array they lie in the loop's memory; the shape is to be this one.
template <number_array S, class L>
struct delivery<S, L> {
    using primal = S;
    using T = typename L::template type<array_element_t<S>>;
    static constexpr int rank = rank_of<S>;
    extents<rank> shape;
    memory_t<T> value = nullptr, seed = nullptr;
    bool due = false;
};
// A sum grows in the loop's memory.
template <class S, class L>
struct delivery<summed<S>, L> : delivery<S, L> {
    bool add = true;
};
template <class... S, class L>
struct delivery<std::tuple<S...>, L> {
    using primal = std::tuple<typename delivery<S, L>::primal...>;
    std::tuple<delivery<S, L>...> parts_here{};
};
template <class S, class L>
    requires(!is_std_tuple<S> && !is_summed<S> && !is_leaf<S>)
struct delivery<S, L> {
    using primal = S;
    typename parts<S>::template rebind<to_delivery<L>> parts_here{};
};

template <class D, class R>
XGRAD_DETAIL_INLINE void deliver_part(context& c, D& d, R& r) {
    using S = typename D::primal;
    if constexpr (!differentiable<S>) d.value = static_cast<S>(r);
    else if constexpr (perturbable_number<S>) {
        using T = typename D::T;
        if constexpr (!active<R>) d.value = embed<T>(number_in(r));
        else {
            using V = typename R::value_type;
            if (context* const o = r.owner(); o && o != &c && !o->plain) throw captured_value();
            if constexpr (R::rank != 0) {
                auto e = only_element(r);
                d.value = embed<T>(e.forward());
                if (d.due) e.add(d.seed);
            } else if constexpr (number_dual<T> && !number_dual<V>) d.value = embed<T>(part_source(r).forward());
            else if constexpr (requires { std::move(r).deliver(V(d.seed), d.due); }) d.value = embed<T>(std::move(r).deliver(V(d.seed), d.due));
            else d.value = embed<T>(as_operand(r).deliver(V(d.seed), d.due));
        }
    } else {
        using T = typename D::T;
        auto put = [&d](std::size_t k, auto const& v) XGRAD_DETAIL_LAMBDA {
            if constexpr (requires { d.add; }) d.value[k] = T(T(d.value[k]) + embed<T>(v));
            else d.value[k] = embed<T>(v);
        };
        if constexpr (active<R>) {
            auto const debt = part_source(r);
            if (context* const o = debt.owner(); o && o != &c && !o->plain) throw captured_value();
            auto const found = debt.extent();
            if (!covers(d.shape, found)) state_changes_shape(to_string(found), to_string(d.shape));
            for_each_element(debt.source(), [&put](std::size_t k, auto const& v) XGRAD_DETAIL_LAMBDA { put(k, typename R::value_type(v)); });
            if constexpr (!number_dual<T> || number_dual<typename R::value_type>)
                if (d.due) pull_back(debt, debt.extent(), memory_t<T const>(nullptr), d.seed);
        } else {
            auto const a = as_constant_array<array_element_t<S>>(r, plain_context());
            if (!covers(d.shape, a.extent())) state_changes_shape(to_string(a.extent()), to_string(d.shape));
            for_each_element(a.source(), put);
        }
    }
}

template <class P>
consteval bool is_plain_leaf() {
    if constexpr (is_std_tuple<P>) return false;
    else return is_leaf<P>;
}
// The parts of a plain result, which may refer to the state of before.
template <class P, class R>
void take_plain(P& to, R&& r) {
    if constexpr (declares_parts<R>) to = r.value();
    else if constexpr (declared_result<R>) to = static_cast<P>(r.value());
    else if constexpr (is_summed<P>) take_plain(to.value, behind_sum(r));
    else if constexpr (plain_array<P>) to = P(r);
    else if constexpr (is_plain_leaf<P>()) to = static_cast<P>(number_in(r));
    else {
        auto take = [](auto& mine, auto& others) {
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                using std::get;
                (take_plain(get<I>(mine), get<I>(others)), ...);
            }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(mine)>>>{});
        };
        auto bind = [&](auto&& mine, auto&& others) { take(mine, others); };
        bind(fields_in_turn(to), fields_in_turn(r));
    }
}
}

// What a function of several results may declare to give to map, vjp, jvp and jacobian; the body of a loop, the next state, or {next state, outputs}. S is the
// plain type: a struct, a tuple, an array of fixed shape. It is made of a value of that form, or of the parts of a struct or a tuple. What is computed of
// numbers and of small fixed arrays is then on the stack.
template <class S>
    requires(!std::is_floating_point_v<S> && !detail::is_complex_number<S> && (differentiable<S> || unperturbable<S> || detail::is_std_tuple<S>))
class result<S> {
public:
    using declared_result = void;
    using declared_parts = void;
    using value_type = S;

    template <class E>
        requires(!std::same_as<std::remove_cvref_t<E>, result>)
    XGRAD_DETAIL_INLINE result(E&& e) {
        using A = detail::active_element_t<E>;
        if constexpr (std::is_void_v<A>) detail::take_plain(value_, e);
        else {
            using L = detail::lift_like<A>;
            context* const c = running_call;
            if (!c) contexts_meet();
            auto& d = c->template place_of_delivery<detail::delivery<S, L>>();
            detail::each_leaf([c](auto& part, auto& r) XGRAD_DETAIL_LAMBDA { detail::deliver_part(*c, part, detail::behind_sum(r)); }, d, e);
            ++c->deliveries;
        }
    }
    // Of the parts: return {x * y, sin(x)};
    template <class A, class B, class... E>
    XGRAD_DETAIL_INLINE result(A&& a, B&& b, E&&... e) : result(std::tuple(std::forward<A>(a), std::forward<B>(b), std::forward<E>(e)...)) {}
    // Where all of it is constant.
    S const& value() const noexcept { return value_; }

private:
    S value_{};
};

}
XGRAD_DETAIL_QUIET_END
