// parts of owning sequences: std::vector, list, deque and containers of their form; std::valarray.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/unequal.hpp>

namespace xgrad {

namespace detail {

// The allocator is named: as P0522 has it, a template of more parameters matches one of two where the others have defaults.
template <class C, class A>
concept growing_sequence = std::is_same_v<typename C::allocator_type, A> && requires(C& c, typename C::value_type&& element) {
    c.begin();
    c.size();
    c.push_back(std::move(element));
};

template <class C>
concept indexed_sequence = requires(C& c, std::size_t n) {
    C(n);
    c.size();
    c.resize(n);
    c.cshift(0);
    c[n];
};

}  // namespace detail

template <template <class, class> class C, class P, class A>
    requires detail::growing_sequence<C<P, A>, A>
struct parts<C<P, A>> : detail::one_part<P, identified::by_address> {
    template <class Fn, class T = typename Fn::template type<P>>
    using rebind = C<T, typename std::allocator_traits<A>::template rebind_alloc<T>>;

    template <class F, class X, class... Rest>
    static constexpr void each(F&& f, X&& x, Rest&&... rest) {
        detail::require_equal_sizes(x, rest...);
        auto end = x.end();
        auto over = [&](auto at, auto... with) {
            for (; at != end; ++at) {
                f(*at, *with...);
                (static_cast<void>(++with), ...);
            }
        };
        over(x.begin(), rest.begin()...);
    }
    template <class M, class F, class X, class... Rest>
    static constexpr M make(F&& f, X&& x, Rest&&... rest) {
        M m;
        if constexpr (requires { m.reserve(x.size()); }) m.reserve(x.size());
        each([&](auto&&... from) { m.push_back(f(from...)); }, x, rest...);
        return m;
    }
};

template <template <class> class C, class P>
    requires detail::indexed_sequence<C<P>>
struct parts<C<P>> : detail::one_part<P, identified::by_address> {
    template <class Fn>
    using rebind = C<typename Fn::template type<P>>;

    template <class F, class X, class... Rest>
    static void each(F&& f, X&& x, Rest&&... rest) {
        detail::require_equal_sizes(x, rest...);
        for (std::size_t i = 0, n = x.size(); i < n; ++i) f(x[i], rest[i]...);
    }
    template <class M, class F, class X, class... Rest>
    static M make(F&& f, X&& x, Rest&&... rest) {
        M m(x.size());
        each([&f](auto& part, auto&... from) { part = f(from...); }, m, x, rest...);
        return m;
    }
};

}  // namespace xgrad
