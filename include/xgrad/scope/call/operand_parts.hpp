// Defines to_variable, to_primal and what goes through the parts of a value that holds active ones: its debts, its plain value, a tangent added to it.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/scope/arguments/handle_type.hpp>
#include <xgrad/scope/call/variable.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

struct to_variable {
    template <class P>
    static consteval auto find() {
        if constexpr (!differentiable<P>) return type_tag<P>{};
        else if constexpr (perturbable_number<P>) return type_tag<variable<P>>{};
        else if constexpr (array_argument<P>) return type_tag<variable<typename primal_of<typename P::value_type, rank_of<P>>::type>>{};
        else return type_tag<typename parts<P>::template rebind<to_variable>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

// A struct of handles or of variables, by the function that made the mirror.
template <class Fn>
inline constexpr bool makes_active = std::is_same_v<Fn, to_variable>;
template <class M, class L>
inline constexpr bool makes_active<to_handles<M, L>> = true;

struct is_active_part {
    template <class U>
    static consteval bool find() {
        if constexpr (mirror<U>) return makes_active<mirror_function_t<U>>;
        else return active<U>;
    }
    template <class U>
    static constexpr bool of = find<U>();
};
template <class U>
inline constexpr bool holds_active = somewhere_in<is_active_part, U>();

// The plain type of what may hold active values.
struct to_primal {
    template <class U>
    static consteval auto find() {
        if constexpr (active<U>) return type_tag<primal_t<U>>{};
        else if constexpr (!holds_active<U>) return type_tag<U>{};
        else if constexpr (mirror<U>) return type_tag<mirrored_t<U>>{};
        else return find_form(type_tag<U>{});
    }
    template <class U>
    static consteval auto find_form(type_tag<U>) { return type_tag<typename parts<U>::template rebind<to_primal>>{}; }
    // how a vector's handles are seen
    template <class H>
    static consteval auto find_form(type_tag<sequence_handle<H>>) { return find_form(type_tag<std::span<H const>>{}); }
    template <class H>
    static consteval auto find_form(type_tag<std::span<H const>>) { return type_tag<std::vector<typename decltype(find<H>())::type>>{}; }
    template <class U>
    using type = typename decltype(find<std::remove_cvref_t<U>>())::type;
};
template <class U>
using plain_t = to_primal::type<U>;

// A debt to each active part, the newest version of an array.
struct take_operand {
    template <class U>
    auto operator()(U&& u) const -> to_variable::type<plain_t<U>> {
        using P = plain_t<U>;
        if constexpr (active<U>) return variable<P>(std::forward<U>(u));
        else if constexpr (holds_active<std::remove_cvref_t<U>>) return parts<P>::template make<to_variable::type<P>>(*this, u);
        else return constant(u);
    }

private:
    // A plain operand beside active ones.
    template <class P>
    static auto constant(P const& x) -> to_variable::type<P> {
        if constexpr (!differentiable<P>) return x;
        else if constexpr (perturbable_number<P> || array_argument<P>) return to_variable::type<P>(x);
        else return parts<P>::template make<to_variable::type<P>>(take_operand{}, x);
    }
};

// The plain value of an operand, for the rule alone: it may change it.
struct take_primal {
    template <class V>
    auto operator()(V const& v) const {
        if constexpr (active<V>) {
            auto const debt = v.operand();
            if constexpr (V::rank == 0) return debt.forward();
            else return primal_copy(debt.source());
        } else if constexpr (holds_active<V>) return parts<plain_t<V>>::template make<plain_t<V>>(*this, v);
        else return v;
    }
};

// Adds a tangent to the slots of an operand.
struct add_to_operand {
    template <class V, class D>
    void operator()(V const& v, D const& d) const noexcept {
        if constexpr (active<V>) add(v.operand(), d);
        else if constexpr (!absent<D>) parts<plain_t<V>>::each(*this, v, d);
    }

private:
    template <class Ref, class D>
    static void add(Ref const& r, D const& d) noexcept {
        if constexpr (Ref::rank == 0) r.add(d);
        else pull_back(r, r.extent(), static_cast<typename Ref::value_type const*>(nullptr), d.data());
    }
};

}

}
XGRAD_DETAIL_QUIET_END
