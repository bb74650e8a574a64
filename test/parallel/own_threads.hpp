// What the tests of the parallel verbs share: an executor of a program's own, and the distance of two results.
#pragma once

#include <cmath>
#include <thread>
#include <vector>

#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// A thread for each task but the first.
struct own_threads {
    std::size_t n;
    std::size_t threads() const { return n; }
    void run(std::size_t count, xgrad::task_ref t) const {
        std::vector<std::thread> all;
        for (std::size_t i = 1; i < count; ++i) all.emplace_back([t, i] { t(i); });
        t(0);
        for (auto& a : all) a.join();
    }
};

[[maybe_unused]] inline double gap(double a, double b) { return std::abs(a - b); }
[[maybe_unused]] inline double gap(vector const& a, vector const& b) { return a.size() == b.size() ? xt::amax(xt::abs(a - b))() : 1.0; }
[[maybe_unused]] inline double gap(matrix const& a, matrix const& b) { return a.shape() == b.shape() ? xt::amax(xt::abs(a - b))() : 1.0; }
constexpr double tight = 1e-12;

}
