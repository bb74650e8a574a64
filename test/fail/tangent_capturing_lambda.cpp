// error: xgrad[E001]: .*a capturing lambda cannot have one
#include <xgrad/tangent/zero_tangent.hpp>

int main() {
#ifdef XGRAD_MUST_FAIL
    double factor = 2;
    auto data = [factor](double x) { return factor * x; };
#else
    auto data = [](double x) { return 2 * x; };
#endif
    static_cast<void>(xgrad::zero_tangent(data));
}
