// error: xgrad[E159]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

int main() {
#ifdef XGRAD_MUST_FAIL
    auto const f = [](auto const& z) { return norm(z * z); };
#else
    auto const f = [](auto const& z) { return norm_sq(z * z); };
#endif
    (void)xgrad::gradient(f, std::complex<double>(1.0, 2.0));
}
