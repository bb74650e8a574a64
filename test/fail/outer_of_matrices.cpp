// error: xgrad[E097]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
auto f = [](auto const& x, [[maybe_unused]] auto const& y) { return sum(outer(x, y)); };

int main() {
    (void)xgrad::gradient(f, vector{1.0}, vector{1.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, matrix{{1.0}}, vector{1.0});
#endif
}
