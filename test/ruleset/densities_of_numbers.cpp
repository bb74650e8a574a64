// Densities whose parameters are numbers: what depends on those alone is computed once. Beside the same densities element by element.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <tuple>

#include <xgrad/distributions.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

namespace op = xgrad::op;

namespace {

using vector = xt::xtensor<double, 1>;
constexpr double infinity = std::numeric_limits<double>::infinity();

void compare(char const* what, double a, double b, double tolerance = 1e-11) {
    BOOST_TEST((a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * (1 + std::abs(b))), what << ": " << a << " for " << b);
}
template <class... P, class... Q>
void compare(char const* what, std::tuple<vector, P...> const& a, std::tuple<vector, Q...> const& b) {
    for (std::size_t i = 0; i < std::get<0>(a).size(); ++i) compare(what, std::get<0>(a)(i), std::get<0>(b)(i));
    [&]<std::size_t... I>(std::index_sequence<I...>) { (compare(what, std::get<I + 1>(a), std::get<I + 1>(b)), ...); }(std::index_sequence_for<P...>{});
}

// A density and the sum of Op: values, gradients and a product with the Hessian.
template <class Op, class F, class... P>
void check(F density, vector const& y, P... p) {
    auto const parts = [](auto const& v, auto const&... q) { return sum(xgrad::elementwise<Op>(v, q...)); };
    auto const a = xgrad::value_and_gradient(density, y, p...), b = xgrad::value_and_gradient(parts, y, p...);
    compare(Op::name, a.value, b.value);
    compare(Op::name, a.gradient, b.gradient);
    // second derivatives: the gradient's derivative along a direction, by differences
    vector const ydot = xt::linspace(0.5, 1.5, y.size());
    double const h = 1e-5;
    auto const at = [&](double t) { return xgrad::gradient(parts, vector(y + t * ydot), (p + t * 0.75)...); };
    auto const product = xgrad::hvp(density, std::tuple(y, p...), std::tuple(ydot, P(0.75)...)).product;
    auto const above = at(h), below = at(-h);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (compare(Op::name, std::get<I + 1>(product), (std::get<I + 1>(above) - std::get<I + 1>(below)) / (2 * h), 1e-6), ...);
    }(std::index_sequence_for<P...>{});
    // parameters that are plain, and the value alone
    auto const of_y = [&](auto const& v) { return density(v, p...); };
    if (y.size() != 0) compare(Op::name, std::get<0>(xgrad::gradient(of_y, y))(0), std::get<0>(b.gradient)(0));
    compare(Op::name, density(y, p...), b.value);
}
#define CHECK(NAME, ...) check<op::NAME>([](auto const&... x) { return NAME(x...); }, __VA_ARGS__)

vector const y{-1.5, 0.25, 2, 0, 30};
vector const positive{0.5, 0.25, 2, 1, 30};
vector const mixed{0.5, -0.25, 2, 0, 30, infinity};
vector const fractions{0.5, 0.25, 0.75};

}

BOOST_AUTO_TEST_CASE(of_a_place_and_a_scale) {
    using namespace xgrad;
    CHECK(normal_lpdf, y, 0.5, 2.0);
    CHECK(cauchy_lpdf, y, 0.5, 2.0);
    CHECK(laplace_lpdf, y, 0.75, 2.0);
    CHECK(logistic_lpdf, y, 0.5, 2.0);
    CHECK(lognormal_lpdf, positive, 0.5, 2.0);
    CHECK(student_t_lpdf, y, 3.0, 0.5, 2.0);
    CHECK(normal_lpdf, vector{}, 0.5, 2.0);
}

BOOST_AUTO_TEST_CASE(of_other_parameters) {
    using namespace xgrad;
    CHECK(exponential_lpdf, positive, 2.0);
    CHECK(gamma_lpdf, positive, 1.5, 2.0);
    CHECK(gamma_lpdf, positive, 1.0, 2.0);
    CHECK(beta_lpdf, fractions, 1.5, 2.5);
}

BOOST_AUTO_TEST_CASE(outside) {
    using namespace xgrad;
    auto const value_of_sum = [](auto density, vector const& v, auto... p) { return xgrad::value(density, v, p...); };
    BOOST_TEST(value_of_sum([](auto const&... x) { return lognormal_lpdf(x...); }, mixed, 0.5, 2.0) == -infinity);
    BOOST_TEST(value_of_sum([](auto const&... x) { return exponential_lpdf(x...); }, mixed, 2.0) == -infinity);
    BOOST_TEST(std::isnan(value_of_sum([](auto const&... x) { return normal_lpdf(x...); }, y, 0.5, -2.0)));
    BOOST_TEST(std::isnan(value_of_sum([](auto const&... x) { return gamma_lpdf(x...); }, positive, -0.5, 2.0)));
    BOOST_TEST(std::isnan(value_of_sum([](auto const&... x) { return laplace_lpdf(x...); }, y, 0.5, -2.0)));
    BOOST_TEST(std::isnan(value_of_sum([](auto const&... x) { return logistic_lpdf(x...); }, y, 0.5, -2.0)));
    // what is outside the support has no derivative
    auto const [dy, dbeta] = xgrad::gradient([](auto const& v, auto const& b) { return exponential_lpdf(v, b); }, vector{-1, 2}, 0.5);
    BOOST_TEST((dy == vector{0, -0.5}));
    BOOST_TEST(dbeta == 0.0);
}

BOOST_AUTO_TEST_CASE(parameters_that_are_temporaries) {
    using namespace xgrad;
    auto const natural = [](auto const& v, auto const& mu, auto const& s) { return normal_lpdf(v * 2.0, mu * mu, exp(s)); };
    auto const declared = [](auto const& v, auto const& mu, auto const& s) -> real { return normal_lpdf(v * 2.0, mu * mu, exp(s)); };
    auto const named = [](auto const& v, auto const& mu, auto const& s) -> real {
        auto sigma = exp(s);
        auto density = student_t_lpdf(v, sigma + 1.0, mu, sigma);
        return density + gamma_lpdf(v * v, sigma, mu);
    };
    auto const of_elements = [](auto const& v, auto const& mu, auto const& s) {
        auto sigma = exp(s);
        return sum(elementwise<op::student_t_lpdf>(v, sigma + 1.0, mu, sigma)) + sum(elementwise<op::gamma_lpdf>(v * v, sigma, mu));
    };
    auto const reference = [](auto const& v, auto const& mu, auto const& s) { return sum(elementwise<op::normal_lpdf>(v * 2.0, mu * mu, exp(s))); };
    auto const expected = gradient(reference, positive, 0.5, 0.25);
    compare("natural", gradient(natural, positive, 0.5, 0.25), expected);
    compare("declared", gradient(declared, positive, 0.5, 0.25), expected);
    compare("named", gradient(named, positive, 0.5, 0.25), gradient(of_elements, positive, 0.5, 0.25));
    // a scale for each element, and floats
    auto const scales = [](auto const& v, auto const& s) { return normal_lpdf(v, 0.0, exp(s)); };
    BOOST_TEST(std::get<1>(gradient(scales, positive, vector(positive))).size() == positive.size());
    xt::xtensor<float, 1> const floats{1, 2};
    auto const [df, dm] = gradient([](auto const& v, auto const& m) { return normal_lpdf(v, m, 2); }, floats, 0.5f);
    BOOST_TEST(df(1) == -1.5f / 4);
    BOOST_TEST(dm == 0.5f);
}

namespace {
// A density by map, of parameters that its items have in common, beside that of an array.
template <class F, class... P>
void check_items(F density, vector const& some, P... p) {
    vector many = vector::from_shape({7 * xgrad::lanes<double> + 3});
    for (std::size_t i = 0; i < many.size(); ++i) many(i) = some(i % some.size());
    auto const item = [density](auto const&... x) -> xgrad::real { return density(x...); };
    auto const items = [&](auto const& v, auto const&... q) { return sum(xgrad::map(item, xgrad::each(v), q...)); };
    auto const a = xgrad::value_and_gradient(items, many, p...), b = xgrad::value_and_gradient(density, many, p...);
    compare("map", a.value, b.value);
    compare("map", a.gradient, b.gradient);
}
}

BOOST_AUTO_TEST_CASE(of_items) {
    check_items([](auto const& v, auto const& mu, auto const& log_sigma) { return normal_lpdf(v, mu, exp(log_sigma)); }, y, 0.5, 0.2);
    check_items([](auto const& v, auto const& mu, auto const& sigma) { return normal_lpdf(mu, v, sigma); }, y, 0.5, 2.0);
    check_items([](auto const& v, auto const& nu, auto const& sigma) { return student_t_lpdf(v, nu + 1.0, 0.25, exp(sigma)); }, y, 3.0, 0.5);
    check_items([](auto const& v, auto const& alpha, auto const& beta) { return gamma_lpdf(v, alpha * alpha, beta); }, positive, 1.5, 2.0);
    // a scale for each item is not in common
    check_items([](auto const& v, auto const& mu) { return normal_lpdf(0.5, mu, exp(v)); }, fractions, 0.5);
}
