// error: xgrad[E088]
#include <tuple>

#include <xgrad/with_aux.hpp>
#include <xgrad/xgrad.hpp>

int main() {
    (void)xgrad::value_gradient_and_aux([](auto const& x) { return std::pair{x * x, std::tuple{1, 2}}; }, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::value_gradient_and_aux([](auto const& x) { return std::tuple{x * x, 1, 2}; }, 1.0);
#endif
}
