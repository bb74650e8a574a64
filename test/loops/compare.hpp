// Defines gap, how far two results are apart, what is tight, and says(id), whether an exception has that id.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/xgrad.hpp>

inline constexpr double tight = 1e-13;

inline double gap(double a, double b) { return std::abs(a - b); }
template <class A>
    requires(!std::is_arithmetic_v<A>)
double gap(A const& a, A const& b) { return a.size() == b.size() ? xt::amax(xt::abs(a - b))() : 1.0; }
template <class... A>
double gap(std::tuple<A...> const& a, std::tuple<A...> const& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::max({0.0, gap(std::get<I>(a), std::get<I>(b))...});
    }(std::index_sequence_for<A...>{});
}

inline auto says(char const* id) {
    return [id](std::exception const& e) { return std::string(e.what()).find(id) != std::string::npos; };
}
