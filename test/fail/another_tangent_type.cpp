// error: xgrad[E014]: check_tangent_types<P, T> requires tangent_type_t<P> to be T
#include <xgrad/check_tangent.hpp>

struct model {
    double scale;
    int count;
};
XGRAD_REFLECT(model, scale, count)

#ifdef XGRAD_MUST_FAIL
static_assert(xgrad::check_tangent_types<model, std::tuple<double, int>>());
#else
static_assert(xgrad::check_tangent_types<model, xgrad::tangent<model>>());
#endif
