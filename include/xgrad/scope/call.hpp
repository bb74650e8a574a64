// Defines gradient_call: one call of a user's function with active arguments: it binds them, runs the function, and pulls its result.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/scope/argument.hpp>
#include <xgrad/scope/result.hpp>

namespace xgrad {

// constant(x): an argument that is not differentiated. A named x is referred to, and must stay as it is until the gradient is there.
template <class P>
struct constant_argument {
    P value;  // P is a reference for a named x
};
template <class P>
constant_argument<P> constant(P&& x) {
    return {std::forward<P>(x)};
}

namespace detail {

template <class X>
struct argument_traits {
    using primal = X;
    static constexpr bool is_constant = false;
    static X const& get(X const& x) { return x; }
};
template <class P>
struct argument_traits<constant_argument<P>> {
    using primal = std::remove_cvref_t<P>;
    static constexpr bool is_constant = true;
    static primal const& get(constant_argument<P> const& x) { return x.value; }
};

template <class P>
struct constant_storage {
    P const* x = nullptr;
    template <class M>
    P const& handle() const { return *x; }
};

template <class X>
using traits_of = argument_traits<std::remove_cvref_t<X>>;
template <class X>
using storage_of = std::conditional_t<traits_of<X>::is_constant, constant_storage<typename traits_of<X>::primal>, argument<typename traits_of<X>::primal>>;

template <class X>
consteval auto find_gradient_type() {
    if constexpr (traits_of<X>::is_constant) return std::type_identity<no_tangent>{};
    else return std::type_identity<tangent_type_t<typename traits_of<X>::primal>>{};
}

// The one element of an array of dynamic rank.
template <class E>
auto only_element(E&& e) {
    auto const p = part_source(std::forward<E>(e));
    return make_window(p, 0, extents<0>{}, strides<0>{});
}

template <class F>
inline constexpr bool takes_plain_numbers = false;
template <class... P>
inline constexpr bool any_plain = ((std::is_arithmetic_v<std::remove_cvref_t<P>> || plain_array<P>) || ...);
template <class R, class... P>
inline constexpr bool takes_plain_numbers<R (*)(P...)> = any_plain<P...>;
template <class R, class... P>
inline constexpr bool takes_plain_numbers<R (*)(P...) noexcept> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...)> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...) const> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...) noexcept> = any_plain<P...>;
template <class R, class C, class... P>
inline constexpr bool takes_plain_numbers<R (C::*)(P...) const noexcept> = any_plain<P...>;

template <class F>
consteval bool is_plain_function() {
    using G = std::remove_cvref_t<F>;
    if constexpr (std::is_function_v<G>) return takes_plain_numbers<std::decay_t<G>>;
    else if constexpr (std::is_pointer_v<G>) return takes_plain_numbers<G>;
    else if constexpr (requires { &G::operator(); }) return takes_plain_numbers<decltype(&G::operator())>;
    else return false;
}

}

// The gradient of an argument of type X: its tangent, or no_tangent for a constant.
template <class X>
using gradient_type_t = typename decltype(detail::find_gradient_type<X>())::type;

namespace detail {

template <class X>
inline constexpr bool is_good_argument = traits_of<X>::is_constant || differentiable<typename traits_of<X>::primal>;
template <class X>
inline constexpr bool is_known_argument = traits_of<X>::is_constant || has_tangent_type<typename traits_of<X>::primal>;

// Says what is wrong with a call in one sentence, before anything else can.
template <class F, class... X>
consteval bool check_call() {
    constexpr bool known = (is_known_argument<X> && ...);
    if constexpr (!known) {
        (static_cast<void>(gradient_type_t<X>{}), ...);
        return false;
    } else {
        constexpr bool good = (is_good_argument<X> && ...);
        static_assert(good, "xgrad[E030]: gradient(f, x...) requires arguments that have a tangent, but an integer, a string and the like have none: wrap it in xgrad::constant(x), or pass a floating-point number");
        if constexpr (!good) return false;
        else {
            constexpr bool plain = is_plain_function<F>() && (!traits_of<X>::is_constant && ...);
            static_assert(!plain, "xgrad[E031]: gradient(f, x...) requires a function that takes active values, but f takes plain numbers or arrays: take the parameters by auto (auto const& x)");
            if constexpr (plain) return false;
            else {
                constexpr bool callable = std::is_invocable_v<F&, std::remove_reference_t<decltype(std::declval<storage_of<X>&>().template handle<counted>())>&...>;
                static_assert(callable, "xgrad[E032]: gradient(f, x...) requires that f can be called with as many active arguments as are given: take them by auto const&, one parameter for each");
                return callable;
            }
        }
    }
}

}

// The storage of one call's arguments. It can be used again and again, and then allocates nothing.
template <class F, class... X>
class gradient_call {
    template <class M, class Y>
    using handle_of = decltype(std::declval<detail::storage_of<Y>&>().template handle<M>());
    template <class M>
    using result_in = std::invoke_result_t<F&, std::remove_reference_t<handle_of<M, X>>&...>;
    using probed = result_in<counted>;
#ifdef XGRAD_UNCHECKED_SCOPES
    using declared_mode = unchecked;
#else
    using declared_mode = scoped;
#endif
    // A declared result type is known without instantiating the function's body, so the body is compiled for one mode only.
    using mode = std::conditional_t<declared_result<probed> && !std::is_same_v<std::remove_cvref_t<probed>, sum_result>, declared_mode, counted>;
    using result_type = std::remove_cvref_t<result_in<mode>>;

    static constexpr auto find_value_type() {
        if constexpr (std::is_arithmetic_v<result_type>) return std::type_identity<std::common_type_t<result_type, float>>{};
        else return std::type_identity<typename result_type::value_type>{};
    }
    static constexpr bool is_scalar = [] {
        if constexpr (active<result_type>) return result_type::rank == 0 || result_type::rank == dynamic_rank;
        else return std::is_arithmetic_v<result_type> || declared_result<result_type>;
    }();
    static_assert(is_scalar, "xgrad[E033]: gradient(f, x...) requires a scalar result, but f gives an array or something else: reduce it with sum or mean");

public:
    using value_type = typename decltype(find_value_type())::type;

    // f(x...), and with a tuple of gradients its pullback too. Scalars on the stack of a declared function are always pulled: values
    // alone are asked of the workspace.
    template <bool Reverse = true, class G>
    value_type run(F& f, workspace& w, X const&... x, G* gradient, gradient_memory memory) {
        context& c = w.get();
        c.begin(gradient != nullptr);
        struct within {
            context* outer;
            explicit within(context* c) : outer(std::exchange(running_call, c)) {}
            ~within() { running_call = outer; }
        } here(&c);
        return bind_and_run<std::conditional_t<Reverse, mode, counted>>(f, w, c, gradient, memory, std::index_sequence_for<X...>{}, x...);
    }

private:
    std::tuple<detail::storage_of<X>...> arguments_;

    // At the end of a call, however it ends: nothing may be alive in its memory.
    struct end_of_call {
        workspace& w;
        bool failed = true;
        ~end_of_call() noexcept(false) {
            context& c = w.get();
            if (c.live == 0) {
                c.memory.reset();
                return;
            }
            w.give_up();
            if (!failed)
                throw std::logic_error("xgrad: a gradient call requires that no active value outlives it, found one kept outside the function: return it, or keep its primal");
        }
    };

    template <class M, class G, std::size_t... I>
    value_type bind_and_run(F& f, workspace& w, context& c, G* gradient, gradient_memory memory, std::index_sequence<I...>, X const&... x) {
        (bind(std::get<I>(arguments_), x, gradient ? &std::get<I>(*gradient) : nullptr, c, memory), ...);
        value_type v;
        {
            end_of_call end{w};
            v = call(f, c, std::get<I>(arguments_).template handle<M>()...);
            end.failed = false;
            if (gradient && c.live == 0) (finish(std::get<I>(arguments_), &std::get<I>(*gradient), memory), ...);
        }
        return v;
    }
    template <class S, class Y, class D>
    static void bind(S& s, Y const& x, D* dx, context& c, gradient_memory memory) {
        using traits = detail::traits_of<Y>;
        auto const& primal = traits::get(x);
        if constexpr (traits::is_constant) {
            s.x = &primal;
            c.promise(&primal, sizeof primal);
        } else s.bind(primal, dx, c, memory);
    }
    template <class S, class D>
    static void finish(S& s, D* dx, gradient_memory memory) noexcept {
        if constexpr (requires { s.finish(dx, memory); }) s.finish(dx, memory);
    }
    template <class... H>
    static XGRAD_DETAIL_INLINE value_type call(F& f, context& c, H&&... h) {
        auto&& r = f(h...);
        if constexpr (std::is_arithmetic_v<result_type>) {
            if (c.deliveries != 0) detail::other_delivery();
            return static_cast<value_type>(r);
        } else if constexpr (declared_result<result_type>) {
            if (!r.is_delivery_of(c)) detail::other_delivery();
            return r.value();
        } else {
            if (c.deliveries != 0) detail::other_delivery();
            if (context* o = r.owner(); o && !o->plain && o != &c) contexts_meet();
            if constexpr (result_type::rank == dynamic_rank) {
                auto const s = r.extent();
                if (element_count(s) != 1)
                    throw std::invalid_argument("xgrad: gradient(f, x...) requires a scalar result, found an array of shape " + to_string(s) + ": reduce it with sum or mean");
                auto only = detail::only_element(static_cast<decltype(r)>(r));
                if (c.reverse) only.add(value_type(1));
                return only.forward();
            } else return detail::deliver(static_cast<decltype(r)>(r), &c, value_type(1));
        }
    }
};

}
