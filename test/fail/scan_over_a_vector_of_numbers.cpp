// error: xgrad[E180]
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto step = [](auto const& s, auto const& a) { return s * a; };
auto good = [](auto const& v) { return xgrad::scan(step, 1.0, stack(v)); };
auto bad = [](auto const& v) { return (void)xgrad::scan(step, 1.0, v), v[0]; };

int main() {
    (void)xgrad::gradient(good, std::vector<double>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, std::vector<double>{1.0, 2.0});
#endif
}
