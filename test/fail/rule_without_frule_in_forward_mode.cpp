// error: xgrad[E102]: call\(f, x...\) in jvp, derivative, hvp, hessian or a forward jacobian requires rule<F>::frule
#include <xgrad/xgrad.hpp>

struct twice {
    double operator()(double x) const { return 2.0 * x; }
};
template <>
struct xgrad::rule<twice> {
    static auto rrule(codual<double> x) { return value_with_pullback{2.0 * x.primal, [](double ybar) { return std::tuple(2.0 * ybar); }}; }
#ifndef XGRAD_MUST_FAIL
    static auto frule(dual<double> x) { return dual{2.0 * x.primal, 2.0 * x.tangent}; }
#endif
};
auto d = xgrad::derivative([](auto const& x) { return xgrad::call(twice{}, x); }, 1.0);
