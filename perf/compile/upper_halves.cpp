// What upper_halves.cmake runs: after each call the processor is asked whether the upper halves of its vector registers are in use.
#include <cstdio>
#include <tuple>

#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

[[gnu::noinline]] bool in_use() {
    unsigned low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low & 4u;
}
[[gnu::noinline]] void clean() { asm volatile("vzeroupper"); }

int failures = 0;
void check(char const* verb, char const* of) {
    if (in_use()) {
        std::printf("%s of %s leaves the upper halves of vector registers in use\n", verb, of);
        ++failures;
    }
    clean();
}

template <class F, class... X>
void check_verbs(char const* name, F f, X const&... x) {
    double y = xgrad::value(f, x...);
    check("value", name);
    y += xgrad::value_and_gradient(f, x...).value;
    check("value_and_gradient", name);
    y += xgrad::jvp(f, std::tuple(x...), std::tuple(x...)).tangent;
    check("jvp", name);
    std::printf("%s %g\n", name, y);
}

}

int main() {
    clean();
    bool const none = in_use();
    asm volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" : : : "xmm0");
    if (bool const some = in_use(); none || !some) {
        std::puts("Skipped: this processor does not tell");
        return 0;
    }
    clean();
    vector const v = 0.001 * xt::arange<double>(1.0, 1003.0);
    check_verbs("a sum", [](auto const& x, auto const& a) { return sum(a * x * x + 1.0 / x); }, v, 0.5);
    check_verbs("map", [](auto const& x) { return sum(xgrad::map([](auto const& e) -> xgrad::real { return sin(e) * e; }, xgrad::each(x))); }, v);
    return failures != 0;
}
