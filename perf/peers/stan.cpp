// Stan Math: its numbers, and for the mixture its matrices of numbers.
#include <stan/math/rev/mat.hpp>
#include <stan/math/version.hpp>

#include <perf/peers/rows.hpp>

namespace {

using stan::math::var;
using matrix_v = Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>;
using vector_v = Eigen::Matrix<var, Eigen::Dynamic, 1>;

// The value and the gradient of y, and what was recorded for it forgotten.
template <class F>
double finish(std::vector<var>& x, F const& f, std::vector<double>& g) {
    double value;
    {
        var y = f(x.data());
        value = y.val();
        y.grad();
        g.resize(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) g[i] = x[i].adj();
    }
    stan::math::recover_memory();
    return value;
}

// The posterior density by Stan's functions on matrices: the affine maps of all components are one product with the points.
struct mixture_of_matrices {
    peers::mixture const& f;
    Eigen::MatrixXd points;

    explicit mixture_of_matrices(peers::mixture const& m) : f(m), points(static_cast<Eigen::Index>(m.d), static_cast<Eigen::Index>(m.n)) {
        std::copy(m.points.begin(), m.points.end(), points.data());
    }
    var operator()(var const* z) const {
        using namespace stan::math;
        auto const k = static_cast<Eigen::Index>(f.k), d = static_cast<Eigen::Index>(f.d), n = static_cast<Eigen::Index>(f.n), row = d * (d + 1) / 2;
        var const* means = z + k;
        var const* icf = means + k * d;
        vector_v alphas(k), logarithms(k);
        std::vector<var> squares;
        std::vector<matrix_v> y;
        for (Eigen::Index c = 0; c < k; ++c) {
            alphas(c) = z[c];
            vector_v logs(d), mean(d), below(row - d), diagonal(d);
            for (Eigen::Index i = 0; i < d; ++i) {
                logs(i) = icf[c * row + i];
                mean(i) = means[c * d + i];
                diagonal(i) = exp(logs(i));
            }
            for (Eigen::Index i = d; i < row; ++i) below(i - d) = icf[c * row + i];
            logarithms(c) = sum(logs);
            squares.push_back(dot_self(diagonal));
            squares.push_back(dot_self(below));
            matrix_v q = matrix_v::Constant(d, d, var(0.0));
            for (Eigen::Index i = 0, at = 0; i < d; ++i) {
                q(i, i) = diagonal(i);
                for (Eigen::Index j = i + 1; j < d; ++j) q(j, i) = below(at++);
            }
            y.push_back(subtract(multiply(q, points), rep_matrix(vector_v(multiply(q, mean)), static_cast<int>(n))));
        }
        vector_v const heights = add(alphas, logarithms);
        std::vector<var> terms;
        vector_v e(k);
        for (Eigen::Index p = 0; p < n; ++p) {
            for (Eigen::Index c = 0; c < k; ++c) e(c) = heights(c) - 0.5 * dot_self(vector_v(y[static_cast<std::size_t>(c)].col(p)));
            terms.push_back(log_sum_exp(e));
        }
        return sum(terms) - static_cast<double>(n) * log_sum_exp(alphas) + 0.5 * f.gamma * f.gamma * sum(squares) - f.m * sum(logarithms) + f.constant;
    }
};

}

int main(int, char** argv) {
    perf::settle_blas(argv);
    std::printf("Stan Math %s.%s.%s\n", stan::math::MAJOR_VERSION.c_str(), stan::math::MINOR_VERSION.c_str(), stan::math::PATCH_VERSION.c_str());
    peers::head("Stan Math");
    peers::rows("numbers", [](auto const& f) {
        return [&f](std::vector<double>& g) {
            std::vector<var> x(f.x.begin(), f.x.end());
            return finish(x, f, g);
        };
    });
    auto const by_matrices = [](peers::mixture const& f, std::size_t repetitions) {
        mixture_of_matrices const m(f);
        peers::row(f.name, "matrices", peers::by_xgrad(f), [&](std::vector<double>& g) {
            std::vector<var> x(f.x.begin(), f.x.end());
            return finish(x, m, g);
        }, repetitions);
    };
    by_matrices(peers::make_mixture("mixture, d = 10, K = 25", 25, 10), 11);
    by_matrices(peers::make_mixture("mixture, d = 64, K = 50", 50, 64), 5);
}
