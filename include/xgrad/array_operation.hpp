// Defines array_operation(op, x...): an operation on whole arrays as a formula; and how functions of xtensor's names are written for active values.
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/ruleset/lane_by_lane.hpp>
#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/scope/call/variable.hpp>

// Every active type is an instance of a template with type parameters only, so these forms are more specialised than xtensor's
// `E&&`, and both can stand side by side under one name. PARAMETERS are those after the active one, in parentheses; what is returned
// may use XGRAD_DETAIL_E, the active value as it was given, and them.
#define XGRAD_DETAIL_E static_cast<decltype(e)>(e)
#define XGRAD_DETAIL_MORE(...) __VA_OPT__(, ) __VA_ARGS__
#define XGRAD_DETAIL_WITH(...) __VA_ARGS__ __VA_OPT__(, )
#define XGRAD_DETAIL_ACTIVE_FORM(REF, TEMPLATE, NAME, PARAMETERS, ...)                        \
    template <XGRAD_DETAIL_WITH TEMPLATE template <class...> class H, class... A>             \
        requires active<H<A...>>                                                              \
    auto NAME(H<A...> REF e XGRAD_DETAIL_MORE PARAMETERS) {                                   \
        return __VA_ARGS__;                                                                   \
    }
#define XGRAD_DETAIL_ACTIVE_TEMPLATE(TEMPLATE, NAME, PARAMETERS, ...)                  \
    XGRAD_DETAIL_ACTIVE_FORM(&, TEMPLATE, NAME, PARAMETERS, __VA_ARGS__)               \
    XGRAD_DETAIL_ACTIVE_FORM(const&, TEMPLATE, NAME, PARAMETERS, __VA_ARGS__)          \
    XGRAD_DETAIL_ACTIVE_FORM(&&, TEMPLATE, NAME, PARAMETERS, __VA_ARGS__)              \
    XGRAD_DETAIL_ACTIVE_FORM(const&&, TEMPLATE, NAME, PARAMETERS, __VA_ARGS__)
#define XGRAD_DETAIL_ACTIVE(NAME, PARAMETERS, ...) XGRAD_DETAIL_ACTIVE_TEMPLATE((), NAME, PARAMETERS, __VA_ARGS__)

namespace xgrad {

namespace detail {

// T, known as soon as E is: what a template writes with it is not instantiated by a program that only includes it.
template <class T, class E>
struct when_used { using type = T; };
template <class T, class E>
using when_used_t = typename when_used<T, E>::type;

// An operand as an array operation takes it: what is active as it is, a plain array as a constant beside elements of type T; what has been captured stays.
template <class T, class E>
XGRAD_DETAIL_INLINE auto capture_operand(E&& e, context* c) {
    using U = std::remove_cvref_t<E>;
    if constexpr (active<E>) return as_operand(std::forward<E>(e));
    else if constexpr (plain_operand<E>) return as_constant<T>(std::forward<E>(e), c);
    else return U(std::forward<E>(e));
}
template <class E>
XGRAD_DETAIL_INLINE context* owner_or_none(E const& e) {
    if constexpr (active<E>) return e.owner();
    else return nullptr;
}

// Indices as an operand, in the memory of the call: an array of this shape, which write(p) fills in row-major order.
template <int R, class F>
auto written_index_operand(context* owner, extents<R> const& shape, F write) {
    context& c = owner ? *owner : plain_context();
    block memory(c, element_count(shape) * sizeof(std::ptrdiff_t));
    auto* p = static_cast<std::ptrdiff_t*>(memory.get());
    write(p);
    return constant_array<std::ptrdiff_t, R, block>(std::move(memory), p, shape, row_major_strides(shape));
}
// The same where f(k) is the k-th.
template <int R, class F>
auto index_operand(context* owner, extents<R> const& shape, F f) {
    return written_index_operand(owner, shape, [&](std::ptrdiff_t* p) {
        for (std::size_t k = 0, n = element_count(shape); k < n; ++k) p[k] = f(k);
    });
}
// The same for indices along `size` places, of which negative ones count from the end. Throws std::out_of_range where one is not there.
template <int R, int X, class F>
auto place_operand(char const* call, context* owner, extents<R> const& shape, std::size_t size, extents<X> const& x, F f) {
    auto const n = static_cast<std::ptrdiff_t>(size);
    return index_operand(owner, shape, [&](std::size_t k) {
        auto const i = static_cast<std::ptrdiff_t>(f(k));
        if (i < -n || i >= n)
            throw std::out_of_range(std::string("xgrad[E204]: ") + call + " requires indices inside the shape of x, found " + std::to_string(i) + " and " +
                                    to_string(x) + ": count from 0");
        return i < 0 ? i + n : i;
    });
}

// The rule's result for plain arrays, as an array of its own.
template <class T, class Op, class... E>
auto plain_result(Op const& op, E&&... e) {
    using rule = array_rule<Op>;
    auto const compute = [&](auto const&... a) {
        auto with_op = [&](auto f, auto const&... b) {
            if constexpr (std::is_empty_v<Op>) return f(b...);
            else return f(op, b...);
        };
        auto const s = with_op([](auto const&... b) { return rule::shape(b...); }, a.extent()...);
        constexpr int R = rule::template rank<std::remove_cvref_t<decltype(a)>::rank...>;
        if constexpr (R == 0) {
            T y{};
            with_op([](auto const&... b) { rule::value(b...); }, array_ref<T, 0>{&y, {}, {}}, a.source()...);
            return y;
        } else {
            auto y = primal_of_shape<T>(s);
            with_op([](auto const&... b) { rule::value(b...); }, array_ref<T, R>{y.data(), s, row_major_strides(s)}, a.source()...);
            return y;
        }
    };
    return compute(capture_operand<T>(std::forward<E>(e), nullptr)...);
}

}

namespace detail {
// Whether all are active arrays of shapes for which the operation is written out.
template <class Op, class T, class... E>
concept has_rule_for_shapes = requires { sizeof(static_rule<Op, T, typename E::shape_type...>); };
template <class Op, class... E>
concept is_written_out = (active<E> && ...) && (has_static_shape<E> && ...) && has_rule_for_shapes<Op, typename active_element<E...>::type, E...>;
}

namespace detail {
template <class Op, class... E>
XGRAD_DETAIL_INLINE auto array_formula(Op op, E&&... e) {
    using T = typename active_element<E...>::type;
    context* c = nullptr;
    ((c = c ? c : owner_or_none(e)), ...);
    using F = formula<Op, decltype(capture_operand<T>(std::forward<E>(e), c))...>;
    auto make = [&]() XGRAD_DETAIL_LAMBDA {
        if constexpr (std::is_empty_v<Op>) return F{std::in_place, capture_operand<T>(std::forward<E>(e), c)...};
        else return F{std::in_place, std::move(op), capture_operand<T>(std::forward<E>(e), c)...};
    };
    F f = make();
    if constexpr (sizeof...(E) > 1) f.node_at().check();
    return f;
}
}

// op(x...) for an operation with an array_rule: x may be active, plain, or operands that were captured before. Throws what the rule's shape does, where the
// value is asked for.
template <class Op, class... E>
    requires(active<E> || ...)
XGRAD_DETAIL_INLINE auto array_operation(Op op, E&&... e) {
    using L = detail::operation_of_lane<Op>;
    if constexpr (std::is_void_v<L>) return detail::array_formula(std::move(op), std::forward<E>(e)...);
    else return detail::array_formula(op::lane_by_lane<L>{std::bit_cast<L>(op)}, std::forward<E>(e)...);
}

}
