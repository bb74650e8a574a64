// error: xgrad[E006]: zero_tangent\(x\) and its like require 'x' to own what it refers to .*: make the shadow's storage yourself
#include <xgrad/tangent/zero_tangent.hpp>

int main() {
    double x = 1;
    static_cast<void>(xgrad::zero_tangent(x));
#ifdef XGRAD_MUST_FAIL
    static_cast<void>(xgrad::zero_tangent(&x));
#endif
}
