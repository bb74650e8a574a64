// Defines agree_with_pieces: a sum over all elements of long arrays is what its pieces are, each of which is too short for names to be deferred.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/test/unit_test.hpp>
#include <xgrad/xgrad.hpp>

namespace deferred {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
inline constexpr std::size_t length_of_piece = 1000;

inline vector numbers(std::size_t n, double scale, double phase) {
    vector x = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = scale * std::sin(0.37 * static_cast<double>(i) + phase) + 0.2;
    return x;
}
template <class V>
V piece(V const& x, std::size_t first, std::size_t n) {
    return xt::view(x, xt::range(first, first + n));
}

inline void check_close(double a, double b) { BOOST_TEST(std::abs(a - b) <= 1e-11 * (1 + std::abs(b)), "found " << a << ", expected " << b); }

// f of arrays of one length, which is a sum over their elements.
template <class F, class... X>
void agree_with_pieces(F const& f, X const&... x) {
    std::size_t const n = std::get<0>(std::tie(x...)).size();
    auto const whole = xgrad::value_and_gradient(f, x...);
    double value = 0;
    double apart = 0;
    for (std::size_t first = 0; first < n; first += length_of_piece) {
        std::size_t const m = std::min(length_of_piece, n - first);
        auto const part = xgrad::value_and_gradient(f, piece(x, first, m)...);
        value += static_cast<double>(part.value);
        auto compare = [&](auto const& all, auto const& some) {
            for (std::size_t i = 0; i < m; ++i) {
                double const found = static_cast<double>(all(first + i)), expected = static_cast<double>(some(i));
                apart = std::max(apart, std::abs(found - expected) / (1 + std::abs(expected)));
            }
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (compare(std::get<I>(whole.gradient), std::get<I>(part.gradient)), ...);
        }(std::index_sequence_for<X...>());
    }
    constexpr bool single = (std::is_same_v<X, xt::xtensor<float, 1>> || ...);
    BOOST_TEST(std::abs(static_cast<double>(whole.value) - value) <= (single ? 1e-4 : 1e-11) * (1 + std::abs(value)));
    BOOST_TEST(apart <= (single ? 1e-5 : 1e-12));
}

inline constexpr auto names = [](auto const& x, auto const& y) {
    auto e = exp(x * y);
    auto l = log(1.0 + e);
    auto t = tanh(x);
    auto u = l * t + e;
    return sum(u * l);
};

}
