// Defines filled<A>(shape): an array of which every element is another one, none at a place where a derivative jumps.
#pragma once

#include <cmath>

namespace programs {

template <class A>
A filled(typename A::shape_type const& s) {
    A a(s);
    double v = 0.2;
    for (auto& e : a) e = static_cast<typename A::value_type>((v = std::fmod(v * 2.3 + 0.71, 3.1)) - 1.45);
    return a;
}

}
