// error: xgrad[E001]: tangent_type_t<P> requires a type 'P' that xgrad knows .*: write XGRAD_REFLECT\(P, fields...\) beside its definition
#include <xgrad/tangent/tangent_type.hpp>

class stranger {
    [[maybe_unused]] double x = 0;
};
struct host {
    double weight;
#ifdef XGRAD_MUST_FAIL
    std::vector<stranger> inside;
#else
    std::vector<double> inside;
#endif
};
XGRAD_REFLECT(host, weight, inside)

using type = xgrad::tangent_type_t<host>;
