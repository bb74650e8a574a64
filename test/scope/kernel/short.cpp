// Short kernels: of few elements, whose arrays lie flat, or are copied: beside the same of operands that are written out, which lie flat.
#include <cmath>
#include <cstddef>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using by_columns = xt::xtensor<double, 2, xt::layout_type::column_major>;
using cube = xt::xtensor<double, 3>;

template <class A>
A filled(typename A::shape_type const& shape, double phase) {
    A x = A::from_shape(shape);
    std::size_t i = 0;
    for (auto& e : x) e = static_cast<typename A::value_type>(1.5 + std::sin(0.7 * static_cast<double>(i++) + phase));
    return x;
}
template <class A, class B>
void check_same(A const& found, B const& expected, char const* what, double within = 1e-13) {
    BOOST_REQUIRE_EQUAL_COLLECTIONS(found.shape().begin(), found.shape().end(), expected.shape().begin(), expected.shape().end());
    auto e = expected.cbegin();
    for (auto const& x : found) {
        BOOST_TEST(std::abs(static_cast<double>(x) - *e) <= within * (1 + std::abs(*e)), what << ": " << x << ", not " << *e);
        ++e;
    }
}
// Each of a matrix's elements by its indices.
template <class F>
matrix by_elements(std::size_t m, std::size_t n, F f) {
    auto y = matrix::from_shape({m, n});
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) y(i, j) = f(i, j);
    return y;
}

constexpr std::size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20};

}

// x p + x c r + t x, of a matrix, a column, a row, and a matrix whose transpose is used; x by columns, so that the first that it takes goes by a copy.
constexpr auto of_operands = [](auto const& x, auto const& p, auto const& c, auto const& r, auto const& t) {
    xgrad::variable y = x * p + x * c * r + xgrad::transpose(t) * x;
    return sum(square(y));
};
template <class T, class X>
void check_operands() {
    using row = xt::xtensor<T, 1>;
    using rows = xt::xtensor<T, 2>;
    double const within = sizeof(T) == 4 ? 1e-5 : 1e-13;
    for (std::size_t m : lengths)
        for (std::size_t n : lengths) {
            auto const x = filled<X>({m, n}, 0.0);
            auto const p = filled<rows>({m, n}, 1.0), c = filled<rows>({m, 1}, 2.0), t = filled<rows>({n, m}, 4.0);
            auto const r = filled<row>({n}, 3.0);
            auto const [xbar, pbar, cbar, rbar, tbar] = xgrad::gradient(of_operands, x, p, c, r, t);
            auto const ybar = [&](std::size_t i, std::size_t j) {
                double const a = x(i, j);
                return 2.0 * (a * p(i, j) + a * c(i, 0) * r(j) + t(j, i) * a);
            };
            auto const slope = [&](std::size_t i, std::size_t j) { return static_cast<double>(p(i, j) + c(i, 0) * r(j) + t(j, i)); };
            check_same(xbar, by_elements(m, n, [&](auto i, auto j) { return ybar(i, j) * slope(i, j); }), "x", within);
            check_same(pbar, by_elements(m, n, [&](auto i, auto j) { return ybar(i, j) * static_cast<double>(x(i, j)); }), "p", within);
            check_same(tbar, by_elements(n, m, [&](auto j, auto i) { return ybar(i, j) * static_cast<double>(x(i, j)); }), "t", within);
            matrix const cr = by_elements(m, n, [&](auto i, auto j) { return ybar(i, j) * static_cast<double>(x(i, j)); });
            matrix const to_c = by_elements(m, 1, [&](auto i, auto) {
                double s = 0;
                for (std::size_t j = 0; j < n; ++j) s += cr(i, j) * static_cast<double>(r(j));
                return s;
            });
            vector to_r = vector::from_shape({n});
            for (std::size_t j = 0; j < n; ++j) {
                to_r(j) = 0;
                for (std::size_t i = 0; i < m; ++i) to_r(j) += cr(i, j) * static_cast<double>(c(i, 0));
            }
            check_same(cbar, to_c, "c", 10 * within);
            check_same(rbar, to_r, "r", 10 * within);
        }
}
BOOST_AUTO_TEST_CASE(operands_of_every_layout) {
    check_operands<double, matrix>();
    check_operands<double, by_columns>();
    check_operands<float, xt::xtensor<float, 2, xt::layout_type::column_major>>();
}

// Columns, steps backwards, and overlapping parts of one array, some of which lie flat.
constexpr auto of_parts = [](auto const& m, auto const& w) {
    auto const n = static_cast<std::ptrdiff_t>(w.shape(0));
    auto const from = [n](std::ptrdiff_t i) { return xt::range(i, n + i); };
    xgrad::variable s = view(m, from(1), 1) * view(m, from(0), 1) + view(m, from(2), 1) * w * view(m, from(1), 2);
    xgrad::variable v = s * xgrad::flip(w, 0) + s;
    return sum(v * view(v, xt::all()));
};
BOOST_AUTO_TEST_CASE(parts_of_arrays) {
    for (std::size_t n : lengths) {
        auto const m = filled<matrix>({n + 2, 3}, 0.0);
        auto const w = filled<vector>({n}, 1.0);
        auto const [mbar, wbar] = xgrad::gradient(of_parts, m, w);
        matrix to_m = xt::zeros<double>({n + 2, std::size_t(3)});
        vector to_w = xt::zeros<double>({n});
        for (std::size_t i = 0; i < n; ++i) {
            double const s = m(i + 1, 1) * m(i, 1) + m(i + 2, 1) * w(i) * m(i + 1, 2), b = 1.0 + w(n - 1 - i), v = s * b, sbar = 2.0 * v * b;
            to_m(i + 1, 1) += sbar * m(i, 1);
            to_m(i, 1) += sbar * m(i + 1, 1);
            to_m(i + 2, 1) += sbar * w(i) * m(i + 1, 2);
            to_m(i + 1, 2) += sbar * m(i + 2, 1) * w(i);
            to_w(i) += sbar * m(i + 2, 1) * m(i + 1, 2);
            to_w(n - 1 - i) += 2.0 * v * s;
        }
        check_same(mbar, to_m, "the matrix");
        check_same(wbar, to_w, "the weights");
    }
}

// Reductions along axes, of what is broadcast; extremes, too, whose pullback reads the result.
constexpr auto of_axes = [](auto const& a, auto const& b) {
    auto e = view(a, xt::all(), xt::newaxis()) * b;
    return sum(square(sum(e, {0}))) + sum(sum(e, {1}) * a) + sum(amax(e, {1}));
};
BOOST_AUTO_TEST_CASE(reductions_along_axes) {
    for (std::size_t m : lengths)
        for (std::size_t n : lengths) {
            auto const a = filled<vector>({m}, 0.0), b = filled<vector>({n}, 1.0);
            auto const [abar, bbar] = xgrad::gradient(of_axes, a, b);
            double const sa = xt::sum(a)(), sb = xt::sum(b)(), sbb = xt::sum(b * b)(), saa = xt::sum(a * a)(), most = xt::amax(b)();
            vector const to_a = 2.0 * sa * sbb + 2.0 * a * sb + most;
            vector to_b = 2.0 * b * sa * sa + saa;
            for (std::size_t j = 0; j < n; ++j)
                if (b(j) == most) to_b(j) += sa;
            check_same(abar, to_a, "a", 1e-12);
            check_same(bbar, to_b, "b", 1e-12);
        }
}

// Three axes, of which operands have some; an array of dynamic rank; and of no axis at all.
constexpr auto of_ranks = [](auto const& x, auto const& y, auto const& z) {
    xgrad::variable v = x * y + z;
    return sum(v * v);
};
BOOST_AUTO_TEST_CASE(every_rank) {
    for (std::size_t k : {1u, 2u, 3u, 5u})
        for (std::size_t m : {1u, 3u, 4u})
            for (std::size_t n : {1u, 2u, 5u, 8u}) {
                auto const x = filled<cube>({k, m, n}, 0.0), y = filled<cube>({k, 1, n}, 1.0);
                auto const z = filled<matrix>({m, 1}, 2.0);
                auto const [xbar, ybar, zbar] = xgrad::gradient(of_ranks, x, y, z);
                cube to_x = x, to_y = xt::zeros<double>(y.shape());
                matrix to_z = xt::zeros<double>(z.shape());
                for (std::size_t i = 0; i < k; ++i)
                    for (std::size_t j = 0; j < m; ++j)
                        for (std::size_t l = 0; l < n; ++l) {
                            double const g = 2.0 * (x(i, j, l) * y(i, 0, l) + z(j, 0));
                            to_x(i, j, l) = g * y(i, 0, l);
                            to_y(i, 0, l) += g * x(i, j, l);
                            to_z(j, 0) += g;
                        }
                check_same(xbar, to_x, "x");
                check_same(ybar, to_y, "y");
                check_same(zbar, to_z, "z");
                xt::xarray<double> const dx = x, dy = y, dz = z;
                auto const [dxbar, dybar, dzbar] = xgrad::gradient(of_ranks, dx, dy, dz);
                check_same(dxbar, to_x, "x of dynamic rank");
                check_same(dybar, to_y, "y of dynamic rank");
                check_same(dzbar, to_z, "z of dynamic rank");
            }
    xt::xarray<double> const number = 3.0;
    BOOST_TEST(std::get<0>(xgrad::gradient([](auto const& x) { return sum(x * x + x); }, number))() == 7.0);
}

// Second order goes by duals; values whose derivative nobody asks for go by copies, too.
constexpr auto of_values = [](auto const& x, auto const& r) {
    xgrad::variable y = x * x * r + xgrad::primal(x) * r;
    return sum(y * x);
};
constexpr auto cubic = [](auto const& x, auto const& r) { return sum(x * x * r * x); };
BOOST_AUTO_TEST_CASE(second_order_and_values) {
    for (std::size_t m : {1u, 2u, 3u, 4u})
        for (std::size_t n : {1u, 3u, 4u, 5u}) {
            auto const x = filled<by_columns>({m, n}, 0.0);
            auto const r = filled<vector>({n}, 1.0);
            // x^3 r + primal(x) r x: 3 x^2 r + x r
            auto const [xbar, rbar] = xgrad::gradient(of_values, x, r);
            check_same(xbar, by_elements(m, n, [&](auto i, auto j) { return (3.0 * x(i, j) + 1.0) * x(i, j) * r(j); }), "x");
            auto const u = filled<by_columns>({m, n}, 2.0);
            auto const v = filled<vector>({n}, 3.0);
            auto const [hx, hr] = xgrad::hvp(cubic, std::tuple(x, r), std::tuple(u, v)).product;
            auto const to_x = [&](auto i, auto j) { return 6.0 * x(i, j) * r(j) * u(i, j) + 3.0 * x(i, j) * x(i, j) * v(j); };
            check_same(hx, by_elements(m, n, to_x), "H (u, v)", 1e-12);
            vector to_r = xt::zeros<double>({n});
            for (std::size_t i = 0; i < m; ++i)
                for (std::size_t j = 0; j < n; ++j) to_r(j) += 3.0 * x(i, j) * x(i, j) * u(i, j);
            check_same(hr, to_r, "H (u, v) of r", 1e-12);
        }
}

// What fills no step is computed from what is there: nothing behind an array is read, and nothing that is not asked for traps or gives what is no number.
constexpr auto of_inner = [](auto const& x) {
    xgrad::variable y = view(x, xt::range(8, -24)), s = log(y) * y;
    s = s / y + sqrt(s);
    return sum(s);
};
BOOST_AUTO_TEST_CASE(nothing_behind_counts) {
    for (std::size_t n : lengths) {
        vector all = vector::from_shape({n + 32});
        all.fill(std::nan(""));
        for (std::size_t i = 0; i < n; ++i) all(i + 8) = 1.0 + static_cast<double>(i);
        auto const g = std::get<0>(xgrad::gradient(of_inner, all));
        for (std::size_t i = 0; i < all.size(); ++i) {
            double const x = all(i), s = x < 1.0 || std::isnan(x) ? 1.0 : x * std::log(x), slope = std::log(x) + 1.0;
            if (i < 8 || i >= n + 8) BOOST_TEST(g(i) == 0.0);
            else if (i == 8) BOOST_TEST(!std::isfinite(g(i)));  // the slope of a root at 0
            else BOOST_TEST(std::abs(g(i) - (1.0 / x + 0.5 * slope / std::sqrt(s))) < 1e-13);
        }
    }
}
