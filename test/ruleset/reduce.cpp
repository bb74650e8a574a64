// Every reduction, over all elements and along axes: values by plain loops, derivatives against central differences, special points.
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include "by_lines.hpp"
#include "filled.hpp"

using namespace programs;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
using numbers = std::vector<double>;

using programs::filled;

double total(numbers const& l) { return std::accumulate(l.begin(), l.end(), 0.0); }
double product(numbers const& l) { return std::accumulate(l.begin(), l.end(), 1.0, std::multiplies<>()); }
double squares(numbers const& l) { return std::inner_product(l.begin(), l.end(), l.begin(), 0.0); }
double spread(numbers const& l, double ddof) {
    double const n = static_cast<double>(l.size()), m = total(l) / n;
    return (squares(l) - n * m * m) / (n - ddof);
}
double power_sum(numbers const& l, double p) {
    double s = 0;
    for (double v : l) s += std::pow(std::abs(v), p);
    return s;
}
double log_sum(numbers const& l) {
    double s = 0;
    for (double v : l) s += std::exp(v);
    return std::log(s);
}

// One reduction f(e, where...), of matrices in row-major and in column-major order and of floats; where All, of every other number of dimensions, too.
template <bool All = every_product, class F>
void check(F f, number_function plain) {
    agree([&](auto const& x) {
              auto rows = f(x, {1});
              return weighed(f(x)) + weighed(rows) + weighed(f(x * x, {0}, xt::keep_dims)) + weighed(f(transpose(x), std::array<int, 1>{-1})) +
                     weighed(f(view(x, xt::all(), xt::range(1, 11, 3)), {1})) + weighed(f(x, xt::keep_dims)) + weighed(f(view(x, 1)));
          },
          [&](matrix const& x) {
              matrix const sq = x * x, t = xt::transpose(x), part = xt::view(x, xt::all(), xt::range(1, 11, 3));
              vector const row = xt::view(x, 1);
              return weighed(reduced(x, {}, plain)) + weighed(reduced(x, {1}, plain)) + weighed(reduced(sq, {0}, plain, true)) +
                     weighed(reduced(t, {1}, plain)) + weighed(reduced(part, {1}, plain)) + weighed(reduced(x, {}, plain, true)) +
                     weighed(reduced(row, {}, plain));
          }, filled<matrix>({3, 11}));
    if constexpr (All) {
        agree(
            [&](auto const& x) {
                return weighed(f(x, {0, 2})) + weighed(f(x, {2, 1}, xt::keep_dims)) + weighed(f(x, std::vector<int>{-3, 1})) + weighed(f(f(x, {0}), {1}));
            },
            [&](cube const& x) {
                return weighed(reduced(x, {0, 2}, plain)) + weighed(reduced(x, {1, 2}, plain, true)) + weighed(reduced(x, {0, 1}, plain)) +
                       weighed(reduced(reduced(x, {0}, plain), {1}, plain));
            },
            filled<cube>({2, 3, 4}));
        xt::xarray<double> const dynamic = filled<matrix>({2, 5});
        agree([&](auto const& x) { return weighed(f(x, {1})) + weighed(f(x)) + weighed(f(x, {0}, xt::keep_dims)); },
              [&](xt::xarray<double> const& x) {
                  return weighed(reduced(x, {1}, plain)) + weighed(reduced(x, {}, plain)) + weighed(reduced(x, {0}, plain, true));
              },
              dynamic);
    }
    agree([&](auto const& x) { return f(x) * 1.5f; }, [&](auto const& x) { return plain(numbers(x.begin(), x.end())) * 1.5; },
          filled<xt::xtensor<float, 1>>({13}));
    // named by xgrad and by xt, of column-major order, in scoped mode
    agree(
        [&](auto const& x) -> xgrad::real {
            auto s = f(x, {1});
            return sum(s * s) + f(s * 2.0) + f(x);
        },
        [&](auto const& x) {
            auto const s = reduced(x, {1}, plain);
            return double(xt::sum(s * s)()) + reduced(2.0 * s, {}, plain)() + reduced(x, {}, plain)();
        },
        xt::xtensor<double, 2, xt::layout_type::column_major>(filled<matrix>({3, 4})));
}

// f as a function of lists of axes in braces, too.
template <class F>
struct forms {
    F f;
    template <class E, class... X>
    auto operator()(E&& e, X const&... where) const { return f(std::forward<E>(e), where...); }
    template <class E, std::size_t N, class... X>
    auto operator()(E&& e, int const (&axes)[N], X const&... more) const { return f(std::forward<E>(e), axes, more...); }
};
template <class F>
forms(F) -> forms<F>;
#define FORMS(F) forms{[](auto&& e, auto const&... where) { return F(std::forward<decltype(e)>(e), where...); }}

// A reduction that is made of others, in fewer forms.
template <class F>
void check_few(F f, number_function plain) {
    agree(
        [&](auto const& x) {
            return weighed(f(x)) + weighed(f(x * x, {0}, xt::keep_dims)) + weighed(f(x, {1})) + weighed(f(transpose(x), std::array<int, 1>{0}));
        },
        [&](matrix const& x) {
            matrix const sq = x * x;
            return weighed(reduced(x, {}, plain)) + weighed(reduced(sq, {0}, plain, true)) + 2.0 * weighed(reduced(x, {1}, plain));
        },
        filled<matrix>({3, 11}));
}

// The gradient of f at x, with seed 1.
template <class F, class X>
X slope(F f, X const& x) { return std::get<0>(xgrad::gradient(f, x)); }
template <class F>
void expect_gradient(F f, vector const& x, numbers const& expected, bool in_both_modes = true) {
    vector const g = slope(f, x);
    for (std::size_t i = 0; i < x.size(); ++i)
        BOOST_CHECK_MESSAGE(g(i) == expected[i] || std::abs(g(i) - expected[i]) < 1e-12, "derivative " << i << " is " << g(i) << ", expected " << expected[i]);
    for (std::size_t i = 0; in_both_modes && i < x.size(); ++i) {
        vector unit = xt::zeros<double>({x.size()});
        unit(i) = 1.0;
        double const t = xgrad::jvp(f, x, unit).tangent;
        BOOST_CHECK_MESSAGE(t == expected[i] || std::abs(t - expected[i]) < 1e-12, "tangent along " << i << " is " << t << ", expected " << expected[i]);
    }
}
double const inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

}

BOOST_AUTO_TEST_CASE(products_and_extremes) {
    check<true>(FORMS(prod), product);
    check(FORMS(amax), [](numbers const& l) { return *std::max_element(l.begin(), l.end()); });
    check_few(FORMS(xt::amin), [](numbers const& l) { return *std::min_element(l.begin(), l.end()); });
}
BOOST_AUTO_TEST_CASE(spreads) {
    check<true>(FORMS(variance), [](numbers const& l) { return spread(l, 0); });
    check_few(FORMS(xgrad::stddev), [](numbers const& l) { return std::sqrt(spread(l, 0)); });
    agree(
        [](auto const& x) {
            return weighed(variance(x, {1}, 2)) + variance(x, 1) + weighed(stddev(x, std::vector<int>{0}, 1u, xt::keep_dims)) +
                   xt::stddev(x, 3) * weighed(xt::variance(x, 1, xt::keep_dims));
        },
        [](matrix const& x) {
            auto by = [](double ddof) { return [=](numbers const& l) { return spread(l, ddof); }; };
            return weighed(reduced(x, {1}, by(2))) + reduced(x, {}, by(1))() +
                   weighed(reduced(
                       x, {0}, [](numbers const& l) { return std::sqrt(spread(l, 1)); }, true)) +
                   std::sqrt(reduced(x, {}, by(3))()) * weighed(reduced(x, {}, by(1), true));
        },
        filled<matrix>({4, 5}));
}
BOOST_AUTO_TEST_CASE(norms) {
    check_few(FORMS(norm_l1), [](numbers const& l) { return power_sum(l, 1); });
    check_few(FORMS(xt::norm_l2), [](numbers const& l) { return std::sqrt(squares(l)); });
    check_few(FORMS(norm_sq), squares);
    check_few(FORMS(norm_linf), [](numbers const& l) { double m = 0; for (double v : l) m = std::max(m, std::abs(v)); return m; });
    agree(
        [](auto const& x) {
            return weighed(norm_lp(x, 3.0)) + weighed(norm_lp(x, 2.5, {1})) + weighed(xgrad::norm_lp_to_p(x, 1.5, 0, xt::keep_dims)) + weighed(norm_l0(x));
        },
        [](matrix const& x) {
            return weighed(std::pow(power_sum(numbers(x.begin(), x.end()), 3), 1 / 3.0)) +
                   weighed(reduced(x, {1}, [](auto const& l) { return std::pow(power_sum(l, 2.5), 0.4); })) +
                   weighed(reduced(x, {0}, [](auto const& l) { return power_sum(l, 1.5); }, true)) + weighed(double(x.size()));
        },
        filled<matrix>({3, 4}));
}
BOOST_AUTO_TEST_CASE(logarithms_of_sums) { check(FORMS(logsumexp), log_sum); }

BOOST_AUTO_TEST_CASE(weighted_means_and_areas) {
    matrix const w{{0.5, 1.0, 2.0}, {0.25, 3.0, 1.5}};
    vector const u{0.5, 2.0, 1.0}, at{0.0, 0.5, 2.0};
    agree(
        [&](auto const& x, auto const& v) {
            return average(x, w) + weighed(average(x * x, v, {1})) + weighed(xt::average(x, v, 1)) + weighed(average(x)) + weighed(average(w, v, 1));
        },
        [&](matrix const& x, vector const& v) {
            vector const a = xt::sum(x * x * v, {1}) / xt::sum(v)(), b = xt::sum(x * v, {1}) / xt::sum(v)(), c = xt::sum(w * v, {1}) / xt::sum(v)();
            return xt::sum(x * w)() / xt::sum(w)() + weighed(a) + weighed(b) + weighed(xt::mean(x)()) + weighed(c);
        },
        matrix{{0.3, -1.0, 0.7}, {1.1, 0.4, 2.0}}, u);
    auto area = [](numbers const& l, numbers const& p) {
        double s = 0;
        for (std::size_t i = 1; i < l.size(); ++i) s += (p[i] - p[i - 1]) * (l[i] + l[i - 1]) / 2;
        return s;
    };
    agree(
        [&](auto const& x, auto const& p) {
            return weighed(trapz(x)) + weighed(trapz(x, 0.5, 0)) + weighed(xt::trapz(x, at)) + weighed(trapz(x, p, -1)) + trapz(view(x, 0), p) + trapz(u, p);
        },
        [&](matrix const& x, vector const& p) {
            numbers const one{0, 1, 2}, q(p.begin(), p.end()), r(at.begin(), at.end());
            auto by = [&](numbers const& g) { return [&, g](numbers const& l) { return area(l, g); }; };
            vector const row = xt::view(x, 0);
            return weighed(reduced(x, {1}, by(one))) + weighed(reduced(x, {0}, by({0, 0.5}))) + weighed(reduced(x, {1}, by(r))) +
                   weighed(reduced(x, {1}, by(q))) + area(numbers(row.begin(), row.end()), q) + area(numbers(u.begin(), u.end()), q);
        },
        matrix{{0.3, -1.0, 0.7}, {1.1, 0.4, 2.0}}, vector{0.1, 0.4, 1.5});
}

BOOST_AUTO_TEST_CASE(products_with_zeros) {
    auto p = [](auto const& x) { return prod(x); };
    expect_gradient(p, {2.0, 0.0, 5.0}, {0, 10, 0});
    expect_gradient(p, {0.0, 3.0, 0.0}, {0, 0, 0});
    expect_gradient(p, {0.0}, {1});
    expect_gradient(p, {1e-200, 1e-200, 1e200}, {1, 1, 0});
    // a tangent of 0 times an infinite element is no number
    expect_gradient(p, {inf, 2.0}, {2, inf}, false);
    // across the parts that products are made of
    vector x = xt::ones<double>({1500});
    x(3) = 2.0;
    x(1400) = 0.0;
    vector const g = slope(p, x);
    BOOST_CHECK_EQUAL(g(1400), 2.0);
    BOOST_CHECK_EQUAL(double(xt::sum(xt::abs(g))()), 2.0);
}
BOOST_AUTO_TEST_CASE(equal_extremes_share) {
    expect_gradient([](auto const& x) { return amax(x) * 3.0; }, {2.0, 1.0, 2.0, 2.0}, {1, 0, 1, 1});
    expect_gradient([](auto const& x) { return amin(x); }, {1.0, 1.0, 7.0}, {0.5, 0.5, 0});
    expect_gradient([](auto const& x) { return norm_linf(x); }, {-3.0, 1.0, 3.0}, {-0.5, 0, 0.5});
    BOOST_CHECK(std::isnan(xgrad::value([](auto const& x) { return amax(x); }, vector{1.0, not_a_number, 2.0})));
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& x) { return amax(x); }, vector{-inf, -inf}), -inf);
    BOOST_CHECK_EQUAL(xgrad::jvp([](auto const& x) { return 1.0 / amax(x); }, vector{-0.0}, vector{1.0}).primal, -inf);
}
BOOST_AUTO_TEST_CASE(no_length_no_slope) {
    for (auto const& x : {vector{0.0, 0.0, 0.0}, vector{0.0}}) {
        numbers const none(x.size(), 0.0);
        expect_gradient([](auto const& v) { return norm_l2(v) + norm_lp(v, 3.0) + norm_l1(v) + norm_linf(v) + norm_sq(v) + norm_l0(v); }, x, none);
        expect_gradient([](auto const& v) { return stddev(v); }, x, none);
    }
    expect_gradient([](auto const& v) { return stddev(v) + sum(stddev(v * 2.0, {0}, xt::keep_dims)); }, {1.5, 1.5}, {0, 0});
    expect_gradient([](auto const& v) { return norm_l0(v); }, {0.0, 3.0}, {0, 0});
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& v) { return norm_l0(v); }, vector{0.0, 3.0, -1.0}), 2.0);
    expect_gradient([](auto const& v) { return nansum(v) * 2.0; }, {2.0, not_a_number, 3.0}, {2, 0, 2});
    expect_gradient([](auto const& v) { return nanmean(v) + sum(nanmean(v, {0}, xt::keep_dims)); }, {2.0, not_a_number, 3.0}, {1, 0, 1});
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& v) { return nanmean(v * 2.0); }, vector{2.0, not_a_number, 3.0}), 5.0);
}
BOOST_AUTO_TEST_CASE(powers_that_overflow_alone) {
    for (double const c : {1e200, 1e-200}) {
        xt::xtensor<double, 2> const x{{3 * c, 4 * c}, {c, 0}}, one = x / c;
        auto const real = [](auto const& a) { return norm_lp(a, 3.0) + 2.0 * sum(norm_lp(a, 3.0, {1})); };
        auto const found = xgrad::value_and_gradient(real, x), expected = xgrad::value_and_gradient(real, one);
        BOOST_TEST(found.value == c * expected.value, boost::test_tools::tolerance(1e-14));
        BOOST_TEST(xt::allclose(std::get<0>(found.gradient), std::get<0>(expected.gradient)));
        using complex = std::complex<double>;
        xt::xtensor<complex, 1> const z{{3 * c, 0}, {0, 4 * c}};
        for (bool const is_lp : {false, true}) {
            auto const f = [&](auto const& a) { return is_lp ? xgrad::variable(norm_lp(a, 2.0)) : xgrad::variable(norm_l2(a)); };
            auto const [y, g] = xgrad::value_and_gradient(f, z);
            BOOST_TEST(y == 5 * c, boost::test_tools::tolerance(1e-14));
            BOOST_TEST(std::abs(std::get<0>(g)(0) - complex(0.6, 0)) < 1e-14);
            BOOST_TEST(std::abs(std::get<0>(g)(1) - complex(0, 0.8)) < 1e-14);
        }
    }
}
BOOST_AUTO_TEST_CASE(infinite_logarithms) {
    auto f = [](auto const& x) { return logsumexp(x); };
    expect_gradient(f, {-inf, 0.0, 0.0}, {0, 0.5, 0.5});
    expect_gradient(f, {-inf, -inf}, {0, 0});
    expect_gradient(f, {inf, 0.0, inf}, {0.5, 0, 0.5});
    expect_gradient(f, {1e4, 1e4}, {0.5, 0.5});
    BOOST_CHECK_EQUAL(xgrad::value(f, vector{-inf, -inf}), -inf);
    BOOST_CHECK_CLOSE(xgrad::value(f, vector{1e4, 1e4}), 1e4 + std::log(2.0), 1e-12);
}
// Of few elements the exponentials are kept, of many they are computed again: along both axes, and added to what other uses gave.
BOOST_AUTO_TEST_CASE(logarithms_of_sums_of_few_and_of_many) {
    for (std::size_t const n : {std::size_t{5}, std::size_t{1000}, std::size_t{50000}}) {
        matrix x = matrix::from_shape({3, n});
        for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(static_cast<double>(i)) * 3.0;
        auto g = xgrad::prepare_gradient(
            [](auto const& a) { return sum(a) + sum(logsumexp(a, {1})) + 2.0 * sum(logsumexp(a, {0})) + logsumexp(transpose(a)); }, x);
        xt::xtensor<double, 1> const rows = xt::log(xt::sum(xt::exp(x), {1})), columns = xt::log(xt::sum(xt::exp(x), {0}));
        double const all = std::log(xt::sum(xt::exp(x))());
        matrix const expected = 1.0 + xt::exp(x - xt::view(rows, xt::all(), xt::newaxis())) + 2.0 * xt::exp(x - columns) + xt::exp(x - all);
        for (int k = 0; k < 2; ++k) BOOST_CHECK_LT(xt::amax(xt::abs(std::get<0>(g(x).gradient) - expected))(), 1e-13);
    }
}
BOOST_AUTO_TEST_CASE(products_of_any_length) {
    for (std::size_t n = 0; n < 20; ++n) {
        vector x = vector::from_shape({n});
        for (std::size_t i = 0; i < n; ++i) x(i) = 1.0 + std::sin(static_cast<double>(i)) / 2;
        vector const g = slope([](auto const& a) { return prod(a) + prod(view(a, xt::range(xt::placeholders::_, xt::placeholders::_, -1))); }, x);
        for (std::size_t i = 0; i < n; ++i) {
            double others = 2.0;
            for (std::size_t j = 0; j < n; ++j)
                if (j != i) others *= x(j);
            BOOST_CHECK_CLOSE(g(i), others, 1e-12);
        }
    }
}
BOOST_AUTO_TEST_CASE(one_element_and_none) {
    agree([](auto const& x) { return prod(x) + amax(x) + amin(x) + variance(x) + logsumexp(x) + norm_l2(x) + trapz(x) + average(x); },
          [](vector const& x) { return 5 * x(0) + std::abs(x(0)); }, vector{-0.7});
    vector const none = xt::zeros<double>({0});
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& x) { return prod(x) + norm_l2(x) + norm_sq(x) + trapz(x); }, none), 1.0);
    BOOST_CHECK_EQUAL(slope([](auto const& x) { return prod(x) * 2.0; }, none).size(), 0u);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return amax(x); }, none), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return logsumexp(x); }, none), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return variance(x, 2); }, vector{1.0, 2.0}), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(amax(x, {1})); }, vector{1.0, 2.0}), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(prod(x, std::vector<int>{0, 0})); }, vector{1.0, 2.0}), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return average(x, vector{1.0}); }, vector{1.0, 2.0}), std::invalid_argument);
    matrix const flat = xt::zeros<double>({3, 0});
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& x) { return sum(prod(x, {1})) + sum(amax(x, {0})); }, flat), 3.0);
}
BOOST_AUTO_TEST_CASE(numbers_are_their_own_reductions) {
    agree([](auto const& x) { return amax(x) * prod(x) + logsumexp(x) + norm_l2(x) + norm_l1(x); }, [](double x) { return x * x + x + 2 * std::abs(x); }, -0.7);
}
