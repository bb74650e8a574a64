// error: xgrad[E066]: tril\(x\) and triu\(x\) require a matrix
#include <xgrad/shape.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return sum(tril(x)); };
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0}});
#ifdef XGRAD_MUST_FAIL
auto h = xgrad::gradient(f, xt::xtensor<double, 3>{{{1.0}}});
#endif
