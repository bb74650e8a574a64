// error: xgrad[E099]: einsum<labels>\(a, b\) requires labels of two operands and a result
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& a, auto const& b) {
#ifdef XGRAD_MUST_FAIL
    return sum(xgrad::einsum<"ij,jk->il">(a, b));
#else
    return sum(xgrad::einsum<"ij,jk->ik">(a, b));
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}}, xt::xtensor<double, 2>{{3.0}, {4.0}});
