// error: xgrad[E186]
#include <tuple>

#include <xgrad/xgrad.hpp>

struct both { double a, b; };
XGRAD_REFLECT(both, a, b)

int main() {
    both const m{1.0, 2.0};
    xgrad::active_call<both> call;
    call.run([&](auto const& h) {
        xgrad::pull(std::tie(h.a, h.b), std::tuple(1.0, 2.0));
#ifdef XGRAD_MUST_FAIL
        xgrad::pull(h, m);
#endif
        return 0;
    }, m);
}
