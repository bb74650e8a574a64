// error: xgrad[E031]
#include <xgrad/xgrad.hpp>

#include <functional>

int main() {
    std::function<double(double)> f = [](double x) { return x * x; };
    (void)xgrad::gradient([](auto const& x) { return x * x; }, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, 2.0);
#endif
}
