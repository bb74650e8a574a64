// Defines the condition number and the rank of a matrix, by its singular values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/linalg/decompositions.hpp>

namespace xgrad {

// The greatest singular value of a matrix over the least, a number; infinite for a singular matrix. Throws std::invalid_argument where A has no element; other
// errors are those of svdvals.
template <algebraic A>
auto cond(A&& a) {
    return detail::algebra(
        [](auto&& x) {
            auto const s = svdvals(std::forward<decltype(x)>(x));
            auto const n = s.extent()[0];
            if (n == 0) throw std::invalid_argument("xgrad[E206]: cond(A) requires at least one element, found an empty matrix");
            return s(0) / s(n - 1);
        },
        std::forward<A>(a));
}
// How many singular values of a matrix are more than `tolerance` times the greatest: a std::size_t, without a derivative. Left out, or negative, it is the
// greater extent times the precision of a number, as NumPy has it. Errors are those of svdvals.
template <algebraic A>
std::size_t matrix_rank(A const& a, double tolerance = -1) {
    auto const x = primal(a);
    auto const s = svdvals(x);
    if (s.size() == 0) return 0;
    using T = typename std::remove_cvref_t<decltype(s)>::value_type;
    auto const extent = static_cast<double>(*std::max_element(x.shape().begin(), x.shape().end()));
    double const share = tolerance >= 0 ? tolerance : extent * static_cast<double>(std::numeric_limits<T>::epsilon());
    return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [&](T v) { return static_cast<double>(v) > share * static_cast<double>(s(0)); }));
}

}
