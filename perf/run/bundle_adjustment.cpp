// The gradient of the bundle-adjustment residual beside its value in plain numbers: with an automatic and with a declared result.
#include <perf/bundle_adjustment.hpp>
#include <perf/table.hpp>

namespace {

void residual_default(benchmark::State& state) { perf::bundle_adjustment(state, cases::bundle_adjustment, 30.0); }
void residual_scoped(benchmark::State& state) { perf::bundle_adjustment(state, cases::scoped_bundle_adjustment, 10.0); }
BENCHMARK(residual_default)->UseManualTime()->Iterations(1001);
BENCHMARK(residual_scoped)->UseManualTime()->Iterations(1001);

}  // namespace

int main(int argc, char** argv) { return perf::run(argc, argv); }
