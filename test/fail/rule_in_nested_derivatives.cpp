// error: xgrad[E100]: call\(f, x...\) inside of nested derivatives requires that only one of them
#include <xgrad/xgrad.hpp>

struct twice {
    auto operator()(auto const& x) const { return x * 2.0; }
};
template <>
struct xgrad::rule<twice> {
    static auto frule(dual<double> x) { return dual{2.0 * x.primal, 2.0 * x.tangent}; }
};
auto inner = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return xgrad::call(twice{}, x) * x;
#else
    return twice{}(x) * x;
#endif
};
auto second = xgrad::derivative([](auto const& x) { return xgrad::derivative(inner, x); }, 2.0);
