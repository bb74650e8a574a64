// Defines the norms of vectors and matrices.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/linalg/decompositions.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/linalg/norm.hpp>

namespace xgrad {

// The p-norm of all elements of a vector, for any p: 1, 2, infinity, -infinity, 0 (the number of elements that are not 0), or between. Where a norm has a
// corner its gradient is an element of the subdifferential: 0 at the zero vector, and an equal share for each of several largest elements. Of an array of more
// dimensions it is that of all its elements; of nothing it is 0.
template <algebraic A>
auto norm(A&& a, double p) {
    return detail::algebra(
        [p]<class X>(X&& x) {
            if constexpr (linalg::is_complex<detail::operation_element<X>>) return array_operation(op::vector_norm{p}, abs(std::forward<X>(x)));
            else return array_operation(op::vector_norm{p}, std::forward<X>(x));
        },
        std::forward<A>(a));
}
// The Euclidean norm of a vector, the Frobenius norm of a matrix: a number, of nothing 0, with the derivative 0 where it is 0. Of a complex number it is
// refused: std::norm is the square of that.
template <algebraic A>
auto norm(A&& a) {
    constexpr bool is_number = [] {
        if constexpr (active<A> && detail::operand_rank<A> == 0) return linalg::is_complex<detail::operation_element<A>>;
        else return false;
    }();
    static_assert(!is_number, "xgrad[E159]: norm(z) requires a vector or a matrix, but z is a complex number, of which std::norm is |z|^2: write norm_sq(z) "
                              "for that, or abs(z)");
    return detail::algebra([](auto&& x) { return norm_l2(std::forward<decltype(x)>(x)); }, std::forward<A>(a));
}

// Of a plain number.
template <std::floating_point A>
A norm(A x) { return std::abs(x); }

// Which norm of a matrix norm(A, norms::one) and its like are: the largest sum of |a(i, j)| in a column (one) or in a row (infinity), the root of the sum of
// their squares (frobenius), the largest singular value (spectral), and the sum of all of them (nuclear).
namespace norms {
struct one_type {};
struct infinity_type {};
struct frobenius_type {};
struct spectral_type {};
struct nuclear_type {};
inline constexpr one_type one;
inline constexpr infinity_type infinity;
inline constexpr frobenius_type frobenius;
inline constexpr spectral_type spectral;
inline constexpr nuclear_type nuclear;
}

// norm(A, norms::spectral) and its like: a norm of a matrix, a number. Refuses what is no matrix (E096), of dynamic rank by std::invalid_argument; equal
// extremes share the derivative.
template <algebraic A, class Norm>
    requires requires { sizeof(Norm); } && std::is_empty_v<Norm>
auto norm(A&& a, Norm) {
    return detail::algebra(
        []<class X>(X&& x) {
            static_assert(
                detail::operand_rank<X> == 2 || detail::operand_rank<X> == dynamic_rank,
                "xgrad[E096]: trace(A), kron(a, b) and matrix norms require matrices (2 dimensions), but an operand has others: reshape it, or take a view "
                "of one matrix");
            if (auto const s = x.extent(); s.rank() != 2)
                throw std::invalid_argument("xgrad[E203]: norm(A, which) requires a matrix, found " + to_string(s) + ": give norm(x, p) for a vector");
            if constexpr (std::is_same_v<Norm, norms::one_type>) return amax(sum(abs(std::forward<X>(x)), {0}));
            else if constexpr (std::is_same_v<Norm, norms::infinity_type>) return amax(sum(abs(std::forward<X>(x)), {1}));
            else if constexpr (std::is_same_v<Norm, norms::frobenius_type>) return norm_l2(std::forward<X>(x));
            else if constexpr (std::is_same_v<Norm, norms::spectral_type>) return norm(svdvals(std::forward<X>(x)), std::numeric_limits<double>::infinity());
            else return sum(svdvals(std::forward<X>(x)));
        },
        std::forward<A>(a));
}

}
