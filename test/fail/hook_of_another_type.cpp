// error: xgrad[E082]
#include <xgrad/hook.hpp>
#include <xgrad/xgrad.hpp>

int main() {
    (void)xgrad::gradient([](auto const& x) { return hook(x, [](double&) {}); }, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return hook(x, [](double&) {}); }, 1.0f);
#endif
}
