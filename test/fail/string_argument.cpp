// error: xgrad[E030]
#include <xgrad/xgrad.hpp>

#include <string>
auto f = [](auto const& x, auto const& name) { return x * double(name.size()); };

int main() {
    (void)xgrad::gradient(f, 2.0, xgrad::constant(std::string("ab")));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::value_and_gradient(f, 2.0, std::string("ab"));
#endif
}
