// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(view(x, 0) * view(x, 1)); };
auto bad = [](auto const& x) {
    auto row = view(x, 0);
    row = view(x, 1);
    return sum(row);
};

int main() {
    xt::xtensor<double, 2> const x{{1.0, 2.0}, {3.0, 4.0}};
    (void)xgrad::gradient(good, x);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, x);
#endif
}
