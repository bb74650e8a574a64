// Defines what one factorisation of a square matrix gives: solve, inv, det, slogdet, solve_triangular; of positive definite ones cholesky and its like.
#pragma once

#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/complex.hpp>
#include <xgrad/linalg/real_of.hpp>
#include <xgrad/ruleset/linalg/cholesky.hpp>
#include <xgrad/ruleset/linalg/det.hpp>
#include <xgrad/ruleset/linalg/solve.hpp>
#include <xgrad/ruleset/linalg/solve_triangular.hpp>
#include <xgrad/ruleset/linalg/stacked.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

namespace detail {

// Op<T>(e...), for each matrix of a stack where an operand has more than two axes, or, if Dynamic, any number of them.
template <template <class> class Op, bool Dynamic, class... E>
XGRAD_DETAIL_INLINE auto stacked_operation(E&&... e) {
    if constexpr (((operand_rank<E> > 2 || (Dynamic && operand_rank<E> == dynamic_rank)) || ...))
        return algebra([](auto&&... a) { return array_operation(op::stacked<Op<operation_element<decltype(a)...>>>{}, std::forward<decltype(a)>(a)...); },
                       std::forward<E>(e)...);
    else return algebraic_operation<Op>(std::forward<E>(e)...);
}
// The i-th of the parts along the last axis of a result that holds one beside the other.
template <class P>
auto part_along_last(P const& whole, std::ptrdiff_t i) {
    constexpr int R = std::remove_cvref_t<P>::rank;
    extents<R - 1> s{};
    strides<R - 1> t{};
    for (int d = 0; d < R - 1; ++d) s[d] = whole.extent()[d], t[d] = steps_of(whole)[d];
    return make_slot_view(whole, i, s, t);
}

}

// ---- factorisations of general square matrices, by LU. Of more than two axes the last two are those of matrices, and the result has the others, as in NumPy.

// A⁻¹ b for a vector b or the columns of a matrix b, of the shape of b, by LU; the other axes of stacks of matrices broadcast, and a vector is the right side
// of all. Throws std::invalid_argument where A is not square, b has not its rows, or the other axes do not broadcast, std::runtime_error where A is singular,
// std::domain_error where it is not finite. The rule is in ruleset/linalg/solve.hpp.
template <algebraic A, algebraic B>
XGRAD_DETAIL_INLINE auto solve(A&& a, B&& b) {
    return detail::stacked_operation<op::solve, true>(std::forward<A>(a), std::forward<B>(b));
}
// A⁻¹, of the shape of A; solve(A, b) is better where A⁻¹ b is meant. Throws std::invalid_argument where A is not square, std::runtime_error where it is
// singular, std::domain_error where it is not finite.
template <algebraic A>
XGRAD_DETAIL_INLINE auto inv(A&& a) {
    return detail::stacked_operation<op::inv, true>(std::forward<A>(a));
}
// The determinant of a square matrix, a number, of a stack of them an array; std::invalid_argument where it is not square, or of dynamic rank and no matrix.
// Its gradient at a singular matrix is the matrix of cofactors, and second derivatives are theirs; third ones, and second ones by two forward modes, throw
// std::domain_error there, for more than 4 rows.
template <algebraic A>
XGRAD_DETAIL_INLINE auto det(A&& a) {
    return detail::stacked_operation<op::det, false>(std::forward<A>(a));
}
// std::tuple(sign, log|det A|) of a square matrix, of which the second is active; of a complex A both are, and the sign is det A / |det A|. Of a stack of
// matrices both are arrays. Throws std::invalid_argument where A is not square, or of dynamic rank and no matrix, std::runtime_error where it is singular.
template <algebraic A>
auto slogdet(A&& a) {
    return detail::algebra(
        [](auto&& x) {
            auto const whole = detail::stacked_operation<op::slogdet, false>(std::forward<decltype(x)>(x)).share();
            auto const logarithm = detail::part_along_last(whole, 0);
            if constexpr (linalg::is_complex<detail::operation_element<decltype(x)>>) {
                auto const size = spelling::real(logarithm);
                return std::tuple(exp(logarithm - size), size);
            } else {
                auto const sign = primal(detail::part_along_last(whole, 1));
                return std::tuple(sign, logarithm);
            }
        },
        std::forward<A>(a));
}

// ---- symmetric positive definite matrices, by Cholesky. A is read as its symmetric part ½ (A + Aᵀ), and its gradient is symmetric; of complex numbers as its
// Hermitian part ½ (A + Aᴴ), and its gradient is Hermitian. These throw std::runtime_error where A is not positive definite.

// The lower triangular L with L Lᵀ = A, of the shape of A, of a stack of matrices those of all; of complex numbers L Lᴴ = A, with a real diagonal. The rule is
// Murray's (2016): see ruleset/linalg/cholesky.hpp. Throws std::invalid_argument where A is not square, std::runtime_error where it is not positive definite.
template <algebraic A>
auto cholesky(A&& a) {
    return detail::stacked_operation<op::cholesky, true>(std::forward<A>(a));
}
// log det A, a real number. Throws std::invalid_argument where A is not square, std::runtime_error where it is not positive definite.
template <algebraic A>
auto logdet(A&& a) {
    return detail::algebra([]<class X>(X&& x) { return detail::real_of(array_operation(op::logdet<detail::operation_element<X>>{}, std::forward<X>(x))); },
                           std::forward<A>(a));
}
namespace detail {
template <class E>
inline constexpr bool is_cholesky = false;
template <class T, class... A>
inline constexpr bool is_cholesky<formula<op::cholesky<T>, A...>> = true;
template <class T, class... A>
inline constexpr bool is_cholesky<formula<op::lane_by_lane<op::cholesky<T>>, A...>> = true;
}
// A⁻¹ b for a vector b or the columns of a matrix b, of the shape of b. It takes A, and refuses cholesky(A) (E136), which cholesky_solve takes. Throws
// std::invalid_argument where A is not square, b has not its rows, or A is a lower triangle (E245), std::runtime_error where it is not positive definite.
template <algebraic A, algebraic B>
auto solve_cholesky(A&& a, B&& b) {
    static_assert(!detail::is_cholesky<std::remove_cvref_t<A>>,
                  "xgrad[E136]: solve_cholesky(A, b) requires the matrix A itself, but it is given the factor cholesky(A): write cholesky_solve(L, b)");
    return detail::algebraic_operation<op::solve_cholesky>(std::forward<A>(a), std::forward<B>(b));
}
// std::tuple(xᵀ A⁻¹ x, log det A), of complex numbers xᴴ A⁻¹ x, both real numbers, for a vector x (E095), from one factorisation: what the logarithm of a
// Gaussian density is made of. Throws std::invalid_argument where A is not square, std::runtime_error where it is not positive definite.
template <algebraic A, algebraic X>
auto gaussian_quadratic(A&& a, X&& x) {
    return detail::algebra(
        [](auto&&... e) {
            auto const whole = array_operation(op::gaussian_quadratic<detail::operation_element<decltype(e)...>>{}, std::forward<decltype(e)>(e)...).share();
            return std::tuple(detail::real_of(detail::part_of(whole, 0, extents<0>{})), detail::real_of(detail::part_of(whole, 1, extents<0>{})));
        },
        std::forward<A>(a), std::forward<X>(x));
}

// A⁻¹ b for a triangular A, of which only that triangle is read, and a vector b or the columns of a matrix b, of the shape of b. Throws std::invalid_argument
// where A is not square or b has not its rows, std::runtime_error where its diagonal has a zero.
template <algebraic A, algebraic B>
auto solve_triangular(A&& a, B&& b, triangle part = triangle::lower) {
    return detail::algebra(
        [part](auto&&... e) { return array_operation(op::solve_triangular<detail::operation_element<decltype(e)...>>{part}, std::forward<decltype(e)>(e)...); },
        std::forward<A>(a), std::forward<B>(b));
}
// (L Lᵀ)⁻¹ b, of complex numbers (L Lᴴ)⁻¹ b, for a lower triangular L, of which only that triangle is read, such as cholesky(A), and a vector b or the columns
// of a matrix b, of the shape of b: one factor for several b. Throws std::invalid_argument where L is not square or b has not its rows, std::runtime_error
// where its diagonal has a zero.
template <algebraic L, algebraic B>
auto cholesky_solve(L&& l, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            using T = detail::operation_element<X, Y>;
            auto const factor = [&] {
                if constexpr (active<X>) return detail::window_on_all(x);
                else return detail::active_or_variable<T>(x);
            }();
            auto z = solve_triangular(factor, std::forward<Y>(y));
            if constexpr (linalg::is_complex<T>) return solve_triangular(conj(transpose(factor)), std::move(z), triangle::upper);
            else return solve_triangular(transpose(factor), std::move(z), triangle::upper);
        },
        std::forward<L>(l), std::forward<B>(b));
}

}
