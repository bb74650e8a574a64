// error: xgrad[E005]: tangent_type_t<P> requires the objects that 'P' points to to have one known type .*: hold it by a std::variant
#include <xgrad/tangent/tangent_type.hpp>

#include <memory>

struct shape {
    virtual ~shape() = default;
    double area = 0;
};
#ifdef XGRAD_MUST_FAIL
using type = xgrad::tangent_type_t<std::unique_ptr<shape>>;
#else
using type = xgrad::tangent_type_t<std::unique_ptr<double>>;
#endif
