// error: xgrad[E083]
#include <xgrad/distributions.hpp>
#include <xgrad/xgrad.hpp>

int main() {
    (void)xgrad::gradient([](auto const& x) { return categorical_logit_lpmf(0, x); }, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return categorical_logit_lpmf(0, x); }, 1.0);
#endif
}
