// Defines the rules of dot, outer, det, inv and solve of vectors and matrices of up to 4×4 whose shapes are known at compile time.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/ruleset/linalg/few.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct dot;
template <class T>
struct det;
template <class T>
struct inv;
template <class T>
struct solve;
}

namespace linalg {
// y = a b, row by row: each is a sum of rows of b.
template <std::size_t M, std::size_t K, std::size_t N, class T>
XGRAD_DETAIL_INLINE void multiply_fixed(T* y, T const* a, T const* b) {
    xgrad::detail::for_each_index<M>([&](std::size_t i) XGRAD_DETAIL_LAMBDA {
        xgrad::detail::for_each_index<N>([&](std::size_t j) XGRAD_DETAIL_LAMBDA { y[i * N + j] = a[i * K] * b[j]; });
        xgrad::detail::for_each_index<K - 1>([&](std::size_t k) XGRAD_DETAIL_LAMBDA {
            xgrad::detail::for_each_index<N>([&](std::size_t j) XGRAD_DETAIL_LAMBDA { y[i * N + j] += a[i * K + k + 1] * b[(k + 1) * N + j]; });
        });
    });
}
template <std::size_t N>
concept few_rows = (N - 1 < few);
}

// d = det A:  Ā = d̄ C.
template <std::floating_point T, std::size_t N>
    requires linalg::few_rows<N>
struct static_rule<op::det<T>, T, static_extents<N, N>> {
    using shape_type = rank_c<0>;
    using kept = linalg::few_numbers<T, N>;
    XGRAD_DETAIL_INLINE static std::true_type value(kept& c, T* y, static_operands<T, 1> const& x) {
        linalg::few_numbers<T, N> own;
        *y = linalg::determinant_of_few(x[0], own);
        c = own;
        return {};
    }
    XGRAD_DETAIL_INLINE static void pullback(kept const& c, T const* ybar, T const*, static_operands<T, 1> const&, static_targets<T, 1> const& xbar) noexcept {
        T const g = *ybar;
        xbar.template give<0, N * N>([&](std::size_t k) XGRAD_DETAIL_LAMBDA { return g * c.e[k]; });
    }
};

// Y = A⁻¹:  Ā = -A⁻ᵀ Ȳ A⁻ᵀ.
template <std::floating_point T, std::size_t N>
    requires linalg::few_rows<N>
struct static_rule<op::inv<T>, T, static_extents<N, N>> {
    using shape_type = static_extents<N, N>;
    using kept = linalg::few_numbers<T, N>;  // A⁻ᵀ
    XGRAD_DETAIL_INLINE static bool value(kept& inverse, T* y, static_operands<T, 1> const& x) {
        kept t;
        if (!linalg::invert_few(x[0], t)) return false;
        detail::for_each_index<N * N>([&](std::size_t e) XGRAD_DETAIL_LAMBDA { y[e] = t.e[e % N * N + e / N]; });
        detail::for_each_index<N * N>([&](std::size_t e) XGRAD_DETAIL_LAMBDA { inverse.e[e] = t.e[e]; });
        return true;
    }
    XGRAD_DETAIL_INLINE static void pullback(kept const& t, T const* ybar, T const*, static_operands<T, 1> const&, static_targets<T, 1> const& xbar) noexcept {
        linalg::few_numbers<T, N> p, q;
        linalg::multiply_fixed<N, N, N>(p.e, t.e, ybar);
        linalg::multiply_fixed<N, N, N>(q.e, p.e, t.e);
        xbar.template give<0, N * N>([&](std::size_t k) XGRAD_DETAIL_LAMBDA { return -q.e[k]; });
    }
};

// x = A⁻¹ b:  b̄ = A⁻ᵀ x̄,  Ā = -b̄ xᵀ, of one right-hand side or several.
template <std::floating_point T, std::size_t N, std::size_t... M>
    requires linalg::few_rows<N>
struct static_rule<op::solve<T>, T, static_extents<N, N>, static_extents<N, M...>> {
    using shape_type = static_extents<N, M...>;
    static constexpr std::size_t columns = (M * ... * 1);
    using kept = linalg::few_cofactors<T, N>;  // A⁻ᵀ
    XGRAD_DETAIL_INLINE static bool value(kept& inverse, T* y, static_operands<T, 2> const& x) {
        kept t;
        if (!linalg::invert_few(x[0], t)) [[unlikely]] return false;
        T b[N * columns], z[N * columns];
        detail::for_each_index<N * columns>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { b[i] = x[1][i]; });
        // products with b do not overflow where its squares do not
        T const squares = linalg::sum_of<N * columns>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { return b[i] * b[i]; });
        if (!(squares <= std::numeric_limits<T>::max())) [[unlikely]] return false;
        detail::for_each_index<N * columns>([&](std::size_t e) XGRAD_DETAIL_LAMBDA {
            std::size_t const i = e / columns, c = e % columns;
            z[e] = t.r * linalg::sum_of<N>([&](std::size_t k) XGRAD_DETAIL_LAMBDA { return t.c.e[k * N + i] * b[k * columns + c]; });
        });
        detail::for_each_index<N * columns>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { y[i] = z[i]; });
        detail::for_each_index<N * N>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { inverse.c.e[i] = t.c.e[i]; });
        inverse.r = t.r;
        return true;
    }
    XGRAD_DETAIL_INLINE static void pullback(kept const& t, T const* ybar, T const* y, static_operands<T, 2> const&,
                                             static_targets<T, 2> const& xbar) noexcept {
        T w[N * columns];
        detail::for_each_index<N * columns>([&](std::size_t e) XGRAD_DETAIL_LAMBDA {
            std::size_t const i = e / columns, c = e % columns;
            w[e] = t.r * linalg::sum_of<N>([&](std::size_t k) XGRAD_DETAIL_LAMBDA { return t.c.e[i * N + k] * ybar[k * columns + c]; });
        });
        if (xbar.data[0])
            xbar.template give<0, N * N>([&](std::size_t e) XGRAD_DETAIL_LAMBDA {
                std::size_t const i = e / N * columns, j = e % N * columns;
                return linalg::sum_of<columns>([&](std::size_t c) XGRAD_DETAIL_LAMBDA { return -w[i + c] * y[j + c]; });
            });
        if (xbar.data[1]) xbar.template give<1, N * columns>([&](std::size_t k) XGRAD_DETAIL_LAMBDA { return w[k]; });
    }
};

// y = a b:  ā = ȳ bᵀ,  b̄ = aᵀ ȳ; a vector is a column on the right, a row on the left.
namespace linalg {
template <std::size_t M, std::size_t K, std::size_t N, class Y>
struct fixed_product {
    using shape_type = Y;
    struct kept {};
    template <class T>
    XGRAD_DETAIL_INLINE static std::true_type value(kept&, T* y, static_operands<T, 2> const& x) {
        multiply_fixed<M, K, N>(y, x[0], x[1]);
        return {};
    }
    template <class T>
    XGRAD_DETAIL_INLINE static void pullback(kept const&, T const* ybar, T const*, static_operands<T, 2> const& x, static_targets<T, 2> const& xbar) noexcept {
        if (xbar.data[0])
            xbar.template give<0, M * K>([&](std::size_t e) XGRAD_DETAIL_LAMBDA {
                std::size_t const i = e / K * N, k = e % K * N;
                return sum_of<N>([&](std::size_t j) XGRAD_DETAIL_LAMBDA { return ybar[i + j] * x[1][k + j]; });
            });
        if (xbar.data[1])
            xbar.template give<1, K * N>([&](std::size_t e) XGRAD_DETAIL_LAMBDA {
                std::size_t const k = e / N, j = e % N;
                return sum_of<M>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { return x[0][i * K + k] * ybar[i * N + j]; });
            });
    }
};
template <std::size_t... N>
concept few_extents = ((N - 1 < few) && ...);
}
template <std::floating_point T, std::size_t M, std::size_t K, std::size_t N>
    requires linalg::few_extents<M, K, N>
struct static_rule<op::dot, T, static_extents<M, K>, static_extents<K, N>> : linalg::fixed_product<M, K, N, static_extents<M, N>> {};
template <std::floating_point T, std::size_t M, std::size_t K>
    requires linalg::few_extents<M, K>
struct static_rule<op::dot, T, static_extents<M, K>, static_extents<K>> : linalg::fixed_product<M, K, 1, static_extents<M>> {};
template <std::floating_point T, std::size_t K, std::size_t N>
    requires linalg::few_extents<K, N>
struct static_rule<op::dot, T, static_extents<K>, static_extents<K, N>> : linalg::fixed_product<1, K, N, static_extents<N>> {};
template <std::floating_point T, std::size_t K>
    requires linalg::few_extents<K>
struct static_rule<op::dot, T, static_extents<K>, static_extents<K>> : linalg::fixed_product<1, K, 1, rank_c<0>> {};

// outer(a, b), where both shapes are known; of others it is a dot.
namespace op {
struct outer {
    static constexpr char const* name = "outer(a, b)";
};
}
template <>
struct array_rule<op::outer> {
    template <int, int>
    static constexpr int rank = 2;
    static extents<2> shape(extents<1> const& a, extents<1> const& b) { return {{a[0], b[0]}}; }
    template <class Y, class A, class B>
    static void value(Y const& y, A const& a, B const& b) noexcept {
        each(y, [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t at) { y.data[at] = a.data[i * a.stride[0]] * b.data[j * b.stride[0]]; });
    }
    template <int I, class G, class Y, class A, class B>
    static void pullback(G const& xbar, bool add, Y const& ybar, Y const&, A const& a, B const& b) noexcept {
        using T = typename G::value_type;
        if (!add)
            for (std::size_t i = 0; i < xbar.shape[0]; ++i) xbar.data[static_cast<std::ptrdiff_t>(i) * xbar.stride[0]] = T(0);
        each(ybar, [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t at) {
            auto& to = xbar.data[(I == 0 ? i : j) * xbar.stride[0]];
            if constexpr (I == 0) to = T(to + ybar.data[at] * b.data[j * b.stride[0]]);
            else to = T(to + ybar.data[at] * a.data[i * a.stride[0]]);
        });
    }

private:
    template <class Y, class F>
    static void each(Y const& y, F f) noexcept {
        for (std::size_t k = 0; k < y.shape[0]; ++k)
            for (std::size_t l = 0; l < y.shape[1]; ++l) {
                auto const i = static_cast<std::ptrdiff_t>(k), j = static_cast<std::ptrdiff_t>(l);
                f(i, j, i * y.stride[0] + j * y.stride[1]);
            }
    }
};
template <std::floating_point T, std::size_t M, std::size_t N>
    requires linalg::few_extents<M, N>
struct static_rule<op::outer, T, static_extents<M>, static_extents<N>> : linalg::fixed_product<M, 1, N, static_extents<M, N>> {};

}
XGRAD_DETAIL_QUIET_END
