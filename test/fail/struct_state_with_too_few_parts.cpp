// error: xgrad[E193]
#include <tuple>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

struct ball {
    double place, speed;
};
XGRAD_REFLECT(ball, place, speed)

auto fall = [](auto const& b) { return std::tuple(b.place + 0.1 * b.speed, b.speed - 0.981); };
auto good = [](auto const& x) { return xgrad::iterate(2, fall, xgrad::variables<ball>(x, 0.0)).place; };
auto bad = [](auto const& x) { return (void)xgrad::variables<ball>(x), x; };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
