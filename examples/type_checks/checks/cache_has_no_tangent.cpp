// error: xgrad[E001]: tangent_type_t<P> requires a type 'P' that xgrad knows
#include <model.hpp>

class cache {
    double last = 0.0;
public:
    double get() const { return last; }
};

struct cached_network {
    network net;
    cache recent;
};
XGRAD_REFLECT(cached_network, net, recent)

// A class that nobody has reflected does not count as a constant in silence.
#ifndef XGRAD_MUST_FAIL
template <>
inline constexpr bool xgrad::unperturbable<cache> = true;
#endif
using gradient = xgrad::tangent<cached_network>;
