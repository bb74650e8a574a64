// error: xgrad[E146]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    x.push_back(x[0]);
    return x[1];
#else
    auto v = variables(x);
    v.push_back(v[0]);
    return v[1];
#endif
};
auto g = xgrad::gradient(f, std::vector<double>{1.0});
