// error: xgrad[E101]: call\(f, x...\) in a forward derivative requires a rule that gives a number or an array
#include <cmath>

#include <xgrad/xgrad.hpp>

struct sine {
#ifdef XGRAD_MUST_FAIL
    std::tuple<double, double> operator()(double x) const { return {std::sin(x), std::cos(x)}; }
#else
    double operator()(double x) const { return std::sin(x); }
#endif
};
template <>
struct xgrad::rule<sine> {
    static auto frule(dual<double> x) {
        double const s = std::sin(x.primal), c = std::cos(x.primal);
#ifdef XGRAD_MUST_FAIL
        return dual{std::tuple(s, c), std::tuple(c * x.tangent, -s * x.tangent)};
#else
        return dual{s, c * x.tangent};
#endif
    }
};
auto y = xgrad::jvp([](auto const& x) { return xgrad::call(sine{}, x); }, std::tuple(0.5), std::tuple(1.0));
