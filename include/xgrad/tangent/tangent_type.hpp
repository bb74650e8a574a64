// tangent_type_t<P>: the one tangent type of a primal type; tangent<S>: that of a reflected struct; differentiable<P>: that there is one.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <xgrad/tangent/complete_parts.hpp>
#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/parts_of_aggregate.hpp>
#include <xgrad/tangent/parts_of_array.hpp>
#include <xgrad/tangent/parts_of_map.hpp>
#include <xgrad/tangent/parts_of_optional.hpp>
#include <xgrad/tangent/parts_of_pointer.hpp>
#include <xgrad/tangent/parts_of_sequence.hpp>
#include <xgrad/tangent/parts_of_tuple.hpp>
#include <xgrad/tangent/parts_of_view.hpp>
#include <xgrad/tangent/parts_of_xtensor.hpp>
#include <xgrad/tangent/real_type.hpp>
#include <xgrad/tangent/reflect.hpp>

namespace xgrad {

namespace detail {

// A complex number, or a dual of one.
template <class P>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = std::is_floating_point_v<T>;

template <class P>
inline constexpr bool is_string = false;
template <class C, class T, class A>
inline constexpr bool is_string<std::basic_string<C, T, A>> = true;
template <class C, class T>
inline constexpr bool is_string<std::basic_string_view<C, T>> = true;

template <class P>
inline constexpr bool is_text_or_code = std::is_pointer_v<P> && (std::is_function_v<std::remove_pointer_t<P>> ||
                                                                std::is_same_v<std::remove_cv_t<std::remove_pointer_t<P>>, char>);

template <class P>
concept random_engine = requires(P& engine, typename P::result_type word) {
    engine.discard(1ull);
    engine.seed(word);
    P::min();
};

}  // namespace detail

// A dual that computes; see number_dual.hpp.
template <class X>
inline constexpr bool is_number_dual = false;

// A number that computes with others, and has no tangents.
namespace detail {
template <class P>
concept plain_scalar = (!__is_class(P) && std::is_arithmetic_v<P>) || (is_complex_number<P> && !is_number_dual<P>);
}

// A number that is its own tangent.
template <class P>
concept perturbable_number = std::is_floating_point_v<P> || detail::is_complex_number<P> || is_number_dual<P>;

// Types that cannot be perturbed and have no parts. Specialise it to true for a class of your own, such as a logger.
template <class P>
inline constexpr bool unperturbable = std::is_integral_v<P> || std::is_enum_v<P> || std::is_null_pointer_v<P> || std::is_same_v<P, std::monostate> ||
                                      detail::is_string<P> || detail::is_text_or_code<P> || detail::random_engine<P> || std::is_empty_v<P>;

namespace detail {

template <class P>
inline constexpr bool is_function_wrapper = false;
template <template <class> class C, class R, class... A>
inline constexpr bool is_function_wrapper<C<R(A...)>> = true;

template <class P>
concept hides_its_types = is_function_wrapper<P> || requires(P& x) {
    x.type().name();
    x.has_value();
};

enum class perturbation { unknown, none, some };

// `Seen` are the structs around P: inside itself a struct adds nothing to the answer.
template <class P, class... Seen>
consteval perturbation find_perturbation();

template <class P, class... Seen>
inline constexpr perturbation perturbation_of = find_perturbation<P, Seen...>();

template <class... Seen, class... P>
consteval perturbation find_perturbation_of_parts(type_list<P...>) {
    if ((false || ... || (perturbation_of<std::remove_cvref_t<P>, Seen...> == perturbation::unknown))) return perturbation::unknown;
    return (false || ... || (perturbation_of<std::remove_cvref_t<P>, Seen...> == perturbation::some)) ? perturbation::some : perturbation::none;
}

template <class P, class... Seen>
consteval perturbation find_perturbation() {
    if constexpr (perturbable_number<P>) {
        return perturbation::some;
    } else if constexpr (one_of<P, Seen...>) {
        return perturbation::none;
    } else if constexpr (has_fields<P>) {
        return find_perturbation_of_parts<P, Seen...>(typename parts<P>::types{});
    } else if constexpr (requires { parts<P>::known_only_if_perturbed; }) {
        // Nobody said that its fields are all there is to it: known only if there is something to differentiate.
        return find_perturbation_of_parts<P, Seen...>(typename parts<P>::types{}) == perturbation::some ? perturbation::some : perturbation::unknown;
    } else if constexpr (has_parts<P>) {
        if constexpr (!complete_parts<P>)
            return perturbation::unknown;
        else if constexpr (parts<P>::may_collapse)
            return find_perturbation_of_parts<Seen...>(typename parts<P>::types{});
        else
            return perturbation::some;
    } else {
        return unperturbable<P> ? perturbation::none : perturbation::unknown;
    }
}

template <class P>
inline constexpr bool is_known = perturbation_of<P> != perturbation::unknown;

// Says which part is not known. True, so that it can be asked at once.
template <class P, class... Seen>
consteval bool refuse_unknown();

template <class... Seen, class... P>
consteval bool refuse_unknown_parts(type_list<P...>) {
    return (refuse_unknown<std::remove_cvref_t<P>, Seen...>() && ...);
}

template <class P, class... Seen>
consteval bool refuse_unknown() {
    if constexpr (is_known<P> || one_of<P, Seen...>) {
        return true;
    } else if constexpr (!complete_parts<P>) {
        return refuse_parts<P>();
    } else if constexpr (has_parts<P> && !requires { parts<P>::known_only_if_perturbed; }) {
        if constexpr (refuse_unknown_parts<P, Seen...>(typename parts<P>::types{})) return true;
    } else {
        static_assert(!hides_its_types<P>,
                      "xgrad[E002]: tangent_type_t<P> requires a type 'P' that shows what it holds (std::function and std::any do not): hold a reflected "
                      "struct with a call operator, or a std::variant of the types it can be");
        static_assert(hides_its_types<P> || is_known<P>,
                      "xgrad[E001]: tangent_type_t<P> requires a type 'P' that xgrad knows (the class named here has no tangent_type; a capturing lambda "
                      "cannot have one): write XGRAD_REFLECT(P, fields...) beside its definition, or xgrad::unperturbable<P> = true");
        return true;
    }
}

template <class P>
consteval auto find_tangent_type();

}  // namespace detail

// A type of which xgrad knows the tangent type, no_tangent included.
template <class P>
concept has_tangent_type = detail::is_known<std::remove_cvref_t<P>>;

// A type that can be perturbed: it has a tangent type and this is not no_tangent.
template <class P>
concept differentiable = detail::perturbation_of<std::remove_cvref_t<P>> == detail::perturbation::some;

template <class P>
using tangent_type_t = typename decltype(detail::find_tangent_type<std::remove_cvref_t<P>>())::type;

// The tangent of a reflected struct: its mirror, with the same field names.
template <reflected S>
using tangent = tangent_type_t<S>;

namespace detail {

struct to_tangent {
    template <class P>
    using type = tangent_type_t<P>;
};

template <class P>
consteval bool is_polymorphic_part(type_list<P>) {
    return std::is_polymorphic_v<P>;
}

template <class P>
consteval bool points_to_polymorphic() {
    if constexpr (parts<P>::may_collapse)
        return false;
    else
        return is_polymorphic_part(typename parts<P>::types{});
}

template <class P>
consteval auto find_tangent_type() {
    if constexpr (perturbation_of<P> == perturbation::unknown) {
        if constexpr (refuse_unknown<P>()) return type_tag<no_tangent>{};
    } else if constexpr (perturbation_of<P> == perturbation::none) {
        return type_tag<no_tangent>{};
    } else if constexpr (has_parts<P>) {
        static_assert(!points_to_polymorphic<P>(),
                      "xgrad[E005]: tangent_type_t<P> requires the objects that 'P' points to to have one known type (this one is polymorphic): "
                      "hold it by a std::variant of the types it can have");
        if constexpr (points_to_polymorphic<P>())
            return type_tag<no_tangent>{};
        else
            return type_tag<rebind_t<P, to_tangent>>{};
    } else {
        return type_tag<P>{};
    }
}

}  // namespace detail

}  // namespace xgrad
