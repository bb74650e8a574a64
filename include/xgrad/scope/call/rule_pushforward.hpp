// Defines push_rule: one application of a forward rule to active values over duals: each direction of theirs is one tangent for the rule.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/rule/rule.hpp>
#include <xgrad/scope/call/pushforward.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class E>
inline constexpr bool is_active_dual = false;
template <active E>
inline constexpr bool is_active_dual<E> = number_dual<typename std::remove_cvref_t<E>::value_type>;
template <number_dual E>
inline constexpr bool is_active_dual<E> = true;

// The plain type of an operand without its derivative.
template <class E>
struct operand_primal { using type = E; };
template <active E>
struct operand_primal<E> { using type = typename primal_of<scalar_of_t<typename E::value_type>, E::rank>::type; };
template <number_dual E>
struct operand_primal<E> { using type = scalar_of_t<E>; };
template <class E>
using operand_primal_t = typename operand_primal<std::remove_cvref_t<E>>::type;

template <class D>
struct with_k_tangents {
    // The primal of an operand and its k-th tangent.
    template <class E>
    static auto of(E const& e, std::size_t k) {
        using P = operand_primal_t<E>;
        if constexpr (active<E>) {
            auto const p = part_source(e);
            if constexpr (!is_active_dual<E>) return dual<P>{xgrad_primal(p), zero_tangent(xgrad_primal(p))};
            else if constexpr (E::rank == 0) {
                auto const v = p.forward();
                return dual<P>(v.primal, v.direction(k));
            } else {
                auto const a = p.source();
                using T = scalar_of_t<typename E::value_type>;
                return dual<P>{primal_copy(array_ref<T const, E::rank>{a.data.primal(), a.shape, a.stride}),
                               primal_copy(array_ref<T const, E::rank>{a.data.direction(k), a.shape, a.stride})};
            }
        } else if constexpr (number_dual<E>) return dual<P>(e.primal, e.direction(k));
        else return dual<P>{e, zero_tangent(e)};
    }

private:
    template <class P>
    static auto xgrad_primal(P const& p) {
        if constexpr (P::rank == 0) return p.forward();
        else return primal_copy(p.source());
    }
};

// f(x...) by rule<F>::frule. Nothing can go backward through it.
template <class F, class D, class... E>
auto push_rule(context* c, E const&... e) {
    static_assert(
        !number_dual<typename D::primal_type>,
        "xgrad[E100]: call(f, x...) inside of nested derivatives requires that only one of them is with respect to its operands: use the plain f inside");
    if (c && c->reverse)
        throw std::logic_error("xgrad[E217]: call(f, x...) in a second derivative requires a rule for duals, but a rule gives first derivatives only: write f "
                               "out of functions with rules of their own, or take differences of the gradient");
    auto y = rule<F>::frule(with_k_tangents<D>::of(e, 0)...);
    using Y = typename decltype(y)::primal_type;
    if constexpr (perturbable_number<Y>) {
        dual<Y, D::count, typename D::tag> r(y.primal);
        r.direction(0) = y.tangent;
        for (std::size_t k = 1; k < D::count; ++k) r.direction(k) = rule<F>::frule(with_k_tangents<D>::of(e, k)...).tangent;
        return r;
    } else {
        static_assert(plain_array<Y>,
                      "xgrad[E101]: call(f, x...) in a forward derivative requires a rule that gives a number or an array: give each part a rule of its own");
        using T = dual<typename Y::value_type, D::count, typename D::tag>;
        constexpr int R = rank_of<Y>;
        auto const shape = shape_of<R>(y.primal);
        std::size_t const n = y.primal.size();
        context& memory = c ? *c : plain_context();
        block b(memory, n * sizeof(T));
        auto const to = memory_in<T>(b.get(), n);
        auto put = [&](auto const& from, auto const& part) {
            std::size_t i = 0;
            for (auto it = from.template begin<xt::layout_type::row_major>(); i < n; ++it, ++i) part[i] = *it;
        };
        put(y.primal, to.primal());
        put(y.tangent, to.direction(0));
        for (std::size_t k = 1; k < D::count; ++k) put(rule<F>::frule(with_k_tangents<D>::of(e, k)...).tangent, to.direction(k));
        return variable<typename primal_of<T, R>::type>(constant_array<T, R, block>(std::move(b), to, shape, row_major_strides(shape)));
    }
}

}
XGRAD_DETAIL_QUIET_END
