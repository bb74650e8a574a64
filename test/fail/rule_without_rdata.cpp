// error: xgrad[E043]: check_types<F, X...> requires that rule<F>::rrule gives value_with_pullback\{y, pullback\}
#include <xgrad/xgrad.hpp>

struct twice {
    double operator()(double x) const { return 2.0 * x; }
};
template <>
struct xgrad::rule<twice> {
    static auto rrule(codual<double> x) {
        return value_with_pullback{2.0 * x.primal, [](double ybar) {
#ifdef XGRAD_MUST_FAIL
                                       return 2.0 * ybar;
#else
                                       return std::tuple(2.0 * ybar);
#endif
                                   }};
    }
};
static_assert(xgrad::check_types<twice, double>());
