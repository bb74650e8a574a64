// ADOL-C: recorded once and played back, and recorded anew for each call.
#include <adolc/adolc.h>

#include <perf/peers/rows.hpp>

namespace {

template <class F>
void record(short tag, F const& f) {
    std::vector<adouble> x(f.x.size());
    double value;
    trace_on(tag);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] <<= f.x[i];
    adouble y = f(x.data());
    y >>= value;
    trace_off();
}
template <class F>
double play(short tag, F const& f, std::vector<double>& g) {
    double value;
    double* result = &value;
    g.resize(f.x.size());
    zos_forward(tag, 1, static_cast<int>(f.x.size()), 1, f.x.data(), result);
    double one = 1.0;
    fos_reverse(tag, 1, static_cast<int>(f.x.size()), &one, g.data());
    return value;
}

}

int main(int, char** argv) {
    perf::settle_blas(argv);
    peers::head("ADOL-C");
    peers::rows("played back", [](auto const& f) {
        record(1, f);
        return [&f](std::vector<double>& g) { return play(1, f, g); };
    });
    peers::rows("recorded", [](auto const& f) {
        return [&f](std::vector<double>& g) {
            record(1, f);
            return play(1, f, g);
        };
    });
}
