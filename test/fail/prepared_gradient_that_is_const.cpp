// error: xgrad[E157]
#include <xgrad/xgrad.hpp>

int main() {
    auto g = xgrad::prepare_gradient([](auto const& x) { return x * x; }, 1.0);
#ifdef XGRAD_MUST_FAIL
    auto slope = [g](double x) { return std::get<0>(g(x).gradient); };
#else
    auto slope = [g](double x) mutable { return std::get<0>(g(x).gradient); };
#endif
    return slope(1.0) == 2.0 ? 0 : 1;
}
