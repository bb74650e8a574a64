// error: xgrad[E006]: zero_tangent\(x\) and its like require 'x' to own what it refers to .*: make the shadow's storage yourself
#include <xgrad/tangent/zero_tangent.hpp>

#include <span>

int main() {
    double x[3] = {};
    static_cast<void>(xgrad::zero_tangent(x));
#ifdef XGRAD_MUST_FAIL
    static_cast<void>(xgrad::zero_tangent(std::span<double>(x)));
#endif
}
