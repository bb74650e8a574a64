// Defines run, the main function of the benchmarks here: it prints the machine, and for each comparison a row and a line for scripts.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <xgrad/host.hpp>

// OpenBLAS says for which processor it computes; other libraries, or none, have no such function.
extern "C" [[gnu::weak]] char* openblas_get_corename();

namespace perf {

// The value that Linux gives for this property of the first processor.
inline std::string processor(std::string const& key) {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.compare(0, key.size(), key) == 0 && line.find_first_not_of("\t :", key.size()) > line.find(':')) return line.substr(line.find(':') + 2);
    return "unknown";
}

inline std::string machine() {
    return processor("model name") + " (family " + processor("cpu family") + ", model " + processor("model\t") + ")";
}

inline std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "g++ " __VERSION__;
#else
    return "unknown compiler";
#endif
}

inline std::string blas() {
    if (!openblas_get_corename) return "not OpenBLAS";
    char const* threads = std::getenv("OPENBLAS_NUM_THREADS");
    return std::string("OpenBLAS ") + openblas_get_corename() + ", OPENBLAS_NUM_THREADS=" + (threads ? threads : "(unset)");
}

// The width of the vectors that this program is compiled for.
inline constexpr std::size_t batch_bits() { return 64 * xsimd::batch<double>::size; }

// Seconds in a unit that leaves up to four digits before the point.
inline std::string duration(double seconds) {
    char text[32];
    if (seconds < 1e-5) std::snprintf(text, sizeof text, "%.1f ns", seconds * 1e9);
    else if (seconds < 1e-2) std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
    else std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
    return text;
}

class table : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(Context const&) override {
        std::printf("%s; %s; xsimd %s; %s\n", machine().c_str(), compiler().c_str(), xsimd::default_arch::name(), blas().c_str());
        std::printf("%-46s %12s %12s %8s %8s\n", "", "limit", "xgrad", "ratio", "bar");
        return true;
    }
    void ReportRuns(std::vector<Run> const& runs) override {
        for (auto const& run : runs) {
            std::string const name = run.run_name.function_name;
            if (run.error_occurred) {
                std::printf("%-46s %s\n", name.c_str(), run.error_message.c_str());
                continue;
            }
            auto const figure = [&](char const* key) { return run.counters.at(key).value; };
            double const ratio = figure("ratio"), bar = figure("bar");
            std::printf("%-46s %12s %12s %7.2fx", name.c_str(), duration(figure("limit")).c_str(), duration(figure("xgrad")).c_str(), ratio);
            if (bar > 0.0) std::printf(" %7.2fx%s", bar, ratio <= bar ? "" : "  missed");
            // the same for scripts (perf/figures.py): name, ratio, bar or -
            std::printf("\nfigure\t%s\t%.3f\t", name.c_str(), ratio);
            if (bar > 0.0) std::printf("%g\n", bar);
            else std::printf("-\n");
        }
        std::fflush(stdout);
    }
};

inline int run(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    table rows;
    benchmark::RunSpecifiedBenchmarks(&rows);
    return 0;
}

}  // namespace perf
