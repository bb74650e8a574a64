// The gradient of the bundle-adjustment residual, to be compiled and looked at: with RESIDUAL defined as one of the cases.
#include <perf/cases.hpp>
#include <perf/limits/bundle_adjustment.hpp>

struct residual {
    // With a declared result the value and the pullbacks are all in here.
    [[gnu::noinline]] auto operator()(auto const&... x) const { return cases::RESIDUAL(x...); }
};

auto gradient(limits::camera_and_point const& x) {
    return limits::apply([](auto const&... e) { return xgrad::gradient(residual{}, e...); }, x);
}
