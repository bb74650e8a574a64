// error: xgrad[E001]
#include <xgrad/xgrad.hpp>

#include <string>
struct known { double a; };
XGRAD_REFLECT(known, a)
class unknown { double a = 0; public: double get() const { return a; } virtual ~unknown() = default; };
auto f = [](auto const&) { return 1.0; };

int main() {
    (void)xgrad::gradient(f, known{1.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, unknown{});
#endif
}
