// error: xgrad[E304]
#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

auto loss = [](auto const& theta, auto const& x) { return sum(theta * theta) * xgrad::sum(x); };
auto good = xgrad::data_parallel(loss);

int main() {
    xt::xtensor<double, 1> const theta{1.0, 2.0};
    (void)xgrad::gradient(good, theta, xgrad::constant(theta));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(good, theta, 1.0);
#endif
}
