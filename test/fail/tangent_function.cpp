// error: xgrad[E002]: tangent_type_t<P> requires a type 'P' that shows what it holds \(std::function and std::any do not\): hold a reflected struct
#include <xgrad/tangent/tangent_type.hpp>

#include <functional>

struct host {
    double weight;
#ifdef XGRAD_MUST_FAIL
    std::function<double(double)> f;
#endif
};
#ifdef XGRAD_MUST_FAIL
XGRAD_REFLECT(host, weight, f)
#else
XGRAD_REFLECT(host, weight)
#endif

using type = xgrad::tangent_type_t<host>;
