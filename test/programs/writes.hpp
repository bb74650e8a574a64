// Defines same, for programs that write into an array variable: copy_of(x) is the array that they write into, weighed(u, x) a result of every element.
#pragma once

#include <cstddef>

#include "against_differences.hpp"

namespace programs {

template <class A>
auto copy_of(A const& x) {
    if constexpr (xgrad::active<A>) return xgrad::variable(x);
    else return A(x);
}
template <class U, class X>
auto weighed(U const& u, X const& x) {
    xgrad::number_like<X> s = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) s += u.flat(i) * x.flat(i) * static_cast<double>(i + 1);
    return s;
}
// f is one program for plain and active arrays.
template <class F, class... X>
void same(F const& f, X const&... x) {
    agree(f, [&](X const&... y) { return double(f(y...)); }, x...);
}

}
