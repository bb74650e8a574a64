// error: xgrad[E084]
#include <xgrad/distributions.hpp>

int main() {
    (void)xgrad::categorical_logit_lpmf(0, xt::xtensor<double, 1>{1, 2});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::categorical_logit_lpmf(0, xt::xtensor<int, 1>{1, 2});
#endif
}
