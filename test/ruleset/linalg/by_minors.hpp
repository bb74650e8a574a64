// Defines by_minors: the determinant by minors along the first row, exact in the sense of polynomials, whatever the rank.
#pragma once

#include <array>
#include <cstddef>

#include <xgrad/host.hpp>

namespace xgrad::test {

template <class T>
T by_minors(xt::xtensor<T, 2> const& a) {
    std::size_t const n = a.shape(0);
    if (n == 0) return T(1);
    T d = T(0);
    for (std::size_t c = 0; c < n; ++c) {
        xt::xtensor<T, 2> m(std::array<std::size_t, 2>{n - 1, n - 1});
        for (std::size_t i = 1; i < n; ++i)
            for (std::size_t j = 0; j + 1 < n; ++j) m(i - 1, j) = a(i, j + (j >= c));
        d += T(c % 2 ? -1 : 1) * a(0, c) * by_minors(m);
    }
    return d;
}

}  // namespace xgrad::test
