// Defines by_lines and its kin: what an operation along axes gives on plain arrays, by plain loops: the reference of the tests of such operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "../programs/against_differences.hpp"
#include "../weighing.hpp"

namespace programs {

using line_function = std::function<std::vector<double>(std::vector<double> const&)>;
using number_function = std::function<double(std::vector<double> const&)>;
using axis_list = std::vector<int>;

// f of every line along these axes (all, where there are none), one axis after the other: a result of one element, or of n elements.
inline xt::xarray<double> by_lines(xt::xarray<double> const& x, axis_list axes, line_function const& f, bool keep) {
    std::size_t const r = x.dimension();
    if (axes.empty())
        for (std::size_t d = 0; d < r; ++d) axes.push_back(static_cast<int>(d));
    std::vector<bool> along(r, false);
    for (int a : axes) along[static_cast<std::size_t>(a < 0 ? a + static_cast<int>(r) : a)] = true;
    std::vector<std::size_t> shape(x.shape().begin(), x.shape().end()), outer, inner;
    for (std::size_t d = 0; d < r; ++d) {
        outer.push_back(along[d] ? 1 : shape[d]);
        inner.push_back(along[d] ? shape[d] : 1);
    }
    auto count = [](auto const& s) { std::size_t n = 1; for (auto e : s) n *= e; return n; };
    auto at = [&](auto const& s, std::size_t k) {
        std::vector<std::size_t> i(r);
        for (std::size_t d = r; d-- > 0;) {
            i[d] = k % s[d];
            k /= s[d];
        }
        return i;
    };
    std::vector<std::size_t> result = outer;
    std::vector<std::vector<double>> lines;
    for (std::size_t o = 0; o < count(outer); ++o) {
        auto const first = at(outer, o);
        std::vector<double> l;
        for (std::size_t k = 0; k < count(inner); ++k) {
            auto i = at(inner, k);
            for (std::size_t d = 0; d < r; ++d) i[d] += first[d];
            l.push_back(x.element(i.begin(), i.end()));
        }
        lines.push_back(f(l));
    }
    std::size_t const n = lines.empty() ? 0 : lines[0].size();
    bool const same = n == count(inner) && !(keep && n == 1);
    for (std::size_t d = 0; d < r; ++d)
        if (along[d]) result[d] = same ? shape[d] : n;
    xt::xarray<double> y(result);
    for (std::size_t o = 0; o < lines.size(); ++o) {
        auto const first = at(outer, o);
        for (std::size_t k = 0; k < n; ++k) {
            auto i = same ? at(inner, k) : first;
            for (std::size_t d = 0; d < r; ++d) i[d] = same ? i[d] + first[d] : along[d] ? k : first[d];
            y.element(i.begin(), i.end()) = lines[o][k];
        }
    }
    return y;
}
// The same for reductions: the axes go, or are kept with one element.
inline xt::xarray<double> reduced(xt::xarray<double> const& x, axis_list const& axes, number_function const& f, bool keep = false) {
    xt::xarray<double> y = by_lines(x, axes, [&](auto const& l) { return std::vector<double>{f(l)}; }, true);
    if (keep) return y;
    std::vector<std::size_t> shape;
    for (std::size_t d = 0; d < x.dimension(); ++d) {
        bool const along = axes.empty() || std::any_of(axes.begin(), axes.end(),
                                                       [&](int a) { return static_cast<std::size_t>(a < 0 ? a + static_cast<int>(x.dimension()) : a) == d; });
        if (!along) shape.push_back(x.shape(d));
    }
    y.reshape(shape);
    return y;
}

// The shape of an array, active or plain.
template <class A>
std::vector<std::size_t> extents_of(A const& a) {
    if constexpr (xgrad::active<A>) {
        auto const s = a.extent();
        return {s.begin(), s.end()};
    } else return {a.shape().begin(), a.shape().end()};
}

// A number that each element has a part in of its own.
template <class A>
auto weighed(A const& a) {
    xgrad::test::weighing const whole{0.5};
    if constexpr (xgrad::active<A>) {
        if constexpr (A::rank == 0) return a * a * 0.5 + a;
        else return xgrad::array_operation(whole, a);
    } else if constexpr (std::is_arithmetic_v<A>) return a * a * 0.5 + a;
    else {
        xt::xarray<double> const v = a;
        if (v.dimension() == 0) return v() * v() * 0.5 + v();
        return whole(v);
    }
}

}
