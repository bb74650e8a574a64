// Defines xt::linalg::dot(a, b) and the like, the names of xtensor-blas, of active values: each is the function of xgrad/linalg.hpp, where that is included.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/operand.hpp>

namespace xgrad::detail {

// Its type is deduced, so that it is looked at before the result is.
template <class A, class... B>
auto refuse_linalg(A a, B const&...) {
    static_assert(never<A>, "xgrad[E147]: xt::linalg::f(a...) of an active value requires <xgrad/linalg.hpp>, and an xgrad::f(a...), which is not there: "
                            "include it, or write svd(A, false) for svd(A), lstsq(A, b) of xgrad for (x, ...), norm(A, norms::one) for norm(A, 1) of a matrix");
    return a;
}

// Functions that are found where they are called, by argument-dependent lookup, as they are declared in headers that may come later.
namespace by_name {
#define XGRAD_DETAIL_BY_NAME(CALLER, NAME)                           \
    struct CALLER {                                                  \
        template <class... A>                                        \
            requires requires(A&&... a) { NAME(static_cast<A&&>(a)...); } \
        auto operator()(A&&... a) const {                            \
            return NAME(static_cast<A&&>(a)...);                     \
        }                                                            \
    };
#define XGRAD_DETAIL_LINALG(F)                                                                                                           \
    F(cholesky) F(cross) F(det) F(dot) F(eig) F(eigh) F(eigvals) F(eigvalsh) F(inv) F(kron) F(matrix_power) F(matrix_rank) F(outer) F(pinv) F(qr) \
    F(slogdet) F(solve) F(solve_triangular) F(tensordot) F(trace) F(vdot)
#define XGRAD_DETAIL_DECLARE(NAME) XGRAD_DETAIL_BY_NAME(call_##NAME, NAME)
XGRAD_DETAIL_LINALG(XGRAD_DETAIL_DECLARE)
XGRAD_DETAIL_BY_NAME(call_cholesky_solve, cholesky_solve)
XGRAD_DETAIL_BY_NAME(call_norm, norm)
XGRAD_DETAIL_BY_NAME(call_svd, svd)
#undef XGRAD_DETAIL_DECLARE
#undef XGRAD_DETAIL_BY_NAME
}

template <class F, class... A>
auto call_or_refuse(F f, A&&... a) {
    if constexpr (std::is_invocable_v<F, A...>) return f(static_cast<A&&>(a)...);
    else return refuse_linalg(a...);
}

}

namespace xt::linalg {

// The same functions as xgrad's, with xtensor-blas's arguments; of what xgrad does not have refused (E147).
#define XGRAD_DETAIL_FORWARD(NAME)                                                                  \
    template <class... A>                                                                           \
        requires(xgrad::active<A> || ...)                                                           \
    auto NAME(A&&... a) {                                                                           \
        return xgrad::detail::call_or_refuse(xgrad::detail::by_name::call_##NAME{}, static_cast<A&&>(a)...); \
    }
XGRAD_DETAIL_LINALG(XGRAD_DETAIL_FORWARD)
#undef XGRAD_DETAIL_FORWARD
#undef XGRAD_DETAIL_LINALG
// Lists in braces have no type for A to be.
template <class A, class B, class I, std::size_t N>
    requires(xgrad::active<A> || xgrad::active<B>)
auto tensordot(A&& a, B&& b, I const (&axes_of_a)[N], I const (&axes_of_b)[N]) {
    return xgrad::detail::call_or_refuse(xgrad::detail::by_name::call_tensordot{}, static_cast<A&&>(a), static_cast<B&&>(b), axes_of_a, axes_of_b);
}
// xtensor-blas takes the factor.
template <class A, class B>
    requires(xgrad::active<A> || xgrad::active<B>)
auto solve_cholesky(A&& a, B&& b) {
    return xgrad::detail::call_or_refuse(xgrad::detail::by_name::call_cholesky_solve{}, static_cast<A&&>(a), static_cast<B&&>(b));
}
// Of vectors any norm, of matrices that of Frobenius: with a number that of a matrix would mean another here.
template <xgrad::active A>
auto norm(A&& a) {
    return xgrad::detail::call_or_refuse(xgrad::detail::by_name::call_norm{}, static_cast<A&&>(a));
}
template <xgrad::active A, class P>
auto norm(A&& a, P p) {
    if constexpr (std::is_arithmetic_v<P> && std::remove_cvref_t<A>::rank == 1)
        return xgrad::detail::call_or_refuse(xgrad::detail::by_name::call_norm{}, static_cast<A&&>(a), static_cast<double>(p));
    else return xgrad::detail::refuse_linalg(a, p);
}
// The vectors that belong to the singular values; all of them have no derivative.
template <xgrad::active A>
auto svd(A&& a, bool full_matrices, bool compute_uv = true) {
    if (full_matrices || !compute_uv)
        throw std::invalid_argument("xgrad[E207]: xt::linalg::svd(A, full_matrices, compute_uv) of an active A requires false and true: take svdvals(A) for "
                                    "the values alone");
    return xgrad::detail::call_or_refuse(xgrad::detail::by_name::call_svd{}, static_cast<A&&>(a));
}
template <xgrad::active A>
auto svd(A const& a) { return xgrad::detail::refuse_linalg(a); }
template <class A, class B, class... C>
    requires(xgrad::active<A> || xgrad::active<B>)
auto lstsq(A const& a, B const& b, C...) { return xgrad::detail::refuse_linalg(a, b); }

}
