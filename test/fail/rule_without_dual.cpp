// error: xgrad[E045]: check_types<F, X...> requires that rule<F>::frule gives dual<Y>
#include <xgrad/xgrad.hpp>

struct twice {
    double operator()(double x) const { return 2.0 * x; }
};
template <>
struct xgrad::rule<twice> {
    static auto frule(dual<double> x) {
#ifdef XGRAD_MUST_FAIL
        return 2.0 * x.tangent;
#else
        return dual{2.0 * x.primal, 2.0 * x.tangent};
#endif
    }
};
static_assert(xgrad::check_types<twice, double>());
