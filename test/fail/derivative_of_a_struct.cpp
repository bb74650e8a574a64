// error: xgrad[E053]: jvp, vjp and jacobian require a function that gives a number, an array, or a std::tuple
#include <xgrad/xgrad.hpp>

template <class A, class B>
struct both {
    A first;
    B second;
};
auto f = [](auto const& x) {
    auto y = x * x;
#ifdef XGRAD_MUST_FAIL
    return both<decltype(y), double>{y, 1.0};
#else
    return std::tuple(y, 1.0 * x);
#endif
};
auto y = xgrad::jvp(f, std::tuple(2.0), std::tuple(1.0));
