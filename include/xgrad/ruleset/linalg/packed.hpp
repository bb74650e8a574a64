// Defines the rules of matrices of packed numbers: p(i (i + 1) / 2 + j) stands in row i and column j ≤ i.
//
// Each is linear: of a symmetric matrix p̄ = Ā(i, j) + Ā(j, i) outside the diagonal, of a triangular one Ā(i, j).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <bool Symmetric>
struct unpack {};
struct pack {};
}

namespace linalg {

// f(k, i, j) for the k-th packed number.
template <class F>
void each_packed(std::size_t n, F const& f) {
    std::ptrdiff_t k = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) f(k++, static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(j));
}
template <class T, class U>
void assign_or_add(T const& p, bool add, U const& v) {
    if (add) *p = U(U(*p) + v);
    else *p = v;
}

}

template <bool Symmetric> inline constexpr bool takes_complex<op::unpack<Symmetric>> = true;
template <> inline constexpr bool takes_complex<op::pack> = true;
template <bool Symmetric>
struct array_rule<op::unpack<Symmetric>> {
    template <int X>
    static constexpr int rank = X == dynamic_rank ? dynamic_rank : 2;
    template <int X>
    static extents<rank<X>> shape(extents<X> const& x) {
        static_assert(
            X == 1 || X == dynamic_rank,
            "xgrad[E111]: symmetric(packed) and lower_triangular(packed) require a vector (1 dimension), but packed has others: flatten it by ravel(x)");
        std::size_t n = 0, room = 0;
        while (x.rank() == 1 && room < x[0]) room += ++n;
        if (x.rank() != 1 || room != x[0])
            throw std::invalid_argument(std::string("xgrad[E207]: ") + (Symmetric ? "symmetric" : "lower_triangular") +
                                        "(packed) requires n (n + 1) / 2 numbers, found " + to_string(x) + ": give as many as a triangle of n rows has");
        extents<rank<X>> y{};
        y.set_rank(2);
        y[0] = y[1] = n;
        return y;
    }
    template <class T, int Y, class X>
    static void value(array_ref<T, Y> const& y, X const& x) noexcept {
        linalg::each_packed(y.shape[0], [&](std::ptrdiff_t k, std::ptrdiff_t i, std::ptrdiff_t j) {
            T const v = T(x.data[k * x.stride[0]]);
            y.data[i * y.stride[0] + j * y.stride[1]] = v;
            if (i != j) y.data[j * y.stride[0] + i * y.stride[1]] = Symmetric ? v : T(0);
        });
    }
    template <int I, class T, int B, class Y, class X>
    static void pullback(array_ref<T, B> const& xbar, bool add, Y const& ybar, Y const&, X const&) noexcept {
        linalg::each_packed(ybar.shape[0], [&](std::ptrdiff_t k, std::ptrdiff_t i, std::ptrdiff_t j) {
            T v = T(ybar.data[i * ybar.stride[0] + j * ybar.stride[1]]);
            if (Symmetric && i != j) v = v + T(ybar.data[j * ybar.stride[0] + i * ybar.stride[1]]);
            linalg::assign_or_add(xbar.data + k * xbar.stride[0], add, v);
        });
    }
};

template <>
struct array_rule<op::pack> {
    template <int X>
    static constexpr int rank = X == dynamic_rank ? dynamic_rank : 1;
    template <int X>
    static extents<rank<X>> shape(extents<X> const& x) {
        static_assert(X == 2 || X == dynamic_rank,
                      "xgrad[E112]: packed(A) requires a matrix (2 dimensions), but A has others: reshape it, or take a view of one matrix");
        if (x.rank() != 2 || x[0] != x[1])
            throw std::invalid_argument("xgrad[E203]: packed(A) requires a square matrix A, found " + to_string(x) + ": give it as many rows as columns");
        extents<rank<X>> y{};
        y.set_rank(1);
        y[0] = x[0] * (x[0] + 1) / 2;
        return y;
    }
    template <class T, int Y, class X>
    static void value(array_ref<T, Y> const& y, X const& x) noexcept {
        linalg::each_packed(
            x.shape[0], [&](std::ptrdiff_t k, std::ptrdiff_t i, std::ptrdiff_t j) { y.data[k * y.stride[0]] = T(x.data[i * x.stride[0] + j * x.stride[1]]); });
    }
    template <int I, class T, int B, class Y, class X>
    static void pullback(array_ref<T, B> const& xbar, bool add, Y const& ybar, Y const&, X const&) noexcept {
        linalg::each_packed(xbar.shape[0], [&](std::ptrdiff_t k, std::ptrdiff_t i, std::ptrdiff_t j) {
            linalg::assign_or_add(xbar.data + (i * xbar.stride[0] + j * xbar.stride[1]), add, T(ybar.data[k * ybar.stride[0]]));
            if (i != j && !add) xbar.data[j * xbar.stride[0] + i * xbar.stride[1]] = T(0);
        });
    }
};

}
XGRAD_DETAIL_QUIET_END
