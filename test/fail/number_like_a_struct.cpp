// error: xgrad[E124]
#include <xgrad/xgrad.hpp>

struct line { double a; float b; };
XGRAD_REFLECT(line, a, b)
auto good = [](auto const& m) { xgrad::number_like<decltype(m.a)> s = 0.0; s += m.a * m.b; return s; };
auto bad = [](auto const& m) { xgrad::number_like<decltype(m)> s = 0.0; s += m.a * m.b; return s; };

int main() {
    (void)xgrad::gradient(good, line{1.0, 2.0f});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, line{1.0, 2.0f});
#endif
}
