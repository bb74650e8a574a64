// Defines how the values and cotangents of operands are converted to the type of an operation, and back.
#pragma once

#include <type_traits>

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The type of an operation on numbers; of one that does not take them none that would be asked for more.
template <bool Known, class Op, class... T>
consteval auto value_of_operation() {
    if constexpr (Known) return std::type_identity<std::remove_cvref_t<decltype(apply<Op>(std::declval<T const&>()...))>>{};
    else return std::type_identity<double>{};
}

// An operand's value in the type of the operation; an operation on duals takes its operands as they are.
template <class T, class F>
XGRAD_DETAIL_INLINE decltype(auto) as(F const& f) {
    if constexpr (is_complex_number<F> && !is_complex_number<T>) return (f);
    else if constexpr (batch<F> || std::is_same_v<T, F> || number_dual<T>) return (f);
    else return static_cast<T>(f);
}
// The same for partials, which take one type: P, a number or a pack of the operation's type.
template <class P, class F>
XGRAD_DETAIL_INLINE decltype(auto) in_full(F const& f) {
    if constexpr (is_complex_number<F> && !is_complex_number<P>) return (f);
    else if constexpr (std::is_same_v<P, F> || batch<F>) {
        if constexpr (number_dual<P> && !std::is_same_v<P, F>) return embed<P>(f);
        else return (f);
    } else if constexpr (number_dual<P>) return embed<P>(f);
    else return static_cast<P>(f);
}
// Without the tangents of derivatives that T does not have. They are in expressions of a forward derivative inside another, which nothing goes
// backward through: there this is compiled, and never runs.
template <class T, class G>
XGRAD_DETAIL_INLINE auto without_others(G const& g) {
    if constexpr (!number_dual<G>) return g;
    else if constexpr (!has_level<typename G::tag, T>) return without_others<T>(g.primal);
    else {
        dual<decltype(without_others<T>(g.primal)), G::count, typename G::tag> r(without_others<T>(g.primal));
        for (std::size_t k = 0; k < G::count; ++k) r.direction(k) = without_others<T>(g.direction(k));
        return r;
    }
}
// Whether a cotangent, with all its tangents, is 0.
template <class G>
XGRAD_DETAIL_INLINE auto is_nothing(G const& g) {
    if constexpr (!number_dual<G>) return g == zero(g);
    else {
        auto n = is_nothing(g.primal);
        for (std::size_t k = 0; k < G::count; ++k) n = n && is_nothing(g.direction(k));
        return n;
    }
}
template <class G>
XGRAD_DETAIL_INLINE auto is_something(G const& g) {
    if constexpr (batch<G>) return is_not_zero(g);
    else return !is_nothing(g);
}
// A cotangent times a partial; T is the type of the operation.
template <class T, class G, class P>
XGRAD_DETAIL_INLINE auto contribution(G const& g, P const& partial) {
    if constexpr (std::is_same_v<P, conjugating>) return conjugate(g);
    else if constexpr (is_complex_number<G> || is_complex_number<P>) return g * partial;
    else return T(g * partial);
}
// What an operand of element type T is given back of a contribution g.
template <class T, class G>
XGRAD_DETAIL_INLINE decltype(auto) given_back(G const& g) {
    if constexpr (is_complex_number<G> && !is_complex_number<T>) return T(given_back<T>(real_part(g)));
    else if constexpr (batch<G> || std::is_same_v<T, G>) return (g);
    else if constexpr (number_dual<G> && std::is_same_v<G, pack_t<T, lanes<T>>>) return (g);
    else if constexpr (number_dual<G> || number_dual<T>) return embed<T>(without_others<T>(g));
    else return static_cast<T>(g);
}
// What lanes compute goes back to lanes alone.
template <class T, class U>
inline constexpr bool is_captured = is_pack<T> && !is_pack<U>;
template <class B>
void refuse_captured() {
    static_assert(is_pack<typename B::value_type>,
                  "xgrad[E160]: map(f, a...) requires that f computes with its own parameters, but f uses an active value that it has captured, or a variable "
                  "of a plain number: pass the one to map, and take it by a parameter; write xgrad::number_like<decltype(x)> s = 0.0 for the other");
}

}
XGRAD_DETAIL_QUIET_END
