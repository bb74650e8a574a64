// check_tangent_types<P>(): at compile time, the laws that hold for the tangent types of P.
#pragma once

#include <cstdio>
#include <type_traits>

#include <xgrad/tangent/describe.hpp>
#include <xgrad/tangent/fdata.hpp>
#include <xgrad/tangent/rdata.hpp>
#include <xgrad/tangent/split.hpp>

namespace xgrad {

#ifdef XGRAD_DESCRIBE
namespace detail {
// How xgrad_add_type_checks shows, after a check that failed, what the types are: the checks are left out, and this is printed instead.
template <class P>
inline bool const described = (std::fputs(describe<P>().c_str(), stderr), true);
}  // namespace detail
#endif

// The tangent type is its own tangent type, splits in exactly one way, and is recovered from the two parts.
template <class P>
[[nodiscard]] consteval bool check_tangent_types() {
    using T = tangent_type_t<P>;
    using F = fdata_type_t<P>;
    using R = rdata_type_t<P>;
#ifdef XGRAD_DESCRIBE
    return &detail::described<P> != nullptr;
#else
    static_assert(std::is_same_v<tangent_type_t<T>, T>,
                  "xgrad[E013]: check_tangent_types<P> requires tangent_type_t<tangent_type_t<P>> to be tangent_type_t<P>");
    static_assert(std::is_same_v<fdata_type_t<T>, F> && std::is_same_v<rdata_type_t<T>, R>,
                  "xgrad[E013]: check_tangent_types<P> requires a tangent to split as its primal does");
    static_assert(std::is_same_v<joined_t<F, R>, T>,
                  "xgrad[E013]: check_tangent_types<P> requires tangent_type_t<P> to be joined_t<fdata_type_t<P>, rdata_type_t<P>>");
    static_assert(differentiable<P> == !std::is_same_v<T, no_tangent>,
                  "xgrad[E013]: check_tangent_types<P> requires differentiable<P> to say that there is a tangent");
    return true;
#endif
}

// The same, and that the three types are these: static_assert(check_tangent_types<S, T, F, R>()).
template <class P, class Tangent, class Fdata = fdata_type_t<Tangent>, class Rdata = rdata_type_t<Tangent>>
[[nodiscard]] consteval bool check_tangent_types() {
#ifndef XGRAD_DESCRIBE
    static_assert(std::is_same_v<tangent_type_t<P>, Tangent>,
                  "xgrad[E014]: check_tangent_types<P, T> requires tangent_type_t<P> to be T: describe<P>() prints what it is");
    static_assert(std::is_same_v<fdata_type_t<P>, Fdata>,
                  "xgrad[E014]: check_tangent_types<P, T, F> requires fdata_type_t<P> to be F: describe<P>() prints what it is");
    static_assert(std::is_same_v<rdata_type_t<P>, Rdata>,
                  "xgrad[E014]: check_tangent_types<P, T, F, R> requires rdata_type_t<P> to be R: describe<P>() prints what it is");
#endif
    return check_tangent_types<P>();
}

}  // namespace xgrad
