// error: xgrad[E031]
#include <xgrad/xgrad.hpp>

template <class T>
auto good(T const& x) { return x * x; }
inline double bad(double x) { return x * x; }

int main() {
    (void)xgrad::gradient([](auto const& x) { return good(x); }, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
