// Sacado's reverse mode.
#include <Sacado_trad.hpp>
#include <Trilinos_version.h>

#include <perf/peers/rows.hpp>

int main(int, char** argv) {
    perf::settle_blas(argv);
    std::printf("Sacado of Trilinos %s\n", TRILINOS_VERSION_STRING);
    peers::head("Sacado");
    peers::rows("Rad", [](auto const& f) {
        return [&f](std::vector<double>& g) {
            using number = Sacado::Rad::ADvar<double>;
            double value;
            {
                std::vector<number> x(f.x.begin(), f.x.end());
                number const y = f(x.data());
                number::Gradcomp();
                value = y.val();
                g.resize(x.size());
                for (std::size_t i = 0; i < x.size(); ++i) g[i] = x[i].adj();
            }
            return value;
        };
    });
}
