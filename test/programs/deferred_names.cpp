// Long names have arrays only where somebody asks for all of them. Nothing else changes that a program can see.
#include <cstddef>

#include <xgrad/linalg.hpp>

#include "deferred_names.hpp"

using deferred::agree_with_pieces, deferred::names, deferred::numbers, deferred::vector;

BOOST_AUTO_TEST_CASE(of_every_length) {
    for (std::size_t n : {16383, 16384, 16385, 16391, 17407, 17408, 17409, 20000, 33333}) agree_with_pieces(names, numbers(n, 0.7, 0.1), numbers(n, -0.4, 2.0));
}

BOOST_AUTO_TEST_CASE(of_every_kind) {
    std::size_t const n = 17001;
    vector const x = numbers(n, 0.7, 0.1), y = numbers(n, -0.4, 2.0);
    // the sum of a name, the mean of one is told below
    agree_with_pieces([](auto const& a) {
        auto e = exp(a);
        return sum(e);
    }, x);
    // several sums, of names in common, with factors
    agree_with_pieces([](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto s = sin(e) + e;
        return 2.0 * sum(e * s) - sum(s * b) / 3.0;
    }, x, y);
    // a name that is asked for as a whole: by another sum, by an element, by a product, by a view
    agree_with_pieces([](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto s = sin(e) + cos(b);
        auto m = sum(e);
        return sum(s * e) + m;
    }, x, y);
    agree_with_pieces([](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto s = sin(e) + cos(b);
        auto p = xt::linalg::dot(s, e);
        return sum(e * e * s) + p;
    }, x, y);
    // of numbers of another type
    xt::xtensor<float, 1> const single = xt::cast<float>(x), other = xt::cast<float>(y);
    agree_with_pieces(names, single, other);
    agree_with_pieces([](auto const& a, auto const& b) {
        auto e = exp(a);
        auto f = tanh(b * e);
        return sum(f * e);
    }, single, y);
    // of no fixed rank
    xt::xarray<double> const any = x, any_other = y;
    agree_with_pieces(names, any, any_other);
}
