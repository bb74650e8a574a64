// error: xgrad[E057]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return sum(dot(x, x)); };
auto g = [](auto const& x) { return sum(inv(x)); };

int main() {
    (void)xgrad::gradient(f, xt::xtensor<long double, 2>{{1.0L}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(g, xt::xtensor<long double, 2>{{1.0L}});
#endif
}
