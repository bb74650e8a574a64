// Small arrays of fixed shape, whose kernels and rules are written out: whatever is computed with them has the gradient that it has with arrays of any shape,
// in both modes.
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "fixed_arrays.hpp"

BOOST_AUTO_TEST_CASE(of_trees) {
    BOTH(return sum(a * b + d););
    BOTH(return sum(a););
    BOTH(return sum(a * a(0, 1) + b(2) * a - a / b););  // elements of an array beside all of it
    BOTH(return sum(-a * a * 2.0) + sum(b * b(0)) * d(1, 0););
    BOTH(auto y = a + b; auto z = y * d - y; return sum(z * y) + sum(y););
    BOTH(auto y = exp(a * 0.1) * b; return sum(log(1.0 + y * y)) + sum(tanh(a) * d););
    BOTH(return sum(square(a - b)) + prod(b) + amax(a););
    BOTH(auto y = sum(a * b, 1); return sum(y * y) + mean(a / d) + sum(transpose(a) * a););
    BOTH(auto y = view(a, 1, xt::all()) * b; return sum(y * y) + sum(view(a, xt::all(), xt::range(0, 2)) * d););
}
BOOST_AUTO_TEST_CASE(of_products_and_matrices) {
    BOTH(auto r = xgrad::dot(a, b) - b; return sum(r * r););
    BOTH(return sum(xgrad::dot(a, a) * a) + xgrad::dot(b, b) + sum(xgrad::dot(b, a)) + sum(xgrad::dot(a, d) * d););
    BOTH(auto y = inv(a); auto x = solve(a, b); auto z = solve(y, d); return sum(y * a) + sum(x * x) + sum(z * z) + det(a) * det(y) * 0.5 + det(a););
    BOTH(auto y = xgrad::dot(a, transpose(a)); auto x = solve(y, d); return det(y) + sum(x * b) + sum(solve(a, y)););
}
BOOST_AUTO_TEST_CASE(beside_arrays_of_other_kinds) {
    fixed_vector const q{3.0, 4.0, 5.0};
    vector const w{1.0, -1.0, 2.0};
    BOTH(return sum(a * q - b * w) + sum(xgrad::dot(a, b - q) * q););
    BOTH(return sum((b - q) * (b - q)) + sum(d * q * w(1)););
    // constants among the arguments, and a column-major one
    auto const f = [](auto const& x, auto const& p, auto const& k) { auto r = xgrad::dot(x, p) - k; return sum(r * r); };
    auto const [g, h, none] = xgrad::gradient(f, A, v, xgrad::constant(q));
    auto const [g2, h2, none2] = xgrad::gradient(f, matrix(A), vector(v), xgrad::constant(vector(q)));
    same_elements("constant", g, g2);
    same_elements("constant", h, h2);
    auto const [by_columns, h3, none3] =
        xgrad::gradient(f, xt::xtensor_fixed<double, xt::xshape<3, 3>, xt::layout_type::column_major>(A), v, xgrad::constant(q));
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) BOOST_CHECK(same(by_columns(i, j), g2(i, j)));
    same_elements("column-major", h3, h2);
    // more elements than are written out
    xt::xtensor_fixed<double, xt::xshape<9, 9>> big = xt::ones<double>({9, 9}) * 0.5;
    BOOST_CHECK(std::get<0>(xgrad::gradient([](auto const& x) { auto y = x * x; return sum(y * x); }, big)) == 3.0 * big * big);
    xt::xtensor_fixed<float, xt::xshape<5, 5>> const floats = xt::ones<float>({5, 5}) * 0.5f;
    auto const fbar = std::get<0>(xgrad::gradient([](auto const& x) { auto y = x * x; return sum(y * x); }, floats));
    BOOST_CHECK(fbar == 3.0f * floats * floats);
    // shapes that do not fit
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x, auto const& y) { return sum(x * y); }, v, xt::xtensor_fixed<double, xt::xshape<2>>{1, 2}),
                      std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x, auto const& y) { return sum(xgrad::dot(x, y)); }, A, xt::xtensor_fixed<double, xt::xshape<2>>{1, 2}),
                      std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(of_a_cotangent_of_zero) {
    fixed_vector const x{0.0, 1.0, 2.0};
    BOOST_CHECK(std::get<0>(xgrad::gradient(
                    [](auto const& p) {
                        auto y = 1.0 / p;
                        return sum(where(p > 0.5, y, 0.0));
                    },
                    x)) == (fixed_vector{0.0, -1.0, -0.25}));
    BOOST_CHECK(std::isnan(std::get<0>(xgrad::gradient([](auto const& p) { auto y = p / p; return sum(y); }, x))(0)));
    // nothing came
    auto const [g, h] = xgrad::gradient([](auto const& a, auto const& b) { (void)a; return b(1) * 2.0; }, A, v);
    BOOST_CHECK(g == xt::zeros<double>({3, 3}) && (h == fixed_vector{0, 2, 0}));
}
BOOST_AUTO_TEST_CASE(of_assignments) {
    fixed_vector x = v;
    auto const f = [](auto const& p) {
        auto before = sum(p * p);
        auto version = assign(p, p * 2.0 + 1.0);
        auto after = sum(p * p * p);
        (void)version;
        return before + after;
    };
    auto const [g] = xgrad::gradient(f, x);
    BOOST_CHECK(x == v);
    for (std::size_t i = 0; i < 3; ++i) BOOST_CHECK(same(g(i), 2 * v(i) + 6 * std::pow(2 * v(i) + 1, 2)));
    BOOST_CHECK_THROW(xgrad::gradient(
                          [](auto const& p, auto const& q) {
                              auto version = assign(p, p * 2.0);
                              (void)version;
                              return sum(p * q);
                          },
                          x, x),
                      std::logic_error);
    BOOST_CHECK(x == v);
}
BOOST_AUTO_TEST_CASE(of_systems_of_every_size) {
    auto const f = [](auto const& a, auto const& b, auto const& d) -> xgrad::real { auto x = solve(a, b); return sum(x * d); };
    auto const expected = xgrad::value_and_gradient(f, A, v, v);
    // cofactors of ordinary size and others; products with them that overflow
    for (auto const& [of_a, of_b] :
         {std::pair{1e-9, 1e-200}, {1e9, 1e200}, {1e9, 1e292}, {1e-12, 1.0}, {1e14, 1.0}, {1e-40, 1e-100}, {1e40, 1e100}, {1e-90, 1e-10}, {1e90, 1e10}}) {
        auto const found = xgrad::value_and_gradient(f, fixed_matrix(A * of_a), fixed_vector(v * of_b), v);
        BOOST_CHECK(same(found.value / of_b * of_a, expected.value));
        same_elements("of a", std::get<0>(found.gradient) / of_b * of_a * of_a, std::get<0>(expected.gradient));
        same_elements("of b", std::get<1>(found.gradient) * of_a, std::get<1>(expected.gradient));
    }
    xt::xtensor_fixed<float, xt::xshape<2, 2>> const s{{3.0F, 1.0F}, {-1.0F, 2.0F}};
    xt::xtensor_fixed<float, xt::xshape<2>> const t{1.0F, -2.0F};
    for (float const size : {1e-6F, 1e-3F, 1.0F, 1e3F, 1e6F}) {
        auto const [sbar, tbar] = xgrad::gradient(
            [](auto const& a, auto const& b) -> xgrad::result<float> {
                auto x = solve(a, b);
                return x(0) - 2.0F * x(1);
            },
            xt::xtensor_fixed<float, xt::xshape<2, 2>>(s * size), t);
        for (int i = 0; i < 2; ++i) {
            // x = (4, -5) / 7 / size; w = (0, -1) / size, A⁻ᵀ (1, -2)
            BOOST_CHECK_SMALL(tbar(i) * size - (i == 0 ? 0.0F : -1.0F), 1e-6F);
            for (int j = 0; j < 2; ++j) BOOST_CHECK_SMALL(sbar(i, j) * size * size - (i == 0 ? 0.0F : j == 0 ? 4.0F / 7.0F : -5.0F / 7.0F), 1e-6F);
        }
    }
    // of a large right-hand side
    auto const large = xgrad::value_and_gradient(
        [](auto const& a, auto const& b) -> xgrad::result<float> {
            auto x = solve(a, b);
            return x(0) - 2.0F * x(1);
        },
        s, xt::xtensor_fixed<float, xt::xshape<2>>(t * 1e25F));
    BOOST_CHECK_CLOSE(large.value, 2e25F, 1e-4F);
    BOOST_CHECK_CLOSE(std::get<0>(large.gradient)(1, 0), 4e25F / 7.0F, 1e-4F);
    BOOST_CHECK_CLOSE(std::get<1>(large.gradient)(1), -1.0F, 1e-4F);
    fixed_vector bad = v;
    bad(1) = std::numeric_limits<double>::infinity();
    BOOST_CHECK(!std::isfinite(xgrad::value_and_gradient(f, A, bad, v).value));
}
BOOST_AUTO_TEST_CASE(of_singular_and_badly_scaled_matrices) {
    // by factors that are powers of two: its pivots are 0 with whatever rounding
    fixed_matrix const singular{{1, 2, 4}, {2, 4, 8}, {0, 1, 5}};
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) { auto y = inv(a); return sum(y); }, singular), std::runtime_error);
    BOOST_CHECK_THROW(xgrad::gradient(
                          [](auto const& a, auto const& b) -> xgrad::real {
                              auto y = solve(a, b);
                              return sum(y * y);
                          },
                          singular, v),
                      std::runtime_error);
    auto const [minors] = xgrad::gradient([](auto const& a) -> xgrad::real { return det(a); }, singular);
    BOOST_CHECK(minors == (fixed_matrix{{12, -10, 2}, {-6, 5, -1}, {0, 0, 0}}));
    // products that overflow and cancel, of powers of two
    double const p = std::ldexp(1.0, 600), q = std::ldexp(1.0, -300);
    fixed_matrix const large{{q, 0, 0}, {0, p, p}, {0, p, p}};
    auto const large_det = xgrad::value_and_gradient([](auto const& a) -> xgrad::real { return det(a); }, large);
    auto const large_det_too = xgrad::value_and_gradient([](auto const& a) { return det(a); }, matrix(large));
    BOOST_CHECK_EQUAL(large_det.value, 0.0);
    BOOST_CHECK_EQUAL(large_det_too.value, 0.0);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            double const cofactor = i == 0 || j == 0 ? 0.0 : i == j ? p * q : -p * q;
            BOOST_CHECK_EQUAL(std::get<0>(large_det.gradient)(i, j), cofactor);
            BOOST_CHECK_EQUAL(std::get<0>(large_det_too.gradient)(i, j), cofactor);
        }
    // rows and columns of different sizes
    fixed_matrix const uneven{{p, p, 0}, {0.5 * p, p, 0}, {0, 0, q * q}};
    auto const uneven_det = xgrad::value_and_gradient([](auto const& a) -> xgrad::real { return det(a); }, uneven);
    BOOST_CHECK_EQUAL(uneven_det.value, std::ldexp(1.0, 599));
    BOOST_CHECK_EQUAL(std::get<0>(uneven_det.gradient)(0, 0), 1.0);
    BOOST_CHECK_EQUAL(std::get<0>(uneven_det.gradient)(1, 0), -1.0);
    BOOST_CHECK(std::isinf(std::get<0>(uneven_det.gradient)(2, 2)));
    auto const beyond = xgrad::value_and_gradient([](auto const& a) -> xgrad::real { return det(a); }, fixed_matrix(A * 1e200));
    BOOST_CHECK(std::isinf(beyond.value));
    fixed_matrix bad = A;
    bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) { return det(a); }, bad), std::domain_error);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) -> xgrad::real { return det(a); }, bad), std::domain_error);
    // an object that has thrown serves again
    auto g = xgrad::prepare_gradient([](auto const& a, auto const& b) { auto y = a * 2.0; auto x = solve(y, b); return sum(x * x) + det(y); }, A, v);
    double const value = g(A, v).value;
    BOOST_CHECK_THROW(g(singular, v), std::runtime_error);
    BOOST_CHECK_THROW(g(bad, v), std::domain_error);
    BOOST_CHECK_EQUAL(g(A, v).value, value);
    // by the factorisation, in each mode
    fixed_matrix scaled = A;
    for (std::size_t i = 0; i < 3; ++i) scaled(i, 0) *= 1e-5;
    auto const all = [](auto const& a, auto const& b, auto const& d) {
        auto y = inv(a);
        auto x = solve(a, b);
        auto z = solve(a, d);
        return sum(y * d) * 1e-5 + sum(x * x) * 1e-10 + sum(z) * 1e-5 + det(a);
    };
    auto const expected = xgrad::value_and_gradient(all, matrix(scaled), vector(v), matrix(c)),
               found = xgrad::value_and_gradient([=](auto const& a, auto const& b, auto const& d) -> xgrad::real { return all(a, b, d); }, matrix(scaled),
                                                 vector(v), matrix(c));
    auto const here = xgrad::value_and_gradient(all, scaled, v, c);
    same_elements("scaled", std::get<0>(here.gradient), std::get<0>(expected.gradient));
    same_elements("scaled", std::get<1>(here.gradient), std::get<1>(expected.gradient));
    same_elements("scaled", std::get<0>(found.gradient), std::get<0>(expected.gradient));
    auto const all_of_it = [](auto const& a, auto const& b, auto const& d) -> xgrad::real {
        auto y = inv(a);
        auto x = solve(a, b);
        auto z = solve(a, d);
        return sum(y * d) * 1e-5 + sum(x * x) * 1e-10 + sum(z) * 1e-5 + det(a);
    };
    auto const on_the_stack = xgrad::value_and_gradient(all_of_it, scaled, v, c);
    same_elements("scaled", std::get<0>(on_the_stack.gradient), std::get<0>(expected.gradient));
    same_elements("scaled", std::get<1>(on_the_stack.gradient), std::get<1>(expected.gradient));
    same_elements("scaled", std::get<2>(on_the_stack.gradient), std::get<2>(expected.gradient));
}
BOOST_AUTO_TEST_CASE(of_other_verbs) {
    auto const f = [](auto const& a, auto const& b) { auto r = xgrad::dot(a, b) - b; auto y = inv(a); return sum(r * r) + sum(y * y) + det(a); };
    auto const [g, h] = xgrad::gradient(f, A, v);
    fixed_matrix adot = xt::ones<double>({3, 3}) * 0.5;
    fixed_vector bdot{1.0, 2.0, -1.0};
    auto const [value, slope] = xgrad::jvp(f, std::tuple(A, v), std::tuple(adot, bdot));
    BOOST_CHECK(same(slope, xt::sum(g * adot)() + xt::sum(h * bdot)()));
    // vjp twice by one pullback
    auto [y, pullback] = xgrad::vjp([](auto const& a, auto const& b) { return xgrad::dot(a, b) * b; }, A, v);
    for (int i = 0; i < 2; ++i) {
        auto const [abar, bbar] = pullback(y);
        auto const [e, k] = xgrad::gradient([&](auto const& a, auto const& b) { return sum(xgrad::dot(a, b) * b * y); }, matrix(A), vector(v));
        same_elements("vjp", abar, e);
        same_elements("vjp", bbar, k);
    }
    // something kept outside the function
    std::optional<variable<double>> kept;
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const& b) { kept.emplace(sum(b * b)); return sum(b); }, v), std::logic_error);
    kept.reset();
}
