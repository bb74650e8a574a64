// error: xgrad[E098]: tensordot\(a, b, axes\) requires as many axes of a as of b
#include <array>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

template <std::size_t N>
using axes = std::array<std::ptrdiff_t, N>;
auto f = [](auto const& a, auto const& b) {
#ifdef XGRAD_MUST_FAIL
    return sum(xgrad::tensordot(a, b, axes<3>{0, 1, 2}, axes<3>{0, 1, 2}));
#else
    return sum(xgrad::tensordot(a, b, axes<1>{1}, axes<1>{0}));
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}}, xt::xtensor<double, 2>{{3.0}, {4.0}});
