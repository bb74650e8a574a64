// One of ten typical functions: what its derivative costs to compile.
#include <vector>

#include <xgrad/xgrad.hpp>

std::vector<double> f(std::vector<double> const& x) {
    return std::get<0>(xgrad::gradient([](auto const& v) {
        xgrad::variable s = v[0];
        for (std::size_t i = 1; i < v.size(); ++i) s = s + v[i] * v[i - 1];
        return s;
    }, x));
}
