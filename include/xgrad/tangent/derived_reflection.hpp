// derived_reflection<Own, B...>: the reflection of a struct that has the fields of its bases B besides its own.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <xgrad/tangent/mirror.hpp>
#include <xgrad/tangent/type_list.hpp>

namespace xgrad {

namespace detail {

template <class B, class T>
struct base_like {
    using type = B;
};
template <class B, class T>
struct base_like<B, T const> {
    using type = typename base_like<B, T>::type const;
};
template <class B, mirror M>
    requires(!std::is_const_v<M>)
struct base_like<B, M> {
    using type = mirror_t<B, mirror_function_t<M>>;
};

// The base B of a struct, or its mirror within a mirror of the struct.
template <class B, class T>
constexpr auto& base_of(T& s) noexcept {
    return static_cast<typename base_like<B, T>::type&>(s);
}

// The reflection of a struct with bases: their fields come first, and its mirror has their mirrors as bases.
template <class Own, class... B>
struct derived_reflection {
    using xgrad_type = typename Own::xgrad_type;
    using types = typename join_lists<field_types<B>..., typename Own::types>::type;

    static constexpr std::string_view name() noexcept { return Own::name(); }
    static constexpr std::array<std::string_view, types::size> names() noexcept {
        std::array<std::string_view, types::size> all{};
        std::size_t n = 0;
        auto append = [&all, &n](auto const& some) {
            for (auto name : some) all[n++] = name;
        };
        (append(field_names<B>), ...);
        append(Own::names());
        return all;
    }
    template <class Fn>
    struct mirror : mirror_t<B, Fn>..., Own::template mirror<Fn> {
        using xgrad_mirror_of = detail::mirror_of<xgrad_type, Fn>;
        template <class M>
            requires(stands_for_structs<Fn> && other_form_of<M, xgrad_type, mirror>)
        mirror& operator=(M const& m) {
            assign_field f;
            for_each_field(f, *this, m);
            return *this;
        }
    };
    template <class S>
    static constexpr auto tie(S& s) noexcept {
        return std::tuple_cat(reflection<B>::tie(base_of<B>(s))..., Own::tie(s));
    }
    template <class F, class... S>
    static constexpr void each(F& f, S&... s) {
        (each_of_base<B>(f, s...), ...);
        Own::each(f, s...);
    }
    template <class M, class F, class... S>
    static constexpr M make(F& f, S&&... s) {
        return M{make_base<B, M>(f, s...)..., Own::template make<typename Own::template mirror<mirror_function_t<M>>>(f, s...)};
    }

private:
    template <class C, class F, class... S>
    static constexpr void each_of_base(F& f, S&... s) {
        reflection<C>::each(f, base_of<C>(s)...);
    }
    template <class C, class M, class F, class... S>
    static constexpr mirror_t<C, mirror_function_t<M>> make_base(F& f, S&... s) {
        return reflection<C>::template make<mirror_t<C, mirror_function_t<M>>>(f, base_of<C>(s)...);
    }
};

}  // namespace detail

}  // namespace xgrad
