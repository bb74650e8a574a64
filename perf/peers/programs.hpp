// Defines the programs that are compared, as a user of a library of active numbers writes them: functors of numbers of any type, at a point x.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace peers {

inline std::vector<double> waves(std::size_t n) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i));
    return x;
}

// cases::bundle_adjustment with every value in a T: what `auto` would name is in some libraries no number.
struct residual {
    static constexpr char const* name = "bundle adjustment";
    std::vector<double> x{0.1, -0.2, 0.3, 0.5, -0.4, 0.2, 500.0, 10.0, 20.0, 0.01, 0.002, 1.0, 2.0, 9.0, 0.9};
    template <class T>
    T operator()(T const* z) const {
        using std::cos, std::sin, std::sqrt;
        T const x0 = z[11] - z[3], x1 = z[12] - z[4], x2 = z[13] - z[5];
        T const angle = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]), c = cos(angle), s = sin(angle), inverse = 1.0 / angle;
        T const w0 = z[0] * inverse, w1 = z[1] * inverse, w2 = z[2] * inverse;
        T const along = (w0 * x0 + w1 * x1 + w2 * x2) * (1.0 - c);
        T const y0 = x0 * c + (w1 * x2 - w2 * x1) * s + w0 * along;
        T const y1 = x1 * c + (w2 * x0 - w0 * x2) * s + w1 * along;
        T const y2 = x2 * c + (w0 * x1 - w1 * x0) * s + w2 * along;
        T const a = y0 / y2, b = y1 / y2, squared = a * a + b * b;
        T const distortion = 1.0 + z[9] * squared + z[10] * squared * squared;
        T const e0 = z[14] * (a * distortion * z[6] + z[7] - 0.3), e1 = z[14] * (b * distortion * z[6] + z[8] - 0.7);
        T const r = e0 * e0 + e1 * e1;
        return r;
    }
};

// Σ log(1 + exp(tanh(x b + 0.1) x - sqrt(x² + 1))) over a matrix x, each row with the same b, which stands behind it.
struct chain {
    static constexpr char const* name = "chain, 100 x 104";
    static constexpr std::size_t rows = 100, columns = 104;
    std::vector<double> x = waves((rows + 1) * columns);
    template <class T>
    T operator()(T const* z) const {
        using std::exp, std::log, std::sqrt, std::tanh;
        T const* b = z + rows * columns;
        T s = 0.0;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                T const& e = z[i * columns + j];
                s += log(1.0 + exp(tanh(e * b[j] + 0.1) * e - sqrt(e * e + 1.0)));
            }
        return s;
    }
};

// The posterior density of a Gaussian mixture in cases::posterior's notation: x has alphas, means and icf, `points` the coordinates of each point.
struct mixture {
    char const* name;
    std::size_t k, d, n;
    double gamma, m, constant;
    std::vector<double> x, points;

    template <class T>
    static T logsumexp(std::vector<T> const& e) {
        using std::exp, std::log;
        T top = e[0];
        for (std::size_t i = 1; i < e.size(); ++i)
            if (e[i] > top) top = e[i];
        T s = 0.0;
        for (T const& v : e) s += exp(v - top);
        return log(s) + top;
    }
    template <class T>
    T operator()(T const* z) const {
        using std::exp;
        std::size_t const row = d * (d + 1) / 2;
        T const* means = z + k;
        T const* icf = means + k * d;
        std::vector<T> diagonals(k * d), logarithms(k), e(k), y(d), centred(d), alphas(z, z + k);
        T squares = 0.0, logs = 0.0, total = 0.0;
        for (std::size_t c = 0; c < k; ++c) {
            T sum = 0.0;
            for (std::size_t i = 0; i < d; ++i) {
                sum += icf[c * row + i];
                diagonals[c * d + i] = exp(icf[c * row + i]);
                squares += diagonals[c * d + i] * diagonals[c * d + i];
            }
            for (std::size_t i = d; i < row; ++i) squares += icf[c * row + i] * icf[c * row + i];
            logarithms[c] = sum;
            logs += sum;
        }
        for (std::size_t p = 0; p < n; ++p) {
            for (std::size_t c = 0; c < k; ++c) {
                T const* below = icf + c * row + d;
                for (std::size_t i = 0; i < d; ++i) {
                    centred[i] = points[p * d + i] - means[c * d + i];
                    y[i] = diagonals[c * d + i] * centred[i];
                }
                for (std::size_t i = 0; i < d; ++i)
                    for (std::size_t j = i + 1; j < d; ++j) y[j] += *below++ * centred[i];
                T s = y[0] * y[0];
                for (std::size_t i = 1; i < d; ++i) s += y[i] * y[i];
                e[c] = z[c] + logarithms[c] - 0.5 * s;
            }
            total += logsumexp(e);
        }
        total -= static_cast<double>(n) * logsumexp(alphas);
        total += 0.5 * gamma * gamma * squares - m * logs + constant;
        return total;
    }
};

// The cross-entropy of a perceptron with two hidden layers on a batch: x holds the weights, by rows, and the bias of each layer. On arrays alone.
struct perceptron {
    static constexpr char const* name = "perceptron, 784-256-128-10, batch of 128";
    static constexpr std::size_t batch = 128, widths[] = {784, 256, 128, 10};
    std::vector<double> x, images, labels;
    perceptron() {
        std::size_t k = 0;
        for (std::size_t l = 0; l < 3; ++l)
            for (std::size_t i = 0; i < (widths[l] + 1) * widths[l + 1]; ++i) x.push_back(0.05 * std::sin(static_cast<double>(k++)));
        for (std::size_t i = 0; i < batch * widths[0]; ++i) images.push_back(0.3 * std::cos(static_cast<double>(i)));
        for (std::size_t i = 0; i < batch * widths[3]; ++i) labels.push_back(i % widths[3] == (7 * (i / widths[3])) % widths[3] ? 1.0 : 0.0);
    }
};

}  // namespace peers
