// parts of std::optional and std::variant: the value that is there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/unequal.hpp>

namespace xgrad {

template <class P>
struct parts<std::optional<P>> : detail::one_part<P, identified::by_parts> {
    template <class Fn>
    using rebind = std::optional<typename Fn::template type<P>>;

    template <class F, class X, class... Rest>
    static constexpr void each(F&& f, X&& x, Rest&&... rest) {
        detail::require_equal_presence(x.has_value(), rest.has_value()...);
        if (x) f(*x, *rest...);
    }
    template <class M, class F, class X, class... Rest>
    static constexpr M make(F&& f, X&& x, Rest&&... rest) {
        detail::require_equal_presence(x.has_value(), rest.has_value()...);
        return x ? M(std::in_place, f(*x, *rest...)) : M();
    }
};

template <class... P>
struct parts<std::variant<P...>> {
    using of_xgrad = void;
    using types = type_list<P...>;
    template <class Fn>
    using rebind = std::variant<typename Fn::template type<P>...>;
    template <class... T>
    using of = std::variant<T...>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;

    template <class F, class X, class... Rest>
    static constexpr void each(F&& f, X&& x, Rest&&... rest) {
        require_equal_index(x, rest...);
        each_from<0>(f, x, rest...);
    }
    template <class M, class F, class X, class... Rest>
    static constexpr M make(F&& f, X&& x, Rest&&... rest) {
        require_equal_index(x, rest...);
        return make_from<0, M>(f, x, rest...);
    }

private:
    template <class X, class... Rest>
    static constexpr void require_equal_index(X const& x, Rest const&... rest) {
        ((x.index() == rest.index() ? void() : detail::unequal("alternatives", std::to_string(x.index()), std::to_string(rest.index()))), ...);
        if (x.valueless_by_exception()) detail::unequal("alternatives", "none", "none");
    }
    template <std::size_t I, class F, class... X>
    static constexpr void each_from(F& f, X&... x) {
        if constexpr (I + 1 < sizeof...(P))
            if ((... || (x.index() != I))) return each_from<I + 1>(f, x...);
        static_cast<void>(f(*std::get_if<I>(&x)...));
    }
    template <std::size_t I, class M, class F, class... X>
    static constexpr M make_from(F& f, X&... x) {
        if constexpr (I + 1 < sizeof...(P))
            if ((... || (x.index() != I))) return make_from<I + 1, M>(f, x...);
        return M(std::in_place_index<I>, f(*std::get_if<I>(&x)...));
    }
};

}  // namespace xgrad
