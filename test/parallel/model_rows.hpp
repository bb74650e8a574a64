// Defines model, a struct of parameters, and rows, data for it.
#pragma once

#include <cmath>
#include <cstddef>

#include <test/parallel/own_threads.hpp>

namespace {

struct model {
    vector w;
    double b;
};
XGRAD_REFLECT(model, w, b)

matrix rows(std::size_t n) {
    auto r = matrix::from_shape({n, 3});
    for (std::size_t i = 0; i < r.size(); ++i) r.data()[i] = std::sin(1.7 * static_cast<double>(i));
    return r;
}

}
