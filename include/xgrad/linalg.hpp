// Defines linear algebra on active and plain arrays: products through BLAS, and factorisations through LAPACK, each kept for its pullback. The umbrella.
//
// Operands may be active, plain, views, transposes or expressions. Shapes that do not fit throw std::invalid_argument with the shapes; a matrix that a
// factorisation cannot take throws std::runtime_error with LAPACK's info, one with NaN or infinity std::domain_error: all in the forward pass.
//
// A cotangent is in the space of what is read: symmetric where a matrix is read as its symmetric part, zero outside of the one triangle or the diagonal
// that is read. Paired with a tangent of that space, Σ Ā(i, j) Ȧ(i, j), it gives the derivative along it. Matrices of up to 4×4 are computed without BLAS,
// LAPACK and the heap.
#pragma once

#include <cstddef>
#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/complex.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/linalg/convolution.hpp>
#include <xgrad/linalg/einsum.hpp>
#include <xgrad/linalg/packed.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/linalg/cholesky.hpp>
#include <xgrad/ruleset/linalg/det.hpp>
#include <xgrad/ruleset/linalg/dot.hpp>
#include <xgrad/ruleset/linalg/eigen.hpp>
#include <xgrad/ruleset/linalg/expm.hpp>
#include <xgrad/ruleset/linalg/general_eigen.hpp>
#include <xgrad/ruleset/linalg/lstsq.hpp>
#include <xgrad/ruleset/linalg/norm.hpp>
#include <xgrad/ruleset/linalg/pinv.hpp>
#include <xgrad/ruleset/linalg/plu.hpp>
#include <xgrad/ruleset/linalg/qr.hpp>
#include <xgrad/ruleset/linalg/solve.hpp>
#include <xgrad/ruleset/linalg/solve_triangular.hpp>
#include <xgrad/ruleset/linalg/svd.hpp>
#include <xgrad/shape.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

namespace detail {
// A result that is real, of complex operands, too.
template <class E>
auto real_of(E&& e) {
    if constexpr (linalg::is_complex<typename std::remove_cvref_t<E>::value_type>) return spelling::real(std::forward<E>(e));
    else return std::forward<E>(e);
}
}

// a b, for vectors (n,) and matrices (m, n) whose inner sizes agree: vector · vector is a scalar. Operands may be active, plain,
// transposed, views or expressions. Throws std::invalid_argument with both shapes where they do not fit.
template <class E1, class E2>
    requires active_pair<E1, E2>
XGRAD_DETAIL_INLINE auto dot(E1&& e1, E2&& e2) {
    return make_formula<op::dot>(std::forward<E1>(e1), std::forward<E2>(e2));
}

template <plain_array E1, plain_array E2>
auto dot(E1 const& a, E2 const& b) {
    using T = std::common_type_t<typename E1::value_type, typename E2::value_type>;
    context& c = plain_context();
    auto const l = as_constant_array<T>(std::cref(a), c);
    auto const r = as_constant_array<T>(std::cref(b), c);
    using rule = array_rule<op::dot>;
    auto const s = rule::shape(l.extent(), r.extent());
    constexpr int R = decltype(s)::capacity == max_dynamic_rank ? dynamic_rank : decltype(s)::capacity;
    if constexpr (R == 0) {
        T y{};
        rule::value(array_ref<T, 0>{&y, {}, {}}, l.source(), r.source());
        return y;
    } else {
        auto y = detail::primal_of_shape<T>(s);
        rule::value(array_ref<T, R>{y.data(), s, row_major_strides(s)}, l.source(), r.source());
        return y;
    }
}

// ---- factorisations of general square matrices, by LU

// A⁻¹ b for a vector b or the columns of a matrix b. Throws std::runtime_error where A is singular.
template <algebraic A, algebraic B>
XGRAD_DETAIL_INLINE auto solve(A&& a, B&& b) {
    return detail::algebraic_operation<op::solve>(std::forward<A>(a), std::forward<B>(b));
}
// A⁻¹; solve(A, b) is better where A⁻¹ b is meant. Throws std::runtime_error where A is singular.
template <algebraic A>
XGRAD_DETAIL_INLINE auto inv(A&& a) {
    return detail::algebraic_operation<op::inv>(std::forward<A>(a));
}
// The determinant. Its gradient at a singular matrix is the matrix of cofactors, and second derivatives are theirs; third ones, and second
// ones by two forward modes, throw std::domain_error there, for more than 4 rows.
template <algebraic A>
XGRAD_DETAIL_INLINE auto det(A&& a) {
    return detail::algebraic_operation<op::det>(std::forward<A>(a));
}
// std::tuple(sign, log|det A|), of which the second is active; of a complex A both are, and the sign is det A / |det A|. Throws std::runtime_error where A is
// singular.
template <algebraic A>
auto slogdet(A&& a) {
    return detail::algebra(
        [](auto&& x) {
            auto const whole = array_operation(op::slogdet<detail::operation_element<decltype(x)>>{}, std::forward<decltype(x)>(x)).share();
            auto const logarithm = detail::part_of(whole, 0, extents<0>{});
            if constexpr (linalg::is_complex<detail::operation_element<decltype(x)>>) {
                auto const size = spelling::real(logarithm);
                return std::tuple(exp(logarithm - size), size);
            } else {
                auto const sign = primal(detail::part_of(whole, 1, extents<0>{}));
                return std::tuple(sign, logarithm);
            }
        },
        std::forward<A>(a));
}

// ---- symmetric positive definite matrices, by Cholesky. A is read as its symmetric part ½ (A + Aᵀ), and its gradient is symmetric; of complex numbers as its
// Hermitian part ½ (A + Aᴴ), and its gradient is Hermitian. These throw std::runtime_error where A is not positive definite.

// The lower triangular L with L Lᵀ = A; of complex numbers L Lᴴ = A, with a real diagonal.
template <algebraic A>
auto cholesky(A&& a) {
    return detail::algebraic_operation<op::cholesky>(std::forward<A>(a));
}
// log det A, which is real.
template <algebraic A>
auto logdet(A&& a) {
    return detail::algebra([]<class X>(X&& x) { return detail::real_of(array_operation(op::logdet<detail::operation_element<X>>{}, std::forward<X>(x))); },
                           std::forward<A>(a));
}
// A⁻¹ b for a vector b or the columns of a matrix b.
template <algebraic A, algebraic B>
auto solve_cholesky(A&& a, B&& b) {
    return detail::algebraic_operation<op::solve_cholesky>(std::forward<A>(a), std::forward<B>(b));
}
// std::tuple(xᵀ A⁻¹ x, log det A), of complex numbers xᴴ A⁻¹ x, from one factorisation: what the logarithm of a Gaussian density is made of.
template <algebraic A, algebraic X>
auto gaussian_quadratic(A&& a, X&& x) {
    return detail::algebra(
        [](auto&&... e) {
            auto const whole = array_operation(op::gaussian_quadratic<detail::operation_element<decltype(e)...>>{}, std::forward<decltype(e)>(e)...).share();
            return std::tuple(detail::real_of(detail::part_of(whole, 0, extents<0>{})), detail::real_of(detail::part_of(whole, 1, extents<0>{})));
        },
        std::forward<A>(a), std::forward<X>(x));
}

// A⁻¹ b for a triangular A, of which only that triangle is read. Throws std::runtime_error where its diagonal has a zero.
template <algebraic A, algebraic B>
auto solve_triangular(A&& a, B&& b, triangle part = triangle::lower) {
    return detail::algebra(
        [part](auto&&... e) { return array_operation(op::solve_triangular<detail::operation_element<decltype(e)...>>{part}, std::forward<decltype(e)>(e)...); },
        std::forward<A>(a), std::forward<B>(b));
}

// ---- decompositions. Several results are parts of one, and their pullback is one.

// std::tuple(w, V): the eigenvalues of a symmetric or Hermitian matrix in ascending order, which are real, and orthonormal eigenvectors, the columns of V. A is
// read as its symmetric or Hermitian part. The signs of the vectors, of complex ones their factors of modulus one, are LAPACK's, and a gradient means something
// where the function does not depend on them. Of active A, throws
// std::domain_error where eigenvalues agree to rounding: no derivative of V exists there.
template <algebraic A>
auto eigh(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            auto const s = x.extent();
            auto const whole = array_operation(op::eigh<detail::operation_element<X>>{active<A>}, std::forward<X>(x)).share();
            std::size_t const n = s.rank() == 2 ? s[0] : 0;
            return std::tuple(detail::real_of(detail::part_of(whole, 0, extents<1>{{n}})), detail::part_of(whole, n, extents<2>{{n, n}}));
        },
        std::forward<A>(a));
}
// The eigenvalues of a symmetric or Hermitian matrix in ascending order. Where some are equal the gradient is right for functions that treat them alike, such
// as sum(log(w)); second derivatives and tangents throw std::domain_error there.
template <algebraic A>
auto eigvalsh(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) { return detail::real_of(array_operation(op::eigvalsh<detail::operation_element<X>>{active<A>}, std::forward<X>(x))); },
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
// The eigenvalues of any square matrix, complex, in the order of LAPACK. Where some are equal the gradient is right for functions that treat them alike, such
// as sum(abs(w)); of active A, throws std::domain_error where there are fewer independent eigenvectors than rows.
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
            auto const s = x.extent();
            auto const whole = array_operation(op::svd<detail::operation_element<X>>{active<A>}, std::forward<X>(x)).share();
            std::size_t const m = s[0], n = s[1], k = std::min(m, n);
            return std::tuple(detail::part_of(whole, 0, extents<2>{{m, k}}), detail::real_of(detail::part_of(whole, m * k, extents<1>{{k}})),
                              detail::part_of(whole, (m + 1) * k, extents<2>{{k, n}}));
        },
        std::forward<A>(a));
}
// The singular values in descending order. Where some are equal the gradient is right for functions that treat them alike; second derivatives and
// tangents throw std::domain_error there.
template <algebraic A>
auto svdvals(A&& a) {
    return detail::algebra([]<class X>(X&& x) { return detail::real_of(array_operation(op::svdvals<detail::operation_element<X>>{}, std::forward<X>(x))); },
                           std::forward<A>(a));
}
// std::tuple(Q, R) of the shapes (m, k), (k, n), k the smaller extent: A = Q R with orthonormal columns of Q. The signs are LAPACK's. Throws
// std::runtime_error where the first k columns of A depend on each other.
template <algebraic A>
auto qr(A&& a) {
    return detail::algebra(
        []<class X>(X&& x) {
            auto const s = x.extent();
            auto const whole = array_operation(op::qr<detail::operation_element<X>>{}, std::forward<X>(x)).share();
            std::size_t const m = s[0], n = s[1], k = std::min(m, n);
            return std::tuple(detail::part_of(whole, 0, extents<2>{{m, k}}), detail::part_of(whole, m * k, extents<2>{{k, n}}));
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
// The x that makes |A x - b| least, for a vector b or the columns of a matrix b; of a wide A the shortest of those that solve A x = b. By one QR
// decomposition. Throws std::runtime_error where A has not full rank: dot(pinv(A), b) is defined there.
template <algebraic A, algebraic B>
auto lstsq(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            using T = detail::operation_element<X, Y>;
            if constexpr (!number_dual<T>) return array_operation(op::lstsq<T>{}, std::forward<X>(x), std::forward<Y>(y));
            else {
                variable<typename detail::primal_of<T, detail::operand_rank<Y>>::type> solution;
                auto const m = detail::window_on_all(detail::active_or_variable<T>(std::forward<X>(x)));
                auto const v = detail::window_on_all(detail::active_or_variable<T>(std::forward<Y>(y)));
                auto const s = m.extent();
                auto const t = v.extent();
                if (s.rank() != 2 || (t.rank() != 1 && t.rank() != 2) || s[0] != t[0])
                    throw std::invalid_argument("xgrad: lstsq(A, b) requires a matrix A and a vector or matrix b of as many rows, found " + to_string(s) +
                                                " and " + to_string(t) + ": transpose or reshape one of them");
                auto const parts = [&](auto const& e, std::size_t rows, std::size_t columns) {
                    auto const whole = array_operation(op::qr<T>{"lstsq(A, b)"}, e).share();
                    return std::pair(detail::part_of(whole, 0, extents<2>{{rows, columns}}),
                                     detail::part_of(whole, rows * columns, extents<2>{{columns, columns}}));
                };
                if (s[0] >= s[1]) {
                    auto const [q, r] = parts(m, s[0], s[1]);
                    if constexpr (linalg::is_complex<T>) solution = solve_triangular(r, dot(conj(transpose(q)), v), triangle::upper);
                    else solution = solve_triangular(r, dot(transpose(q), v), triangle::upper);
                } else {
                    auto const [q, r] = parts(transpose(m), s[1], s[0]);
                    if constexpr (linalg::is_complex<T>) solution = dot(conj(q), solve_triangular(transpose(r), v));
                    else solution = dot(q, solve_triangular(transpose(r), v));
                }
                return solution;
            }
        },
        std::forward<A>(a), std::forward<B>(b));
}
// The Moore-Penrose inverse; singular values up to rcond (or rounding) times the largest count as 0. The gradient is that at constant rank.
template <algebraic A>
auto pinv(A&& a, double rcond = 1e-15) {
    return detail::algebra([rcond]<class X>(X&& x) { return array_operation(op::pinv<detail::operation_element<X>>{rcond}, std::forward<X>(x)); },
                           std::forward<A>(a));
}
// The exponential of a square matrix.
template <algebraic A>
auto expm(A&& a) {
    return detail::algebraic_operation<op::expm>(std::forward<A>(a));
}

// ---- sums and products without a factorisation

// The sum of the elements (i, i + offset) of a matrix.
template <algebraic A>
auto trace(A&& a, std::ptrdiff_t offset = 0) {
    return detail::algebra(
        [offset](auto&& x) {
            using X = std::remove_cvref_t<decltype(x)>;
            static_assert(
                X::rank == 2 || X::rank == dynamic_rank,
                "xgrad[E096]: trace(A), kron(a, b) and matrix norms require matrices (2 dimensions), but an operand has others: reshape it, or take a view "
                "of one matrix");
            auto const p = detail::part_source(std::forward<decltype(x)>(x));
            auto const s = p.extent();
            if (s.rank() != 2)
                throw std::invalid_argument("xgrad: trace(A) requires a matrix, found " + to_string(s) + ": reshape it, or take a view of one matrix");
            auto const& t = detail::steps_of(p);
            auto const at = [&](int d, std::ptrdiff_t skip) { return static_cast<std::ptrdiff_t>(s[d]) - (skip > 0 ? skip : 0); };
            auto const n = std::max<std::ptrdiff_t>(0, std::min(at(0, -offset), at(1, offset)));
            auto const first = n == 0 ? 0 : offset > 0 ? offset * t[1] : -offset * t[0];
            return sum(detail::make_slot_view(p, first, extents<1>{{static_cast<std::size_t>(n)}}, strides<1>{{t[0] + t[1]}}));
        },
        std::forward<A>(a));
}

namespace detail {
// A vector as a column, or as a row.
template <bool Column, class E>
auto as_matrix_of_one(char const* call, E&& e) {
    static_assert(std::remove_cvref_t<E>::rank == 1 || std::remove_cvref_t<E>::rank == dynamic_rank,
                  "xgrad[E097]: outer(a, b) requires vectors (1 dimension), but an operand has others: flatten it by ravel(x)");
    return restride<2>(std::forward<E>(e), [call](auto const& x, auto const& steps, auto& s, auto& t, std::ptrdiff_t&) {
        if (x.rank() != 1) throw std::invalid_argument(std::string("xgrad: ") + call + " requires vectors, found " + to_string(x) + ": flatten it by ravel(x)");
        s = Column ? extents<2>{{x[0], 1}} : extents<2>{{1, x[0]}};
        t = Column ? strides<2>{{steps[0], 0}} : strides<2>{{0, steps[0]}};
    });
}
}

// The matrix of the products a(i) b(j).
template <algebraic A, algebraic B>
auto outer(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            using T = detail::operation_element<X, Y>;
            return dot(detail::as_matrix_of_one<true>("outer(a, b)", detail::active_or_variable<T>(std::forward<X>(x))),
                       detail::as_matrix_of_one<false>("outer(a, b)", detail::active_or_variable<T>(std::forward<Y>(y))));
        },
        std::forward<A>(a), std::forward<B>(b));
}
// Σ a b over all elements of two arrays of one shape; of complex ones Σ conj(a) b.
template <algebraic A, algebraic B>
auto vdot(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            auto const shape_of_operand = [](auto const& e) {
                if constexpr (active<decltype(e)>) return e.extent();
                else return detail::shape_of<rank_of<std::remove_cvref_t<decltype(e)>>>(e);
            };
            auto const s = to_string(shape_of_operand(x)), t = to_string(shape_of_operand(y));
            if (s != t) throw std::invalid_argument("xgrad: vdot(a, b) requires operands of one shape, found " + s + " and " + t + ": reshape one of them");
            // Σ conj(a) b of complex ones, which is the conjugate of Σ a conj(b)
            constexpr bool is_complex = detail::is_complex_number<typename std::remove_cvref_t<X>::value_type>;
            if constexpr (!is_complex) return sum(std::forward<X>(x) * std::forward<Y>(y));
            else if constexpr (active<X>) return sum(conj(std::forward<X>(x)) * std::forward<Y>(y));
            else return conj(sum(std::forward<X>(x) * conj(std::forward<Y>(y))));
        },
        std::forward<A>(a), std::forward<B>(b));
}
// Σ a(..., k) b(..., k) over the last axis: of vectors a number, of matrices a bᵀ.
template <algebraic A, algebraic B>
auto inner(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            if constexpr (active<Y>) return dot(std::forward<X>(x), transpose(std::forward<Y>(y)));
            else return dot(std::forward<X>(x), xt::eval(xt::transpose(y)));
        },
        std::forward<A>(a), std::forward<B>(b));
}
// The Kronecker product of matrices: a(i, j) b in the block (i, j).
template <algebraic A, algebraic B>
auto kron(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            using T = detail::operation_element<X, Y>;
            auto spread = [](auto&& e, int first) {
                constexpr int R = std::remove_cvref_t<decltype(e)>::rank;
                static_assert(
                    R == 2 || R == dynamic_rank,
                    "xgrad[E096]: trace(A), kron(a, b) and matrix norms require matrices (2 dimensions), but an operand has others: reshape it, or take a "
                    "view of one matrix");
                return detail::restride<4>(e, [first](auto const& from, auto const& steps, auto& s, auto& t, std::ptrdiff_t&) {
                    if (from.rank() != 2) throw std::invalid_argument("xgrad: kron(a, b) requires matrices, found " + to_string(from) + ": reshape it");
                    s = {{1, 1, 1, 1}};
                    t = {{0, 0, 0, 0}};
                    for (int d = 0; d < 2; ++d) {
                        s[first + 2 * d] = from[d];
                        t[first + 2 * d] = steps[d];
                    }
                });
            };
            auto u = spread(detail::active_or_variable<T>(std::forward<X>(x)), 0);
            auto v = spread(detail::active_or_variable<T>(std::forward<Y>(y)), 1);
            auto const m = u.extent(), n = v.extent();
            return detail::make_reshape(u * v, extents<2>{{m[0] * n[1], m[2] * n[3]}});
        },
        std::forward<A>(a), std::forward<B>(b));
}

// A to a whole power, by squaring; a negative one is a power of the inverse.
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
                throw std::invalid_argument("xgrad: matrix_power(A, n) requires a square matrix A, found " + to_string(s) +
                                            ": give it as many rows as columns");
            variable<primal_t<X>> power(std::forward<X>(x)), result;
            if (n < 0) {
                if constexpr (linalg::has_lapack && linalg::factorable<typename std::remove_cvref_t<X>::value_type>) power = inv(power);
                else throw std::domain_error("xgrad: matrix_power(A, n) requires a BLAS and LAPACK library for n < 0: install one, or invert A");
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

// ---- norms

// The p-norm of all elements of a vector, for any p: 1, 2, infinity, -infinity, 0 (the number of elements that are not 0), or between. Where a norm has
// a corner its gradient is an element of the subdifferential: 0 at the zero vector, and an equal share for each of several largest elements.
template <algebraic A>
auto norm(A&& a, double p) {
    return detail::algebra(
        [p]<class X>(X&& x) {
            if constexpr (linalg::is_complex<detail::operation_element<X>>) return array_operation(op::vector_norm{p}, abs(std::forward<X>(x)));
            else return array_operation(op::vector_norm{p}, std::forward<X>(x));
        },
        std::forward<A>(a));
}
// The Euclidean norm of a vector, the Frobenius norm of a matrix.
template <algebraic A>
auto norm(A&& a) {
    return detail::algebra([](auto&& x) { return norm_l2(std::forward<decltype(x)>(x)); }, std::forward<A>(a));
}

// The norms of matrices: the largest sum of |a(i, j)| in a column or in a row, the largest singular value, and the sum of all of them.
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
                throw std::invalid_argument("xgrad: norm(A, which) requires a matrix, found " + to_string(s) + ": give norm(x, p) for a vector");
            if constexpr (std::is_same_v<Norm, norms::one_type>) return amax(sum(abs(std::forward<X>(x)), {0}));
            else if constexpr (std::is_same_v<Norm, norms::infinity_type>) return amax(sum(abs(std::forward<X>(x)), {1}));
            else if constexpr (std::is_same_v<Norm, norms::frobenius_type>) return norm_l2(std::forward<X>(x));
            else if constexpr (std::is_same_v<Norm, norms::spectral_type>) return norm(svdvals(std::forward<X>(x)), std::numeric_limits<double>::infinity());
            else return sum(svdvals(std::forward<X>(x)));
        },
        std::forward<A>(a));
}

}
