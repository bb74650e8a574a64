// Defines the node of hook(x, f): a value in a slot of its own, on whose way back f sees the cotangent first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <type_traits>
#include <utility>

#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/scope/operand/primal.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class F>
struct hooked {
    static constexpr char const* name = "hook(x, f)";
    // a function that looks at the value, too, may refuse it
    static constexpr bool may_throw = requires { F::looks_at_values; };
};

[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_cotangent() noexcept {
    std::fputs(
        "xgrad[E208]: hook(x, f) requires that what f(xbar) returns has the shape of xbar, found another: return an array of that shape, or change xbar in "
        "place and return nothing\n",
        stderr);
    std::terminate();
}

// g = f(g), or f(g) where that returns nothing.
template <class F, class G>
void change(F const& f, G& g) {
    constexpr bool takes = std::is_invocable_v<F const&, G&>;
    static_assert(
        takes,
        "xgrad[E082]: hook(x, f) requires an f that takes the cotangent of x, a number or an array of its element type (of duals in forward mode): take it "
        "by auto (auto& xbar)");
    if constexpr (!takes) return;
    else if constexpr (std::is_void_v<decltype(f(g))>) f(g);
    else if constexpr (!plain_array<G>) g = static_cast<G>(f(g));
    else {
        auto const changed = xt::eval(f(g));
        if (!std::equal(changed.shape().begin(), changed.shape().end(), g.shape().begin(), g.shape().end())) wrong_cotangent();
        auto to = g.data();
        for (auto at = changed.template begin<xt::layout_type::row_major>(); at != changed.template end<xt::layout_type::row_major>(); ++at) *to++ = *at;
    }
}

// The same for the cotangent of a slot, where it lies.
template <class T, class F, int R>
void change_in_memory(F const& f, memory_t<T> p, extents<R> const& shape) {
    if constexpr (std::is_floating_point_v<T>) {
        auto g = container_on(p, shape);
        change(f, g);
    } else {
        std::size_t const n = element_count(shape);
        auto g = primal_of_shape<T>(shape);
        for (std::size_t i = 0; i < n; ++i) g.data()[i] = conjugate(T(p[i]));
        change(f, g);
        for (std::size_t i = 0; i < n; ++i) p[i] = conjugate(T(g.data()[i]));
    }
}

}

// A value in a slot of its own, whose settling asks f first.
template <class F, class A>
struct node<detail::hooked<F>, A> {
    using value_type = typename A::value_type;
    using T = value_type;
    using lifetime = typename A::lifetime;
    static constexpr int rank = A::rank;
    static constexpr bool is_batch = A::is_batch, takes_one_pass = false, is_found_by_prepare = false;

    F f;
    A x;

    node(F g, A a) : f(std::move(g)), x(std::move(a)) {}
    context* owner() const { return x.owner(); }
    void check() const {}
    void prepare() const { x.prepare(); }
    extents<rank> extent() const { return x.extent(); }

    template <class Slot>
    void evaluate(Slot& y) const {
        xgrad::evaluate(x, y.shape, y.value);
        if constexpr (detail::hooked<F>::may_throw) f.look_at([&](std::size_t i) { return T(y.value[i]); }, y.shape);
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        detail::change_in_memory<T>(f, y.cotangent, y.shape);
        pull_back(x, y.shape, memory_t<T const>(y.value), memory_t<T const>(y.cotangent));
    }

    T value() const
        requires(rank == 0)
    {
        typename A::frame frame;
        x.forward(frame);
        T const y = detail::as<T>(value_of(frame));
        if constexpr (detail::hooked<F>::may_throw) f.look_at([&](std::size_t) { return y; }, extents<0>());
        return y;
    }
    void pull(T const& g, T const&) const noexcept
        requires(rank == 0)
    {
        typename A::frame frame;
        x.forward(frame);
        T changed = detail::conjugate(g);
        detail::change(f, changed);
        x.backward(frame, detail::conjugate(changed));
    }
    T value_and_pull(T const& g) const
        requires(rank == 0)
    {
        T const y = value();
        pull(g, y);
        return y;
    }
};

namespace detail {
template <class F, class X>
auto make_hooked(F f, X&& x) {
    auto a = as_operand(std::forward<X>(x));
    using A = decltype(a);
    return formula<hooked<F>, A>(std::in_place, std::move(f), std::move(a));
}
}

}
XGRAD_DETAIL_QUIET_END
