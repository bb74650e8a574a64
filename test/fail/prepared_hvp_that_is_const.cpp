// error: xgrad[E157]
#include <xgrad/xgrad.hpp>

int main() {
    auto h = xgrad::prepare_hvp([](auto const& x) { return x * x; }, 1.0);
#ifdef XGRAD_MUST_FAIL
    auto curvature = [h](double x) { return std::get<0>(h(x, 1.0).product); };
#else
    auto curvature = [h](double x) mutable { return std::get<0>(h(x, 1.0).product); };
#endif
    return curvature(1.0) == 2.0 ? 0 : 1;
}
