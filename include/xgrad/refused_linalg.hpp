// Refuses active values in the functions of xtensor-blas, xt::linalg::dot(a, b) and the like: their derivatives are in xgrad/linalg.hpp, by other names.
#pragma once

#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/operand.hpp>

namespace xgrad::detail {

// Its type is deduced, so that it is looked at before the result is.
template <class A, class... B>
auto refuse_linalg(A a, B const&...) {
    static_assert(never<A>, "xgrad[E147]: xt::linalg::f(a...) requires plain arrays, but an argument is active: include <xgrad/linalg.hpp>, and write "
                            "xgrad::dot(a, b), solve(A, b), norm_l2(x) and the like");
    return a;
}

}

namespace xt::linalg {
#define XGRAD_DETAIL_REFUSE(NAME)        \
    template <class... A>                \
        requires(xgrad::active<A> || ...) \
    auto NAME(A const&... a) { return xgrad::detail::refuse_linalg(a...); }
// Of active values refused (E147).
XGRAD_DETAIL_REFUSE(cholesky)
XGRAD_DETAIL_REFUSE(cross)
XGRAD_DETAIL_REFUSE(det)
XGRAD_DETAIL_REFUSE(dot)
XGRAD_DETAIL_REFUSE(eig)
XGRAD_DETAIL_REFUSE(eigh)
XGRAD_DETAIL_REFUSE(eigvals)
XGRAD_DETAIL_REFUSE(eigvalsh)
XGRAD_DETAIL_REFUSE(inv)
XGRAD_DETAIL_REFUSE(kron)
XGRAD_DETAIL_REFUSE(lstsq)
XGRAD_DETAIL_REFUSE(lu)
XGRAD_DETAIL_REFUSE(matrix_power)
XGRAD_DETAIL_REFUSE(norm)
XGRAD_DETAIL_REFUSE(outer)
XGRAD_DETAIL_REFUSE(pinv)
XGRAD_DETAIL_REFUSE(qr)
XGRAD_DETAIL_REFUSE(slogdet)
XGRAD_DETAIL_REFUSE(solve)
XGRAD_DETAIL_REFUSE(solve_cholesky)
XGRAD_DETAIL_REFUSE(solve_triangular)
XGRAD_DETAIL_REFUSE(svd)
XGRAD_DETAIL_REFUSE(tensordot)
XGRAD_DETAIL_REFUSE(trace)
XGRAD_DETAIL_REFUSE(vdot)
#undef XGRAD_DETAIL_REFUSE
}
