// Defines matrix_power(A, n), expm(A), sqrtm(A), logm(A) and sylvester(A, B, C).
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/linalg/products.hpp>
#include <xgrad/linalg/solve.hpp>
#include <xgrad/ruleset/linalg/expm.hpp>
#include <xgrad/ruleset/linalg/sqrtm.hpp>
#include <xgrad/ruleset/linalg/sylvester.hpp>

namespace xgrad {

// The exponential of a square matrix, or of each of a stack in the last two axes, of the shape of A; the method and the rule are in ruleset/linalg/expm.hpp.
// Throws std::invalid_argument where A is not square, std::domain_error where it is not finite.
template <algebraic A>
auto expm(A&& a) {
    return detail::stacked_operation<op::expm, true>(std::forward<A>(a));
}

// The principal square root and logarithm of a square matrix, or of each of a stack in the last two axes, of the shape of A: sqrtm(A) sqrtm(A) = A and
// expm(logm(A)) = A, with eigenvalues in the right half of the plane, and between -iπ and iπ. The rules are in ruleset/linalg/sqrtm.hpp. Throws
// std::invalid_argument where A is not square, std::domain_error where it is not finite, std::runtime_error where an eigenvalue is 0, or A is real and one is
// negative.
template <algebraic A>
auto sqrtm(A&& a) {
    return detail::stacked_operation<op::sqrtm, true>(std::forward<A>(a));
}
template <algebraic A>
auto logm(A&& a) {
    return detail::stacked_operation<op::logm, true>(std::forward<A>(a));
}
// The X with A X + X B = C, of the shape of C, for a square A of its rows and a square B of its columns. Throws std::invalid_argument where the shapes do not
// fit, std::runtime_error where an eigenvalue of A is one of -B, std::domain_error where a matrix is not finite.
template <algebraic A, algebraic B, algebraic C>
auto sylvester(A&& a, B&& b, C&& c) {
    return detail::algebraic_operation<op::sylvester>(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
}

// A square matrix to a whole power, of its shape, by squaring; a negative one is a power of the inverse, and throws std::runtime_error where A is singular.
// Throws std::invalid_argument where A is not square.
template <algebraic A>
auto matrix_power(A&& a, long n) {
    return detail::algebra(
        [n]<class X>(X&& x) {
            auto const s = x.extent();
            static_assert(
                detail::operand_rank<X> == 2 || detail::operand_rank<X> == dynamic_rank,
                "xgrad[E096]: trace(A), kron(a, b) and matrix norms require matrices (2 dimensions), but an operand has others: reshape it, or take a view "
                "of one matrix");
            if (s.rank() != 2 || s[0] != s[1])
                throw std::invalid_argument("xgrad[E203]: matrix_power(A, n) requires a square matrix A, found " + to_string(s) +
                                            ": give it as many rows as columns");
            variable<primal_t<X>> power(std::forward<X>(x)), result;
            if (n < 0) {
                if constexpr (linalg::has_lapack && linalg::factorable<typename std::remove_cvref_t<X>::value_type>) power = inv(power);
                else throw std::domain_error("xgrad[E217]: matrix_power(A, n) requires a BLAS and LAPACK library for n < 0: install one, or invert A");
            }
            bool begun = false;
            for (auto k = n < 0 ? 0ul - static_cast<unsigned long>(n) : static_cast<unsigned long>(n); k != 0; k /= 2) {
                if (k % 2 == 1) {
                    if (begun) result = dot(result, power);
                    else result = power;
                    begun = true;
                }
                if (k > 1) power = dot(power, power);
            }
            if (!begun) {
                xt::xtensor<scalar_of_t<typename std::remove_cvref_t<X>::value_type>, 2> const identity =
                    xt::eye<scalar_of_t<typename std::remove_cvref_t<X>::value_type>>(s[0]);
                result = power * 0.0 + identity;
            }
            return result;
        },
        std::forward<A>(a));
}

}
