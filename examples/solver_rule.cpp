// A rule for a function of one's own: Kepler's equation, E - e sin E = M, solved by Newton's method. Its derivative is not that of the
// iteration: the equation itself gives it, dE/dM = 1 / (1 - e cos E) and dE/de = sin E / (1 - e cos E).
#include <cmath>
#include <cstdio>
#include <numbers>

#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;

// The eccentric anomalies E for the eccentricity e and the mean anomalies M.
struct eccentric_anomaly {
    vector operator()(double e, vector const& M) const {
        vector E = M;
        for (double& x : E) {
            double const m = x;
            for (int i = 0; i < 50; ++i) {
                double const step = (x - e * std::sin(x) - m) / (1 - e * std::cos(x));
                x -= step;
                if (std::abs(step) < 1e-15) break;
            }
        }
        return E;
    }
};

// The value, and a pullback that adds to the arrays' cotangents and returns the numbers'.
template <>
struct xgrad::rule<eccentric_anomaly> {
    static auto rrule(codual<double> e, codual<vector> M) {
        vector E = eccentric_anomaly{}(e.primal, M.primal);
        return value_with_pullback{E, [=, e = e.primal](vector const& Ebar) {
                                       vector const Mbar = Ebar / (1 - e * xt::cos(E));
                                       accumulate(M.fdata, Mbar);
                                       return std::tuple(xt::sum(Mbar * xt::sin(E))(), no_rdata{});
                                   }};
    }
};
static_assert(xgrad::check_types<eccentric_anomaly, double, vector>());

int main() {
    // Distances of a body from its sun over one period, in units of the semi-major axis; e is to be found from them.
    std::size_t const n = 25;
    double const truth = 0.6;
    vector const M = xt::linspace(0.0, 2 * std::numbers::pi, n);
    vector const observed = 1 - truth * xt::cos(eccentric_anomaly{}(truth, M));

    auto misfit = [](auto const& e, auto const& mean_anomalies, auto const& distances) {
        auto E = xgrad::call(eccentric_anomaly{}, e, mean_anomalies);
        auto error = 1.0 - e * cos(E) - distances;
        return mean(error * error);
    };
    double e = 0.2;
    for (int step = 0; step <= 40; ++step) {
        auto [value, grad] = xgrad::value_and_gradient(misfit, e, xgrad::constant(M), xgrad::constant(observed));
        if (step % 10 == 0) std::printf("misfit %.2e   e %.6f   gradient %+.2e\n", value, e, std::get<0>(grad));
        e -= 0.5 * std::get<0>(grad);
    }
    return std::abs(e - truth) < 1e-6 ? 0 : 1;
}
