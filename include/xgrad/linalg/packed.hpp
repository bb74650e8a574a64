// Defines symmetric(packed), lower_triangular(packed) and packed(A): matrices as n (n + 1) / 2 numbers, the lower triangle row by row, as LAPACK packs it.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/ruleset/linalg/packed.hpp>

namespace xgrad {

// The symmetric matrix (n, n) of a line of n (n + 1) / 2 numbers: a number outside the diagonal stands twice, and its cotangent is the sum of both places.
// Throws std::invalid_argument where the numbers are not as many for any n.
template <algebraic A>
auto symmetric(A&& packed) {
    return detail::algebra([]<class X>(X&& x) { return array_operation(op::unpack<true>{}, std::forward<X>(x)); }, std::forward<A>(packed));
}
// The lower triangular matrix (n, n) of a line of n (n + 1) / 2 numbers, with zeros above the diagonal. Throws std::invalid_argument where the numbers are not
// as many for any n.
template <algebraic A>
auto lower_triangular(A&& packed) {
    return detail::algebra([]<class X>(X&& x) { return array_operation(op::unpack<false>{}, std::forward<X>(x)); }, std::forward<A>(packed));
}
// The lower triangle of a square matrix, row by row, a line of n (n + 1) / 2 numbers; what is above it is not read. Throws std::invalid_argument where A is not
// square.
template <algebraic A>
auto packed(A&& a) {
    return detail::algebra([]<class X>(X&& x) { return array_operation(op::pack{}, std::forward<X>(x)); }, std::forward<A>(a));
}

}
