// error: xgrad[E041]: call\(f, x...\) requires rule<F>::rrule
#include <xgrad/xgrad.hpp>

struct twice {
    template <class T>
    auto operator()(T const& x) const { return x * 2.0; }
};
auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return xgrad::call(twice{}, x);
#else
    return twice{}(x);
#endif
};
auto g = xgrad::gradient(f, 1.0);
