// error: xgrad[E002]: tangent_type_t<P> requires a type 'P' that shows what it holds .*: hold .* a std::variant of the types it can be
#include <xgrad/tangent/tangent_type.hpp>

#include <any>
#include <variant>

#ifdef XGRAD_MUST_FAIL
using type = xgrad::tangent_type_t<std::tuple<double, std::any>>;
#else
using type = xgrad::tangent_type_t<std::tuple<double, std::variant<double, int>>>;
#endif
