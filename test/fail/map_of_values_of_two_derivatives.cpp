// error: xgrad[E164]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](auto const& a, auto const& s, auto const& t) -> xgrad::real { return a * s * t; };
auto of = [](auto const& s, auto const& t) { return sum(xgrad::map(times, xgrad::each(xt::xtensor<double, 1>{1.0, 2.0}), s, t)); };
auto good = [](auto const&) { return xgrad::derivative([](auto const& t) { return of(t, t * t); }, 1.0); };
auto bad = [](auto const& s) { return xgrad::derivative([&s](auto const& t) { return of(s, t); }, 1.0); };

int main() {
    (void)good(3.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::derivative(bad, 3.0);
#endif
}
