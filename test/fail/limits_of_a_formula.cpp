// error: xgrad[E135]
#include <limits>

#include <xgrad/xgrad.hpp>

template <class T>
auto relative(T const& x) {
#ifdef XGRAD_MUST_FAIL
    return x * static_cast<double>(std::numeric_limits<T>::epsilon());
#else
    return x * std::numeric_limits<typename T::value_type>::epsilon() + std::numeric_limits<xgrad::variable<double>>::epsilon();
#endif
}

int main() { (void)xgrad::gradient([](auto const& x) { return relative(x); }, 1.0); }
