// Helpers name intermediates, return expressions of them, and are given temporaries by reference and by value.
#include <cmath>
#include <utility>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
double const a0 = 0.7, b0 = 1.3;
vector const v0{0.3, 0.5, 0.9, 0.2, 0.1};

// An ordinary function template, such as a user has them.
template <class X>
auto softplus(X const& x) {
    auto e = exp(x);
    auto one = e + 1.0;
    return log(one);
}
template <class X>
auto gaussian(X x) {
    auto s = x * x;
    return exp(-s / 2.0) * s;
}
template <class X, class Y>
auto mix(X const& x, Y const& y) {
    auto p = softplus(x);
    auto q = gaussian(y * p);
    return p * q + softplus(q);
}
double plain_softplus(double x) { return std::log(std::exp(x) + 1); }
double plain_gaussian(double x) { return std::exp(-x * x / 2) * x * x; }
double plain_mix(double x, double y) {
    double p = plain_softplus(x), q = plain_gaussian(y * p);
    return p * q + plain_softplus(q);
}

}

BOOST_AUTO_TEST_CASE(an_expression_of_a_helpers_locals) {
    agree(
        [](auto const& x, auto const& y) {
            auto helper = [](auto const& u) {
                auto t = sin(u);
                return t * t * u;
            };
            return helper(x) * y;
        },
        [](double x, double y) { return std::sin(x) * std::sin(x) * x * y; }, a0, b0);
    agree([](auto const& x, auto const& y) { return mix(x, y); }, plain_mix, a0, b0);
    agree([](auto const& x, auto const& y) { auto a = mix(x, y); auto b = mix(a, x * y); return mix(b * a, mix(y, x)); },
          [](double x, double y) { double a = plain_mix(x, y), b = plain_mix(a, x * y); return plain_mix(b * a, plain_mix(y, x)); }, a0, b0);
}

BOOST_AUTO_TEST_CASE(temporaries_to_helpers) {
    agree(
        [](auto const& x, auto const& y) {
            auto square = [](auto const& u) { return u * u; };
            auto z = square(x * y);
            return z * z;
        },
        [](double x, double y) { return std::pow(x * y, 4); }, a0, b0);
    agree([](auto const& x, auto const& y) { auto square = [](auto u) { return u * u; }; auto z = square(x * y); return square(z) * square(sin(x)); },
          [](double x, double y) { return std::pow(x * y, 4) * std::sin(x) * std::sin(x); }, a0, b0);
    agree(
        [](auto const& x, auto const& y) {
            auto f = [](auto&& u) {
                auto t = u * 2.0;
                return std::forward<decltype(u)>(u) * t;
            };
            auto a = x * y;
            auto b = f(a);
            return f(x * y) + f(std::move(a)) * b;
        },
        [](double x, double y) {
            double a = x * y;
            return 2 * a * a + 4 * a * a * a * a;
        },
        a0, b0);
    agree([](auto const& x, auto const& y) { return softplus(softplus(x * y) * softplus(y)); },
          [](double x, double y) { return plain_softplus(plain_softplus(x * y) * plain_softplus(y)); }, a0, b0);
}

BOOST_AUTO_TEST_CASE(helpers_of_a_scoped_function) {
    // they take what they name as parameters, or return a variable of variables
    agree(
        [](auto const& x, auto const& y) -> xgrad::real {
            auto square = [](auto const& u) { return u * u; };
            auto a = x * y;
            auto z = square(a);
            auto w = square(z);
            return w * square(a);
        },
        [](double x, double y) { return std::pow(x * y, 6); }, a0, b0);
    agree(
        [](auto const& x, auto const& y) -> xgrad::real {
            auto helper = [](auto const& u) {
                variable t = sin(u);
                return variable(t * t);
            };
            auto w = x * y;
            auto z = helper(w);
            return z * helper(z);
        },
        [](double x, double y) {
            double s = std::sin(x * y), z = s * s;
            return z * std::sin(z) * std::sin(z);
        },
        a0, b0);
    agree(
        [](auto const& x, auto const& y) -> xgrad::real {
            auto loss = [](auto const& u, auto const& v) -> xgrad::real {
                auto t = sin(u);
                auto s = t * v;
                return s * t;
            };
            return loss(x, y);
        },
        [](double x, double y) { return std::sin(x) * std::sin(x) * y; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(scalars_come_out_of_helpers_of_a_scoped_function) {
    // a value that is made of what is outside comes out, by a move, by a copy, or in something that holds it
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto pick =
                                                             [](auto const& u, bool first) {
                                                                 auto a = u * 2.0;
                                                                 auto b = u * 3.0;
                                                                 if (first) return a;
                                                                 return b;
                                                             };
                         auto p = pick(x, true); auto q = pick(y, p > 1.0); return p * q * p;),
        [](double x, double y) { return 2 * x * 2 * y * 2 * x; }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto both =
                                                             [](auto const& u, auto const& v) {
                                                                 auto s = u + v;
                                                                 auto d = u - v;
                                                                 return std::pair(std::move(s), d);
                                                             };
                         auto [s, d] = both(x, y); auto t = both(s, d); return t.first * s * t.second;),
        [](double x, double y) { return 2 * x * (x + y) * 2 * y; }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto by_value =
                                                             [](auto u, auto v) {
                                                                 auto w = u * v;
                                                                 return w;
                                                             };
                         auto a = x * y; auto b = by_value(x, y); auto c = std::move(b); return sin(c) + a * by_value(y, x);),
        [](double x, double y) { return std::sin(x * y) + x * y * x * y; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(helpers_of_arrays) {
    auto normalised = [](auto const& u) { auto m = mean(u); auto c = u - m; auto s = sqrt(mean(c * c)); return c / s; };
    auto plain_normalised = [](vector const& u) { vector c = u - xt::mean(u)(); return vector(c / std::sqrt(xt::mean(c * c)())); };
    agree([&](auto const& x) { auto n = normalised(x); return sum(n * x); }, [&](vector const& x) { return xt::sum(plain_normalised(x) * x)(); }, v0);
    agree(
        [&](auto const& x) {
            auto softmax = [](auto const& u) {
                auto e = exp(u);
                return e / sum(e);
            };
            auto p = softmax(normalised(x * x));
            return sum(p * log(p));
        },
        [&](vector const& x) {
            vector n = plain_normalised(x * x), e = xt::exp(n), p = e / xt::sum(e)();
            return xt::sum(p * xt::log(p))();
        },
        v0);
    agree([](auto const& x) -> xgrad::real { auto e = exp(x); auto s = sum(e); auto p = e / s; auto l = log(p); return sum(p * l); },
          [](vector const& x) { vector e = xt::exp(x), p = e / xt::sum(e)(); return xt::sum(p * xt::log(p))(); }, v0);
    // arrays count in either mode: these helpers are fine in a scoped function, too
    agree(
        [](auto const& x) -> xgrad::real {
            auto helper = [](auto const& u) {
                auto t = sin(u);
                return t * t * u;
            };
            auto h = helper(x * x);
            return sum(h * helper(h));
        },
        [](vector const& x) {
            auto f = [](vector const& u) { return vector(xt::sin(u) * xt::sin(u) * u); };
            vector h = f(x * x);
            return xt::sum(h * f(h))();
        },
        v0);
}
