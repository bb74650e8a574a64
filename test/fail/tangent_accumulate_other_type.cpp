// error: xgrad[E003]: accumulate\(xbar, t\) requires two tangents of one type: take both from the same primal type
#include <xgrad/tangent/accumulate.hpp>

int main() {
    std::vector<double> xbar(3);
#ifdef XGRAD_MUST_FAIL
    xgrad::accumulate(xbar, std::vector<float>(3));
#else
    xgrad::accumulate(xbar, std::vector<double>(3));
#endif
}
