// error: xgrad[E118]
#include <xgrad/tangent/tangent_type.hpp>

class line {
public:
    double a = 0.0, b = 0.0;

private:
    [[maybe_unused]] double c = 0.0;
};
#ifdef XGRAD_MUST_FAIL
XGRAD_REFLECT(line, a, c)
#else
XGRAD_REFLECT(line, a, b)
#endif
