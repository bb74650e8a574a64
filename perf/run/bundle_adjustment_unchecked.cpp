// options: -DXGRAD_UNCHECKED_SCOPES
// The gradient of the bundle-adjustment residual with a declared result whose promise is believed, beside its value in plain numbers.
#include <perf/bundle_adjustment.hpp>
#include <perf/table.hpp>

namespace {

void residual_unchecked(benchmark::State& state) { perf::bundle_adjustment(state, cases::scoped_bundle_adjustment, 5.0); }
BENCHMARK(residual_unchecked)->UseManualTime()->Iterations(1001);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
