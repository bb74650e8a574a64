// Defines gradient_call: one call of a user's function with active arguments: it binds them, runs the function, and pulls its result.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/scope/arguments/call_argument.hpp>
#include <xgrad/scope/call/result.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// The one element of an array of dynamic rank.
template <class E>
auto only_element(E&& e) {
    auto const p = part_source(std::forward<E>(e));
    return make_slot_view(p, 0, extents<0>{}, strides<0>{});
}

// Whether a call whose values are on the stack needs no workspace for this argument.
template <class X, class M, class L>
inline constexpr bool stays_on_stack = traits_of<X>::is_constant || is_small_argument<typename traits_of<X>::primal, M, L>;
// A constant that is copied into what is made of it: nothing needs to be known of it.
template <class P>
inline constexpr bool is_small_plain = std::is_arithmetic_v<P> || std::is_enum_v<P>;
template <plain_array P>
inline constexpr bool is_small_plain<P> = is_small_constant<typename P::value_type, P>;

template <class S, class Y, class D>
XGRAD_DETAIL_INLINE void bind_argument(S& s, Y const& x, D* dx, bind_context const& b) {
    using traits = traits_of<Y>;
    auto const& primal = traits::get(x);
    if constexpr (traits::is_constant) {
        s.x = std::addressof(primal);
        if constexpr (!is_small_plain<std::remove_cvref_t<decltype(primal)>>) b.call.assume_constant(std::addressof(primal), sizeof primal);
    } else s.bind(primal, dx, b);
}
struct within_call {
    context* outer;
    explicit within_call(context* c) : outer(std::exchange(running_call, c)) {}
    within_call(within_call const&) = delete;
    ~within_call() { running_call = outer; }
};
// All the arguments of one call: what several of them point to is bound once.
template <class... S, class... X, class G>
XGRAD_DETAIL_INLINE void bind_arguments(std::tuple<S...>& s, G* gradient, context& c, gradient_memory memory, tangent_seeds* tangents, bool is_on_stack,
                                        X const&... x) {
    [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
        auto bind_all = [&](object_table* objects) XGRAD_DETAIL_LAMBDA {
            bind_context const b{c, memory, objects, tangents, is_on_stack};
            (bind_argument(std::get<I>(s), x, gradient ? std::addressof(std::get<I>(*gradient)) : nullptr, b), ...);
        };
        if constexpr ((somewhere_in_argument<is_shareable, X> || ...)) {
            // void const*, by a name that depends on X: an include alone instantiates no table
            object_table_of<std::conditional_t<sizeof...(X) != 0, void const*, void>> objects;
            bind_all(&objects);
        } else bind_all(nullptr);
    }(std::index_sequence_for<X...>{});
}
}

// The arguments of one call: bound, they are given to the function; at the end of the call, however it ends, nothing may be alive in its memory.
// It can be used again and again, and then allocates nothing.
template <class M, class L, class... X>
class bound_call {
public:
    // Of small arrays of fixed shape, and of numbers beside them, in a function with a declared result: all of it is on the stack.
    static constexpr bool is_on_stack =
        is_stacked<M> && (detail::stays_on_stack<X, M, L> && ...) &&
        ((!detail::traits_of<X>::is_constant && detail::number_array<typename detail::traits_of<X>::primal>) || ...);
    // use(c, handles...) in the call's context. The gradients are complete when it is over.
    template <class G, class Use>
    XGRAD_DETAIL_INLINE auto run(workspace& w, X const&... x, G* gradient, gradient_memory memory, detail::tangent_seeds* tangents, Use use) {
        return within(w, gradient != nullptr, [&](context& c) XGRAD_DETAIL_LAMBDA { return run_in(c, x..., gradient, memory, tangents, use); });
    }
    // The two parts of it: body(c) in the workspace's context, and what is done there.
    template <class Body>
    XGRAD_DETAIL_INLINE static auto within(workspace& w, bool go_backward, Body body) {
        context& c = w.get();
        c.begin(go_backward);
        detail::within_call here(&c);
        end_of_call end{w};
        auto v = body(c);
        if (c.live != 0) [[unlikely]] outlived();
        end.is_over = true;
        return v;
    }
    template <class G, class Use>
    XGRAD_DETAIL_INLINE auto run_in(context& c, X const&... x, G* gradient, gradient_memory memory, detail::tangent_seeds* tangents, Use& use) {
        bind(c, x..., gradient, memory, tangents);
        auto v = [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            return use(c, std::get<I>(arguments_).handle()...);
        }(std::index_sequence_for<X...>{});
        finish(gradient, memory);
        return v;
    }
    // What that is made of, for a caller that is a kernel.
    template <class G>
    XGRAD_DETAIL_INLINE void bind(context& c, X const&... x, G* gradient, gradient_memory memory, detail::tangent_seeds* tangents) {
        detail::bind_arguments(arguments_, gradient, c, memory, tangents, is_on_stack, x...);
    }
    template <std::size_t I>
    XGRAD_DETAIL_INLINE decltype(auto) argument() {
        return std::get<I>(arguments_).handle();
    }
    template <class G>
    XGRAD_DETAIL_INLINE void finish(G* gradient, gradient_memory memory) {
        if (!gradient) return;
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            (std::get<I>(arguments_).finish(std::addressof(std::get<I>(*gradient)), memory), ...);
        }(std::index_sequence_for<X...>{});
    }

private:
    std::tuple<detail::storage_of<X, M, L>...> arguments_;

    // A call that ends early, by an exception, may leave something behind.
    struct end_of_call {
        workspace& w;
        bool is_over = false;
        XGRAD_DETAIL_INLINE ~end_of_call() {
            if (!is_over) [[unlikely]] end_early(w);
        }
        [[gnu::cold, gnu::noinline]] static void end_early(workspace& w) {
            if (w.get().live != 0) w.give_up();
        }
    };
};

namespace detail {

// What a function is in a call with elements L: its result where values have lifetime M, and the lifetime of its values.
template <class L, class F, class... X>
struct called {
    template <class M>
    using result_in = std::invoke_result_t<F&, parameter_t<X, M, L>...>;
    using probed = result_in<counted>;
#ifdef XGRAD_UNCHECKED_SCOPES
    using declared_mode = unchecked;
#else
    using declared_mode = scoped;
#endif
    // A declared result type is known without instantiating the function's body, so the body is compiled for one lifetime only.
    using lifetime = std::conditional_t<declared_result<probed> && !std::is_same_v<std::remove_cvref_t<probed>, sum_result>, declared_mode, counted>;
};

// What a number T of a declared result is where arguments are plain duals: one of the derivative around the call.
template <class P>
struct number_in_argument { using type = P; };
template <number_array P>
struct number_in_argument<P> { using type = array_element_t<P>; };
template <class X>
using number_in_argument_t = typename number_in_argument<typename traits_of<X>::primal>::type;
template <class T, class... X>
struct number_of_result { using type = T; };
template <class T, class X, class... Y>
struct number_of_result<T, X, Y...> : number_of_result<T, Y...> {};
template <class T, class X, class... Y>
    requires number_dual<number_in_argument_t<X>>
struct number_of_result<T, X, Y...> { using type = std::remove_const_t<decltype(in_scalars_of<T>(std::declval<real_type_t<number_in_argument_t<X>>>()))>; };

template <class L, class R, class... X>
consteval auto find_call_value() {
    if constexpr (std::is_arithmetic_v<R>) return std::type_identity<typename L::template type<std::common_type_t<R, float>>>{};
    else if constexpr (declares_parts<R>) return std::type_identity<double>{};  // refused
    else if constexpr (declared_result<R>)
        return std::type_identity<typename L::template type<typename number_of_result<typename R::value_type, X...>::type>>{};
    else if constexpr (requires { typename R::value_type; }) return std::type_identity<typename R::value_type>{};
    else return std::type_identity<double>{};  // refused
}

template <class R>
inline constexpr bool is_scalar_result = std::is_arithmetic_v<R> || number_dual<R> || (declared_result<R> && !declares_parts<R>);
template <active R>
inline constexpr bool is_scalar_result<R> = R::rank == 0 || R::rank == dynamic_rank;

template <class R>
inline constexpr bool is_complex_result = is_complex_number<R>;
template <class R>
    requires requires { typename R::value_type; }
inline constexpr bool is_complex_result<R> = is_complex_number<R> || is_complex_number<typename R::value_type>;

// Delivers the scalar r that f gave, and pulls it. One that is declared was delivered to `full`, if not to itself.
template <class V>
inline constexpr bool is_delivered_whole = number_dual<V> || is_pack<V>;
// What a declared R delivers where V is asked for: real, of duals of floats, leaves duals of doubles.
template <class V, class R>
consteval auto find_delivered() {
    if constexpr (!number_dual<V> || !declared_result<R> || declares_parts<R>) return type_tag<V>{};
    else return type_tag<std::remove_const_t<decltype(in_scalars_of<typename std::remove_cvref_t<R>::value_type>(std::declval<V const&>()))>>{};
}
template <class V, class R>
using delivered_t = typename decltype(find_delivered<V, R>())::type;
template <class V, class Way = void, class Full, class Result>
XGRAD_DETAIL_INLINE V take_scalar(context& c, Full const& full, Result&& r) {
    using result_type = std::remove_cvref_t<Result>;
    if constexpr (std::is_arithmetic_v<result_type>) {
        if (c.deliveries != 0) other_delivery();
        return static_cast<V>(r);
    } else if constexpr (number_dual<result_type>) {
        if (c.deliveries != 0) other_delivery();
        return embed<V>(r);
    } else if constexpr (declared_result<result_type>) {
        if (!r.is_delivery_of(c)) other_delivery();
        if constexpr (is_delivered_whole<V>) return c.deliveries != 0 ? V(in_scalars_of<scalar_of_t<V>>(full)) : V(r.value());
        else return r.value();
    } else {
        if (c.deliveries != 0) other_delivery();
        if (context* o = r.owner(); o && !o->plain && o != &c) contexts_meet();
        if constexpr (result_type::rank == dynamic_rank) {
            auto const s = r.extent();
            if (element_count(s) != 1)
                throw std::invalid_argument("xgrad[E218]: gradient(f, x...) requires a scalar result, found an array of shape " + to_string(s) +
                                            ": reduce it with sum or mean");
            auto only = only_element(std::forward<Result>(r));
            if (c.reverse) only.add(V(1));
            return only.forward();
        } else return deliver<Way>(std::forward<Result>(r), &c, V(1), true);
    }
}
template <class V, class Way = void, class F, class... H>
XGRAD_DETAIL_INLINE V call_scalar(F& f, context& c, H&&... h) {
    delivered_t<V, decltype(f(h...))> full{};
    if constexpr (is_delivered_whole<V>) c.deliver_to(std::addressof(full));
    auto&& r = f(h...);
    return take_scalar<V, Way>(c, full, static_cast<decltype(r)>(r));
}
// The same in a kernel.
template <class V, class F, class... H>
XGRAD_DETAIL_MELT V melt_scalar(F& f, context& c, H&&... h) {
    delivered_t<V, decltype(f(h...))> full{};
    if constexpr (is_delivered_whole<V>) c.deliver_to(std::addressof(full));
    auto&& r = f(h...);
    return take_scalar<V>(c, full, static_cast<decltype(r)>(r));
}

// Refused where a scalar is asked for: what else a function gives.
template <class R>
consteval bool check_scalar_result() {
    constexpr bool is_scalar = is_scalar_result<R>, is_plain = plain_array<R>, is_real = !is_scalar || !is_complex_result<R>;
    static_assert(is_real, "xgrad[E104]: gradient(f, x...) requires a real result, but f gives a complex number: take its abs, real or imag");
    static_assert(is_scalar || !is_plain, "xgrad[E148]: gradient(f, x...) requires a result that f computes from active values, but f gives an array or an "
                                          "expression of plain ones: write auto or xgrad::variable for the arrays in f, and sum(x)() for a plain number");
    static_assert(is_scalar || is_plain, "xgrad[E033]: gradient(f, x...) and value(f, x...) require a scalar result, but f gives an array or something else: "
                                         "reduce it with sum or mean");
    return is_scalar;
}

}

// A call of a scalar function with elements L, and its pullback.
template <class L, class F, class... X>
class gradient_call_of {
    using traits = detail::called<L, F, X...>;
    using lifetime = typename traits::lifetime;
    using result_type = std::remove_cvref_t<typename traits::template result_in<lifetime>>;
    static constexpr bool is_scalar = detail::check_scalar_result<result_type>();

public:
    using value_type = typename decltype(detail::find_call_value<L, result_type, X...>())::type;

    template <class G>
    XGRAD_DETAIL_INLINE value_type run(F& f, workspace& w, X const&... x, G* gradient, gradient_memory memory, detail::tangent_seeds* tangents = nullptr) {
        if constexpr (!is_scalar) return value_type{};  // refused
        else if constexpr (bound_call<lifetime, L, X...>::is_on_stack)
            return bound_call<lifetime, L, X...>::within(w, true, [&](context& c) XGRAD_DETAIL_LAMBDA { return run_on_stack(f, c, x..., gradient, memory); });
        else
            return call_.run(w, x..., gradient, memory, tangents, [&f](context& c, auto&&... h) XGRAD_DETAIL_LAMBDA {
                return detail::call_scalar<value_type, std::true_type>(f, c, h...);
            });
    }

private:
    // Everything melts into it, so that nothing has an address: values, cotangents and what is owed are in registers. What begins and ends the call, and what
    // an exception has to find, is in its caller: registers that are saved for exceptions would be saved in each call.
    template <class G>
    XGRAD_DETAIL_KERNEL static value_type run_on_stack(F& f, context& c, X const&... x, G* gradient, gradient_memory memory) {
        if (running_call != &c || c.deliveries != 0) __builtin_unreachable();  // so that it is known here
        bound_call<lifetime, L, X...> call;
        call.bind(c, x..., gradient, memory, nullptr);
        value_type const v = [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_MELT_LAMBDA {
            return detail::melt_scalar<value_type>(f, c, call.template argument<I>()...);
        }(std::index_sequence_for<X...>{});
        call.finish(gradient, memory);
        return v;
    }
    bound_call<lifetime, L, X...> call_;
};

template <class F, class... X>
using gradient_call = gradient_call_of<identity_lift, F, X...>;

}
XGRAD_DETAIL_QUIET_END
