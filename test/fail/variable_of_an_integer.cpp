// error: xgrad[E125]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    xgrad::variable s = 0;
#else
    xgrad::variable s = 0.0;
#endif
    s += x;
    return s;
};

int main() { (void)xgrad::gradient(f, 2.0); }
