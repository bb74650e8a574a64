// Defines a Gaussian mixture as ADBench has it (github.com/microsoft/ADBench), random ones, and the logarithm of its posterior density.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

namespace cases {

// Each row of icf has the logarithms of the diagonal of a lower triangular Q, and then what is below it, column by column: Qᵀ Q is the inverse of the
// component's covariance. Components have the weights exp(alphas) / Σ exp(alphas).
struct mixture {
    xt::xtensor<double, 1> alphas;
    xt::xtensor<double, 2> means, icf;
};
XGRAD_REFLECT(mixture, alphas, means, icf)

// The prior of Qᵀ Q.
struct wishart {
    double gamma = 1.0, m = 0.0;
};

// What does not depend on the mixture: of n points and k components in d dimensions.
inline double constant_of_mixture(std::size_t k, std::size_t d, std::size_t n, wishart const& prior) {
    double const pi = std::acos(-1.0), D = static_cast<double>(d), degrees = D + prior.m + 1.0;
    double gamma = 0.25 * D * (D - 1.0) * std::log(pi);
    for (std::size_t j = 0; j < d; ++j) gamma += std::lgamma(0.5 * (degrees - static_cast<double>(j)));
    double const of_prior = degrees * D * std::log(prior.gamma / std::sqrt(2.0)) - gamma;
    return -0.5 * static_cast<double>(n) * D * std::log(2.0 * pi) - static_cast<double>(k) * of_prior;
}

// As random as ADBench's.
inline mixture random_mixture(std::size_t k, std::size_t d) {
    std::mt19937 random{1};
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    auto p =
        mixture{xt::xtensor<double, 1>::from_shape({k}), xt::xtensor<double, 2>::from_shape({k, d}), xt::xtensor<double, 2>::from_shape({k, d * (d + 1) / 2})};
    for (auto& e : p.alphas) e = normal(random);
    for (auto& e : p.means) e = uniform(random);
    for (auto& e : p.icf) e = normal(random);
    return p;
}
// The columns are points, with a last coordinate of one.
inline xt::xtensor<double, 2> random_points(std::size_t d, std::size_t n) {
    std::mt19937 random{2};
    std::normal_distribution<double> normal;
    auto x = xt::xtensor<double, 2>::from_shape({d + 1, n});
    for (auto& e : x) e = normal(random);
    for (std::size_t i = 0; i < n; ++i) x(d, i) = 1.0;
    return x;
}

// Where the elements of each Q are, in rows of icf that are followed by a zero.
inline xt::xtensor<std::ptrdiff_t, 3> places_in_icf(std::size_t k, std::size_t d) {
    auto places = xt::xtensor<std::ptrdiff_t, 3>::from_shape({k, d, d});
    std::size_t const row = d * (d + 1) / 2 + 1;
    for (std::size_t component = 0; component < k; ++component)
        for (std::size_t j = 0, below = d; j < d; ++j)
            for (std::size_t i = 0; i < d; ++i) {
                std::size_t const place = i == j ? i : i > j ? below++ : row - 1;
                places(component, i, j) = static_cast<std::ptrdiff_t>(component * row + place);
            }
    return places;
}

// The logarithm of the posterior density. The points are taken in blocks: what is computed from a block fits into the cache.
inline constexpr auto posterior = [](auto const& p, auto const& points, auto const& places, auto const& prior) {
    std::size_t const k = p.means.shape()[0], d = p.means.shape()[1], n = points.shape(1), block = 64;
    auto logarithms = view(p.icf, xt::all(), xt::range(std::size_t{0}, d));
    auto below = view(p.icf, xt::all(), xt::range(d, p.icf.shape()[1]));
    auto diagonals = exp(logarithms);
    auto q = take(concatenate(xt::xtuple(diagonals, below, xt::xtensor<double, 2>(xt::zeros<double>({k, std::size_t{1}}))), 1), places);
    auto offsets = sum(q * view(p.means, xt::all(), xt::newaxis(), xt::all()), {2}, xt::keep_dims);
    auto affine = concatenate(xt::xtuple(q, -offsets), 2);
    auto heights = p.alphas + sum(logarithms, {1});
    auto column = view(heights, xt::all(), xt::newaxis());

    xgrad::sum_result total;
    for (std::size_t i = 0; i < n; i += block) {
        auto y = xgrad::tensordot<1>(affine, xt::view(points, xt::all(), xt::range(i, std::min(i + block, n))));
        auto e = column - 0.5 * sum(square(y), {1});
        auto top = xgrad::stop_gradient(amax(e, {0}));
        auto weights = exp(e - top);
        total += sum(log(sum(weights, {0})) + top);
    }
    total += -static_cast<double>(n) * logsumexp(p.alphas);
    total += 0.5 * prior.gamma * prior.gamma * (sum(square(diagonals)) + sum(square(below))) - prior.m * sum(logarithms);
    total += constant_of_mixture(k, d, n, prior);
    return total;
};

}  // namespace cases
