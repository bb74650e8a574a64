// Defines gradient_call: one call of a user's function with active arguments: it binds them, runs the function, and pulls its result.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/scope/call_argument.hpp>
#include <xgrad/scope/result.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// The one element of an array of dynamic rank.
template <class E>
auto only_element(E&& e) {
    auto const p = part_source(std::forward<E>(e));
    return make_window(p, 0, extents<0>{}, strides<0>{});
}

}

// The storage of one call's arguments. It can be used again and again, and then allocates nothing.
template <class F, class... X>
class gradient_call {
    template <class M>
    using result_in = std::invoke_result_t<F&, detail::parameter_t<X, M>...>;
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
        if constexpr (Reverse || std::is_same_v<mode, counted>) return bind_and_run(arguments_, f, w, c, gradient, memory, std::index_sequence_for<X...>{}, x...);
        else {
            std::tuple<detail::storage_of<X, counted>...> values;
            return bind_and_run(values, f, w, c, gradient, memory, std::index_sequence_for<X...>{}, x...);
        }
    }

private:
    std::tuple<detail::storage_of<X, mode>...> arguments_;

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

    template <class S, class G, std::size_t... I>
    static value_type bind_and_run(S& arguments, F& f, workspace& w, context& c, G* gradient, gradient_memory memory, std::index_sequence<I...>, X const&... x) {
        auto bind_all = [&](detail::object_table* objects) {
            binding const b{c, memory, objects};
            (bind(std::get<I>(arguments), x, gradient ? std::addressof(std::get<I>(*gradient)) : nullptr, b), ...);
        };
        if constexpr ((detail::somewhere_in_argument<detail::is_shareable, X> || ...)) {
            detail::object_table objects;
            bind_all(&objects);
        } else bind_all(nullptr);
        value_type v;
        {
            end_of_call end{w};
            v = call(f, c, std::get<I>(arguments).handle()...);
            end.failed = false;
            if (gradient && c.live == 0) (finish(std::get<I>(arguments), std::addressof(std::get<I>(*gradient)), memory), ...);
        }
        return v;
    }
    template <class S, class Y, class D>
    static void bind(S& s, Y const& x, D* dx, binding const& b) {
        using traits = detail::traits_of<Y>;
        auto const& primal = traits::get(x);
        if constexpr (traits::is_constant) {
            s.x = std::addressof(primal);
            b.call.promise(std::addressof(primal), sizeof primal);
        } else s.bind(primal, dx, b);
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
XGRAD_DETAIL_QUIET_END
