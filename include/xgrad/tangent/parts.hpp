// parts<P>: how a value of type P is made of parts; every recursive operation on tangents is written over it, once.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <xgrad/tangent/reflect.hpp>
#include <xgrad/tangent/type_list.hpp>

namespace xgrad {

// What tells two tangents apart: the values of their parts, their address (owning containers), or what they refer to (handles).
enum class identified { by_parts, by_address, by_handle };

// A specialisation has
//   types             the types of the parts, a type_list (of a container: its one element type)
//   rebind<Fn>        the type of the same form whose parts have type `Fn::template type<Part>`
//   identity          an `identified`
//   may_collapse      whether "no part has a tangent" means that the whole has none; what owns by pointer says no, as it may contain itself
//   fixed_form        true where every value has the same parts, M{} for a rebind M too: a struct, a std::array. Left out, it is false: parts come and go
//   each(f, x...)     f(part of each x...) for each part; throws std::invalid_argument where the x... differ in size, key, or being there
//   make<M>(f, x...)  the M whose parts are f(part of each x...), made in order
//   of<T...>          only where `types` has several: the type of the same form whose parts have the types T...
// where the x... are values of type P or of a rebind of it. Specialise it to make a container of your own known.
template <class P>
struct parts;

template <class P>
concept has_parts = requires { typename parts<std::remove_cvref_t<P>>::types; };

template <class P, class Fn>
using rebind_t = typename parts<P>::template rebind<Fn>;

namespace detail {

template <class P, identified I, bool MayCollapse = true, bool FixedForm = false>
struct one_part {
    using of_xgrad = void;
    using types = type_list<P>;
    static constexpr identified identity = I;
    static constexpr bool may_collapse = MayCollapse;
    static constexpr bool fixed_form = FixedForm;
};

// A struct, a tuple, an array of fixed size: there are always the same parts.
template <class P>
concept fixed_form = requires { requires parts<P>::fixed_form; };

// A struct that is not a mirror may have fields of which xgrad was not told, and C arrays.
template <class M, class F, class... X>
constexpr M make_by_assignment(F& f, X&... x) {
    M m{};
    auto assign = [&f](auto&& self, auto& to, auto&... from) -> void {
        if constexpr (std::is_array_v<std::remove_reference_t<decltype(to)>>)
            for (std::size_t i = 0; i < std::size(to); ++i) self(self, to[i], from[i]...);
        else
            to = f(from...);
    };
    parts<M>::each([&assign](auto& to, auto&... from) { assign(assign, to, from...); }, m, x...);
    return m;
}

}  // namespace detail

template <class S>
    requires has_fields<S> && std::is_same_v<S, std::remove_cvref_t<S>>
struct parts<S> {
    using types = field_types<S>;
    template <class Fn>
    using rebind = typename detail::fields_of<S>::template mirror<Fn>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    static constexpr bool fixed_form = true;

    template <class F, class... X>
    static constexpr void each(F&& f, X&&... x) {
        for_each_field(f, x...);
    }
    template <class M, class F, class... X>
    static constexpr M make(F&& f, X&&... x) {
        if constexpr (mirror<M>)
            return make_mirror<M>(f, x...);
        else
            return detail::make_by_assignment<M>(f, x...);
    }
};

}  // namespace xgrad
