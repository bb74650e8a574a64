// A container of one's own whose specialisation of parts lacks the member of this number, or none where it is 0.
#pragma once

#include <xgrad/xgrad.hpp>

template <class T>
struct pair_of {
    T first{}, second{};
    pair_of() = default;
    pair_of(T a, T b) : first(a), second(b) {}
};
template <class T>
struct xgrad::parts<pair_of<T>> {
#if LACKING != 1
    using types = type_list<T>;
#endif
#if LACKING != 2
    template <class Fn>
    using rebind = pair_of<typename Fn::template type<T>>;
#endif
#if LACKING != 3
    static constexpr identified identity = identified::by_parts;
#endif
#if LACKING != 4
    static constexpr bool may_collapse = true;
#endif
#if LACKING != 5
    template <class F, class... X>
    static void each(F&& f, X&&... x) {
        f(x.first...);
        f(x.second...);
    }
#endif
#if LACKING != 6
    template <class M, class F, class... X>
    static M make(F&& f, X&&... x) {
        M m;
        m.first = f(x.first...);
        m.second = f(x.second...);
        return m;
    }
#endif
};
auto product = [](auto const& p) { return p.first * p.second; };
auto g = xgrad::gradient(product, pair_of<double>(2.0, 3.0));
