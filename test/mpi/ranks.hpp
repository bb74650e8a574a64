// What the tests on several ranks share: a report of all ranks, and values to begin with.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <xgrad/mpi.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct model {
    vector w;
    double b;
};
XGRAD_REFLECT(model, w, b)
struct samples {
    matrix x;
    vector y;
};
XGRAD_REFLECT(samples, x, y)

struct test_ranks {
    xgrad::mpi::communicator comm;
    int bad = 0, count = 0;
    void near(std::string const& name, double found, double expected, double tolerance) {
        ++count;
        if (std::abs(found - expected) <= tolerance * (1.0 + std::abs(expected))) return;
        ++bad;
        std::printf("rank %d of %d: %s: found %.17g, expected %.17g\n", comm.rank(), comm.size(), name.c_str(), found, expected);
    }
    // 0 where all was right on all ranks.
    int report() {
        int const all = static_cast<int>(xgrad::mpi::all_reduce(static_cast<double>(bad), comm).get());
        if (comm.rank() == 0) std::printf("%d checks on each of %d ranks, %d failed\n", count, comm.size(), all);
        return all != 0 || count == 0;
    }
};

template <class S>
[[maybe_unused]] matrix filled(S shape, double start) {
    auto m = matrix::from_shape(shape);
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = std::sin(start + 1.3 * static_cast<double>(i));
    return m;
}
[[maybe_unused]] matrix filled(std::initializer_list<std::size_t> shape, double start) { return filled(std::vector<std::size_t>(shape), start); }
[[maybe_unused]] double wave(double, double k) { return std::cos(k); }
template <class X>
[[maybe_unused]] X wave(X const& x, double k) {
    X d = x;
    for (std::size_t i = 0; i < d.size(); ++i) d.data()[i] = std::cos(k + 0.9 * static_cast<double>(i));
    return d;
}
[[maybe_unused]] double dot_of(double a, double b) { return a * b; }
template <class X>
double dot_of(X const& a, X const& b) {
    double s = 0;
    for (std::size_t i = 0; i < a.size(); ++i) s += a.data()[i] * b.data()[i];
    return s;
}

}
