// Defines the rule of dot: products of vectors and matrices, each cotangent one BLAS call that assigns or adds in place.
//
// y = a b;   ā = ȳ bᵀ,   b̄ = aᵀ ȳ   (Giles 2008, "Collected matrix derivative results", 2.2.2); a vector is a column on the right, a row on the left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/multilinear.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/linalg/few_rules.hpp>
#include <xgrad/ruleset/linalg/product.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct dot {};
}

template <> inline constexpr bool takes_complex<op::dot> = true;
template <>
struct array_rule<op::dot> {
private:
    template <int A, int B>
    static consteval int rank_of_result() {
        if constexpr (A == dynamic_rank || B == dynamic_rank) return dynamic_rank;
        else {
            static_assert((A == 1 || A == 2) && (B == 1 || B == 2),
                          "xgrad[E040]: dot(a, b) requires vectors or matrices (1 or 2 dimensions): reshape the operands, or multiply a scalar with *");
            return A + B - 2;
        }
    }
    template <class T, int R>
    static matrix_ref<T> matrix(array_ref<T, R> const& a) noexcept {
        return {a.data, static_cast<std::ptrdiff_t>(a.shape[0]), static_cast<std::ptrdiff_t>(a.shape[1]), a.stride[0], a.stride[1]};
    }
    template <class T, int R>
    static vector_ref<T> vector(array_ref<T, R> const& a) noexcept {
        return {a.data, static_cast<std::ptrdiff_t>(a.shape[0]), a.stride[0]};
    }
    // Calls f(a is a matrix, b is a matrix); both are constants where the ranks are static.
    template <int A, int B, class F>
    static void by_rank(int a, int b, F f) {
        using yes = std::true_type;
        using no = std::false_type;
        if constexpr (A != dynamic_rank && B != dynamic_rank) f(std::bool_constant<A == 2>{}, std::bool_constant<B == 2>{});
        else if (a == 2) b == 2 ? f(yes{}, yes{}) : f(yes{}, no{});
        else b == 2 ? f(no{}, yes{}) : f(no{}, no{});
    }

public:
    template <int A, int B>
    static constexpr int rank = rank_of_result<A, B>();

    template <int A, int B>
    static extents<rank<A, B>> shape(extents<A> const& a, extents<B> const& b) {
        bool const ranks = (a.rank() == 1 || a.rank() == 2) && (b.rank() == 1 || b.rank() == 2);
        if (!ranks || a[a.rank() - 1] != b[0])
            throw std::invalid_argument("xgrad[E203]: dot(a, b) requires " +
                                        std::string(ranks ? "as many columns of a as rows of b" : "operands of 1 or 2 dimensions") + ", found " + to_string(a) +
                                        " and " + to_string(b) + ": transpose or reshape one of them");
        extents<rank<A, B>> r{};
        r.set_rank(a.rank() + b.rank() - 2);
        if (a.rank() == 2) r[0] = a[0];
        if (b.rank() == 2) r[a.rank() - 1] = b[1];
        return r;
    }

    template <class T, int R, class A, class B>
    static void value(array_ref<T, R> const& y, A const& a, B const& b) noexcept {
        multilinear(y, false, a, b, [](auto const& z, bool add, auto const& u, auto const& v) { multiply(z, add, u, v); });
    }

    static constexpr bool pulls_without_value = true;
    template <int I, class T, int X, class Y, class A, class B>
    static void pullback(array_ref<T, X> const& xbar, bool add, Y const& ybar, Y const&, A const& a, B const& b) noexcept {
        if constexpr (I == 0)
            multilinear(xbar, add, ybar, b, [](auto const& z, bool more, auto const& g, auto const& v) { pull_left<A::rank>(z, more, g, v); });
        else multilinear(xbar, add, ybar, a, [](auto const& z, bool more, auto const& g, auto const& u) { pull_right<B::rank>(z, more, g, u); });
    }

private:
    // y = a b
    template <class T, int R, int A, int B>
    static void multiply(array_ref<T, R> const& y, bool add, array_ref<T const, A> const& a, array_ref<T const, B> const& b) noexcept {
        by_rank<A, B>(a.shape.rank(), b.shape.rank(), [&](auto am, auto bm) {
            if constexpr (am() && bm()) product<T>(matrix(a), matrix(b), matrix(y), add);
            else if constexpr (am()) linalg::product<T>(matrix(a), vector(b), vector(y), add);
            else if constexpr (bm()) linalg::product<T>(vector(a), matrix(b), vector(y), add);
            else {
                T const p = linalg::inner(vector(a), vector(b));
                *y.data = add ? *y.data + p : p;
            }
        });
    }
    // ā = ȳ bᵀ
    template <int A, class T, int X, int R, int B>
    static void pull_left(array_ref<T, X> const& abar, bool add, array_ref<T const, R> const& ybar, array_ref<T const, B> const& b) noexcept {
        by_rank<A, B>(abar.shape.rank(), b.shape.rank(), [&](auto am, auto bm) {
            if constexpr (am() && bm()) product<T>(matrix(ybar), transposed(matrix(b)), matrix(abar), add);
            else if constexpr (am()) linalg::outer<T>(vector(ybar), vector(b), matrix(abar), add);
            else if constexpr (bm()) linalg::product<T>(matrix(b), vector(ybar), vector(abar), add);
            else scaled(T(*ybar.data), vector(b), vector(abar), add);
        });
    }
    // b̄ = aᵀ ȳ
    template <int B, class T, int X, int R, int A>
    static void pull_right(array_ref<T, X> const& bbar, bool add, array_ref<T const, R> const& ybar, array_ref<T const, A> const& a) noexcept {
        by_rank<A, B>(a.shape.rank(), bbar.shape.rank(), [&](auto am, auto bm) {
            if constexpr (am() && bm()) product<T>(transposed(matrix(a)), matrix(ybar), matrix(bbar), add);
            else if constexpr (am()) linalg::product<T>(transposed(matrix(a)), vector(ybar), vector(bbar), add);
            else if constexpr (bm()) linalg::outer<T>(vector(a), vector(ybar), matrix(bbar), add);
            else scaled(T(*ybar.data), vector(a), vector(bbar), add);
        });
    }
    // So small a product takes less time than a call of BLAS.
    static bool is_small(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t middle) noexcept {
        return std::max({rows, columns, middle}) <= static_cast<std::ptrdiff_t>(linalg::few);
    }
    template <class T>
    static linalg::dense<T> dense(matrix_ref<T> const& a) noexcept {
        return {a.data, {{static_cast<std::size_t>(a.rows), static_cast<std::size_t>(a.cols)}}, {{a.row_stride, a.col_stride}}};
    }
    template <class T>
    static void product(matrix_ref<T const> const& a, matrix_ref<T const> const& b, matrix_ref<T> const& y, bool add) noexcept {
        if (!is_small(y.rows, y.cols, a.cols)) return linalg::product<T>(a, b, y, add);
        if (a.cols == a.rows && b.cols == a.cols && a.rows != 0)
            return linalg::with_few(static_cast<std::size_t>(a.rows), [&](auto n) { linalg::multiply_few<n()>(dense(y), add, dense(a), dense(b)); });
        linalg::plain::product<T>(a, b, y, add);
    }
    template <class T>
    static void scaled(T const& alpha, vector_ref<T const> x, vector_ref<T> y, bool add) noexcept {
        if (add) linalg::axpy<T>(alpha, x, y);
        else
            for (std::ptrdiff_t i = 0; i < y.size; ++i) y[i] = alpha * x[i];
    }
};

}
XGRAD_DETAIL_QUIET_END
