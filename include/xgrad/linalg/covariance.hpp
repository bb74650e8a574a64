// Defines the covariances and correlations of the rows of a matrix, and the cross product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/linalg/products.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/shape.hpp>

namespace xgrad {

namespace detail {

// What is used several times: an active value has a slot.
template <class E>
decltype(auto) shared_operand(E const& e) {
    if constexpr (active<E>) return variable<primal_t<E>>(e);
    else return (e);
}

template <class X>
auto make_cov(X const& x, std::size_t ddof) {
    static_assert(operand_rank<X> == 2 || operand_rank<X> == dynamic_rank,
                  "xgrad[E151]: cov(x) and corrcoef(x) require a matrix with a variable in each row, but x has other dimensions: reshape it, or stack the "
                  "rows");
    auto const s = x.extent();
    if (s.rank() != 2 || s[1] <= ddof)
        throw std::invalid_argument("xgrad[E203]: cov(x) requires a matrix with a variable in each row, and more than " + std::to_string(ddof) +
                                    " columns, found " + to_string(s) + ": give more observations");
    using T = scalar_of_t<typename X::value_type>;
    auto const& about = shared_operand(x - mean(x, {1}, xt::keep_dims));
    return dot(about, transpose(about)) * T(1 / static_cast<double>(s[1] - ddof));
}

}

// The covariances of the rows of x, n variables with an observation in each column, over their count less ddof: a matrix of shape (n, n), as NumPy has it.
// Throws std::invalid_argument where there are not more than ddof columns; refuses what is no matrix (E151), of dynamic rank by std::invalid_argument.
template <algebraic X>
auto cov(X&& x, std::size_t ddof = 1) {
    return detail::algebra([ddof](auto&& a) { return detail::make_cov(a, ddof); }, std::forward<X>(x));
}
// The correlations of the rows of x: cov(x) over the product of both standard deviations. Errors are those of cov.
template <algebraic X>
auto corrcoef(X&& x) {
    return detail::algebra(
        [](auto&& a) {
            auto const c = detail::make_cov(a, 1);
            auto const deviation = sqrt(diagonal(c));
            return c / outer(deviation, deviation);
        },
        std::forward<X>(x));
}
// a × b along the last axis, of three elements; both of one shape. Throws std::invalid_argument where they are not.
template <algebraic A, algebraic B>
auto cross(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            auto const s = detail::shape_of_operand(x);
            auto const t = detail::shape_of_operand(y);
            bool const same = s.rank() == t.rank() && std::equal(s.begin(), s.end(), t.begin());
            if (!same || s.rank() == 0 || s[s.rank() - 1] != 3)
                throw std::invalid_argument("xgrad[E202]: cross(a, b) requires vectors of three elements along the last axis, and one shape, found " +
                                            to_string(s) + " and " + to_string(t) + ": broadcast one of them");
            auto const& p = detail::shared_operand(x);
            auto const& q = detail::shared_operand(y);
            std::ptrdiff_t const last = s.rank() - 1;
            return roll(p, -1, last) * roll(q, 1, last) - roll(p, 1, last) * roll(q, -1, last);
        },
        std::forward<A>(a), std::forward<B>(b));
}

}
