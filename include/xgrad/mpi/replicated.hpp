// Defines mpi::replicated<P>, a value that is the same on all ranks, and so is its cotangent; an ordinary value is each rank's own.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/mpi/communicator.hpp>
#include <xgrad/scope/call/operand_parts.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::mpi {

// P is a plain value, or a handle, a variable or a formula: an argument replicated<P> of gradient is seen by the function as a replicated handle.
// Active ones compute with each other and with plain numbers, which gives replicated values. With a rank's own values they do not meet: vary(r, comm) makes
// an own value of one, whose cotangents are added up over the ranks.
template <class P>
class replicated {
public:
    using replicated_tag = void;
    replicated() = default;
    explicit replicated(P v) : value_(std::move(v)) {}
    // Of a plain one, a parameter or its gradient.
    P const& get() const noexcept
        requires(!xgrad::detail::holds_active<P>)
    {
        return value_;
    }
    P& get() noexcept
        requires(!xgrad::detail::holds_active<P>)
    {
        return value_;
    }

private:
    P value_{};
    friend struct behind_replicated;
};
template <class P>
replicated(P) -> replicated<P>;

// For those who compute with it.
struct behind_replicated {
    template <class R>
    static auto& of(R& r) noexcept {
        return r.value_;
    }
};

template <class R>
concept replicated_value = requires { typename std::remove_cvref_t<R>::replicated_tag; };

namespace detail {
template <class E>
decltype(auto) unwrapped(E&& e) {
    if constexpr (replicated_value<E>) return (behind_replicated::of(e));
    else return (e);
}
template <class E>
concept beside_replicated = replicated_value<E> || (!active<E> && !xgrad::detail::holds_active<std::remove_cvref_t<E>>);
}

// f of replicated values and plain ones that are the same on all ranks: a replicated value, as all ranks compute the same.
template <class F, class... E>
    requires(detail::beside_replicated<E> && ...)
auto apply(F&& f, E&&... e) {
    auto y = f(detail::unwrapped(e)...);
    return replicated<decltype(y)>(std::move(y));
}

#define XGRAD_DETAIL_REPLICATED(SYMBOL)                                                                                                                      \
    template <class A, class B>                                                                                                                              \
        requires((replicated_value<A> || replicated_value<B>) && detail::beside_replicated<A> && detail::beside_replicated<B>)                               \
    auto operator SYMBOL(A const& a, B const& b) {                                                                                                           \
        return apply([](auto const& x, auto const& y) { return x SYMBOL y; }, a, b);                                                                         \
    }                                                                                                                                                        \
    template <class A, class B>                                                                                                                              \
        requires((replicated_value<A> && active<B>) || (active<A> && replicated_value<B>))                                                                   \
    auto operator SYMBOL(A const&, B const&) {                                                                                                               \
        static_assert(xgrad::detail::never<A>, "xgrad[E310]: an expression of a rank's own values requires that all of it is the rank's own, but one is "   \
                                               "replicated: write mpi::vary(r, comm), which adds up its cotangents over the ranks");                         \
        return 0.0;                                                                                                                                          \
    }
XGRAD_DETAIL_REPLICATED(+)
XGRAD_DETAIL_REPLICATED(-)
XGRAD_DETAIL_REPLICATED(*)
XGRAD_DETAIL_REPLICATED(/)
#undef XGRAD_DETAIL_REPLICATED
template <replicated_value A>
auto operator-(A const& a) {
    return apply([](auto const& x) { return -x; }, a);
}

}

template <class P>
struct xgrad::parts<xgrad::mpi::replicated<P>> {
    using types = type_list<P>;
    template <class... T>
    using of = xgrad::mpi::replicated<T...>;
    template <class Fn>
    using rebind = xgrad::mpi::replicated<typename Fn::template type<P>>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    static constexpr bool fixed_form = true;

    template <class F, class... X>
    static constexpr void each(F&& f, X&&... x) {
        f(xgrad::mpi::behind_replicated::of(x)...);
    }
    template <class M, class F, class... X>
    static constexpr M make(F&& f, X&&... x) {
        return M(f(xgrad::mpi::behind_replicated::of(x)...));
    }
};
XGRAD_DETAIL_QUIET_END
