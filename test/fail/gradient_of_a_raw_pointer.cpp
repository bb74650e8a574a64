// error: xgrad[E038]: gradient\(f, x...\) requires arguments that own what they refer to
#include <xgrad/xgrad.hpp>

#include <tuple>

int main() {
    auto const f = [](auto const& p) { return *p * *p; };
    double x = 2, xbar = 0;
    std::tuple<double*> g{&xbar};
    (void)xgrad::add_gradient(g, f, &x);
    (void)xgrad::value(f, &x);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, &x);
#endif
}
