// error: xgrad[E032]
#include <xgrad/xgrad.hpp>

struct one_operator {
    template <class T>
    auto operator()(T const& x) const { return x * 2.0; }
};
struct two_operators {
    template <class T>
    auto operator()(T const& x) const { return x * 2.0; }
    template <class T>
    auto operator()(T const& x, int = 0) const { return x * 3.0; }
};

int main() {
    (void)xgrad::gradient(one_operator{}, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(two_operators{}, 2.0);
#endif
}
