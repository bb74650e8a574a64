// Defines the decompositions of matrices: eigh, eig, svd and what they have alone, qr and lu. Several results are parts of one, and their pullback is one.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/linalg/real_of.hpp>
#include <xgrad/ruleset/linalg/eigen.hpp>
#include <xgrad/ruleset/linalg/general_eigen.hpp>
#include <xgrad/ruleset/linalg/plu.hpp>
#include <xgrad/ruleset/linalg/qr.hpp>
#include <xgrad/ruleset/linalg/stacked.hpp>
#include <xgrad/ruleset/linalg/svd.hpp>
#include <xgrad/shape.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

// ---- Of an A with more than two axes, whose number is static, all but eig, eigvals and lu take each matrix in the last two, as in NumPy.

namespace detail {
// An operation on a matrix, or on each of a stack of them, whose results lie along the last axis of one array.
template <class Op, class X>
auto each_decomposed(Op op, X&& x) {
    if constexpr (std::remove_cvref_t<X>::rank > 2) return array_operation(op::stacked<Op>{std::move(op)}, std::forward<X>(x));
    else return array_operation(std::move(op), std::forward<X>(x));
}
// The rows and columns of a matrix, or of each of a stack; of what is no matrix the operation says so.
template <int R>
std::pair<std::size_t, std::size_t> rows_and_columns(extents<R> const& s) {
    if (s.rank() < 2) return {};
    return {s[s.rank() - 2], s[s.rank() - 1]};
}
// Of each row along the last axis of such an array what lies behind `offset`, of the shape `part`.
template <int C, class P>
auto part_of_each(P const& whole, std::size_t offset, extents<C> const& part) {
    constexpr int B = std::remove_cvref_t<P>::rank - 1;
    extents<B + C> s{};
    strides<B + C> t{};
    auto const own = row_major_strides(part);
    for (int d = 0; d < B; ++d) s[d] = whole.extent()[d], t[d] = steps_of(whole)[d];
    for (int d = 0; d < C; ++d) s[B + d] = part[d], t[B + d] = own[d];
    return make_slot_view(whole, static_cast<std::ptrdiff_t>(offset), s, t);
}
}

// std::tuple(w, V): the eigenvalues of a symmetric or Hermitian matrix in ascending order, which are real, and orthonormal eigenvectors, the columns of V. A is
// read as its symmetric or Hermitian part. The signs of the vectors, of complex ones their factors of modulus one, are LAPACK's, and a gradient means something
// where the function does not depend on them. Of active A, throws
// std::domain_error where eigenvalues agree to rounding: no derivative of V exists there.
template <algebraic A>
auto eigh(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            std::size_t const n = detail::rows_and_columns(x.extent()).first;
            auto const whole = detail::each_decomposed(op::eigh<detail::operation_element<X>>{active<A>}, std::forward<X>(x)).share();
            return std::tuple(detail::real_of(detail::part_of_each(whole, 0, extents<1>{{n}})), detail::part_of_each(whole, n, extents<2>{{n, n}}));
        },
        std::forward<A>(a));
}
// The eigenvalues of a symmetric or Hermitian matrix in ascending order, (n,) real numbers. Where some are equal the gradient is right for functions that treat
// them alike, such as sum(log(w)); second derivatives and tangents throw std::domain_error there. Throws std::invalid_argument where A is not square.
template <algebraic A>
auto eigvalsh(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) { return detail::real_of(detail::each_decomposed(op::eigvalsh<detail::operation_element<X>>{active<A>}, std::forward<X>(x))); },
        std::forward<A>(a));
}
namespace detail {
// An active array of real numbers as one of complex numbers.
template <class X>
auto as_complex(X&& x) {
    using T = typename std::remove_cvref_t<X>::value_type;
    if constexpr (linalg::is_complex<T>) return std::forward<X>(x);
    else return std::forward<X>(x) + std::complex<scalar_of_t<T>>(0);
}
}
// std::tuple(w, V): the eigenvalues of any square matrix in the order of LAPACK, and its eigenvectors, the columns of V, each of length one: complex, of a real
// A, too, and then in pairs of conjugates. Their factors of modulus one are LAPACK's, and a gradient means something where the function does not depend on
// them. Of active A, throws std::domain_error where eigenvalues agree to rounding, or where there are fewer independent eigenvectors than rows: no derivative
// exists there.
template <algebraic A>
auto eig(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            auto const s = x.extent();
            auto z = detail::as_complex(std::forward<X>(x));
            auto const whole = array_operation(op::eig<detail::operation_element<decltype(z)>>{active<A>}, std::move(z)).share();
            std::size_t const n = s.rank() == 2 ? s[0] : 0;
            return std::tuple(detail::part_of(whole, 0, extents<1>{{n}}), detail::part_of(whole, n, extents<2>{{n, n}}));
        },
        std::forward<A>(a));
}
// The eigenvalues of any square matrix, (n,) complex numbers, in the order of LAPACK. Where some are equal the gradient is right for functions that treat them
// alike, such as sum(abs(w)); of active A, throws std::domain_error where there are fewer independent eigenvectors than rows, and std::invalid_argument where A
// is not square.
template <algebraic A>
auto eigvals(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            auto z = detail::as_complex(std::forward<X>(x));
            return array_operation(op::eigvals<detail::operation_element<decltype(z)>>{active<A>}, std::move(z));
        },
        std::forward<A>(a));
}
// std::tuple(U, s, Vᵀ) of the shapes (m, k), (k,), (k, n), k the smaller extent: A = U diag(s) Vᵀ, s in descending order. Of complex
// numbers the last is Vᴴ, and s is real. As for eigh, the signs are
// LAPACK's; of active A, throws std::domain_error where singular values agree to rounding, or where A is not square and one is 0.
template <algebraic A>
auto svd(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            auto const [m, n] = detail::rows_and_columns(x.extent());
            auto const whole = detail::each_decomposed(op::svd<detail::operation_element<X>>{active<A>}, std::forward<X>(x)).share();
            std::size_t const k = std::min(m, n);
            return std::tuple(detail::part_of_each(whole, 0, extents<2>{{m, k}}), detail::real_of(detail::part_of_each(whole, m * k, extents<1>{{k}})),
                              detail::part_of_each(whole, (m + 1) * k, extents<2>{{k, n}}));
        },
        std::forward<A>(a));
}
// The singular values in descending order, (k,) real numbers. Where some are equal the gradient is right for functions that treat them alike; second
// derivatives and tangents throw std::domain_error there. Refuses what is no matrix (E058), of dynamic rank by std::invalid_argument.
template <algebraic A>
auto svdvals(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) { return detail::real_of(detail::each_decomposed(op::svdvals<detail::operation_element<X>>{}, std::forward<X>(x))); },
        std::forward<A>(a));
}
// std::tuple(Q, R) of the shapes (m, k), (k, n), k the smaller extent: A = Q R with orthonormal columns of Q. The signs are LAPACK's. Throws
// std::runtime_error where the first k columns of A depend on each other.
template <algebraic A>
auto qr(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            auto const [m, n] = detail::rows_and_columns(x.extent());
            auto const whole = detail::each_decomposed(op::qr<detail::operation_element<X>>{}, std::forward<X>(x)).share();
            std::size_t const k = std::min(m, n);
            return std::tuple(detail::part_of_each(whole, 0, extents<2>{{m, k}}), detail::part_of_each(whole, m * k, extents<2>{{k, n}}));
        },
        std::forward<A>(a));
}
// std::tuple(P, L, U) of the shapes (m, m), (m, k), (k, n), k the smaller extent: A = P L U with the permutation matrix P, which is plain, ones on the diagonal
// of L, and zeros above that of L and below that of U. Of active A, throws std::runtime_error where the first k columns of A depend on each other.
template <algebraic A>
auto lu(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            using T = detail::operation_element<X>;
            static_assert(!is_pack<T>, "xgrad[E190]: lu(A) in a function of map requires that the function declares no result type, but it does, so that it "
                                       "takes its items by SIMD registers, and each has a permutation of its own: leave out -> xgrad::real, or take solve, "
                                       "inv, det or qr");
            auto const s = x.extent();
            auto const whole = array_operation(op::lu<T>{active<A>}, std::forward<X>(x)).share();
            std::size_t const m = s[0], n = s[1], k = std::min(m, n);
            auto const rows = detail::primal_copy(detail::part_of(whole, (m + n) * k, extents<1>{{m}}).source());
            xt::xtensor<scalar_of_t<T>, 2> p = xt::zeros<scalar_of_t<T>>({m, m});
            for (std::size_t i = 0; i < m; ++i) p(static_cast<std::size_t>(std::real(rows(i))), i) = 1;
            return std::tuple(std::move(p), detail::part_of(whole, 0, extents<2>{{m, k}}), detail::part_of(whole, m * k, extents<2>{{k, n}}));
        },
        std::forward<A>(a));
}

}
