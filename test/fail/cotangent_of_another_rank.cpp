// error: xgrad[E185]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto pulled = [](auto const& ybar) {
    xgrad::active_call<vector> call;
    call.run([&](auto const& h) { auto r = h * h; xgrad::pull(r, ybar); return 0; }, vector{1.0, 2.0});
    return call.gradient();
};

int main() {
    (void)pulled(xt::xtensor<int, 1>{1, 2});
    (void)pulled(xt::xarray<double>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)pulled(xt::xtensor<double, 2>{{1.0, 2.0}});
#endif
}
