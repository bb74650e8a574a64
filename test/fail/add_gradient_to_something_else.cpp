// error: xgrad[E036]
#include <xgrad/xgrad.hpp>

#include <tuple>
auto f = [](auto const& x) { return x * x; };

int main() {
    std::tuple<double> g{0.0};
    (void)xgrad::add_gradient(g, f, 2.0);
#ifdef XGRAD_MUST_FAIL
    std::tuple<float> h{0.0f};
    (void)xgrad::add_gradient(h, f, 2.0);
#endif
}
