// error: xgrad[E044]: check_types<F, X...> requires that rule<F>::rrule gives a value of the type that the plain call f\(x...\) gives
#include <xgrad/xgrad.hpp>

struct twice {
    float operator()(float x) const { return 2.0f * x; }
};
template <>
struct xgrad::rule<twice> {
    static auto rrule(codual<float> x) {
#ifdef XGRAD_MUST_FAIL
        double const two = 2.0;
#else
        float const two = 2.0f;
#endif
        return value_with_pullback{two * x.primal, [](auto ybar) { return std::tuple(static_cast<float>(2.0f * ybar)); }};
    }
};
static_assert(xgrad::check_types<twice, float>());
