// error: xgrad[E012]: add_to_primal\(x, t\) requires the differentiable fields of 'x' to be assignable: remove const
#include <xgrad/tangent/add_to_primal.hpp>

struct host {
#ifdef XGRAD_MUST_FAIL
    double const weight = 1;
#else
    double weight = 1;
#endif
};
XGRAD_REFLECT(host, weight)

int main() {
    host const x{};
    static_cast<void>(xgrad::add_to_primal(x, xgrad::tangent<host>{}));
}
