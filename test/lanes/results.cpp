// map(f, a...) where f gives several results: declared and not, as arrays, tuples and structs; beside a loop, by the verbs, and of plain arguments.
#include <array>
#include <cmath>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/count_allocations.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::each, xgrad::pick;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using fixed = xt::xtensor_fixed<double, xt::xshape<2>>;

namespace {

struct quote {
    double price, delta;
};
XGRAD_REFLECT(quote, price, delta)
struct book {
    quote bid;
    double size;
    std::array<double, 2> spread;
    quote ask;
};
XGRAD_REFLECT(book, bid, size, spread, ask)

vector const x = 0.33 + xt::linspace(0.0, 1.0, 11);
matrix const p = xt::ones<double>({11, 2}) * 0.5;
double const s = 0.7;

auto const pair = [](auto const& a, auto const& q, auto const& t) -> xgrad::result<std::array<double, 2>> {
    auto u = sin(a * t);
    auto v = q(0) * u;
    return std::tuple(v * v + a, u * exp(q(1)));
};
auto const row = [](auto const& a, auto const& q, auto const& t) -> xgrad::result<fixed> {
    auto u = a * t;
    return q * u + q * q;
};
auto const structure = [](auto const& a, auto const& q, auto const& t) -> xgrad::result<quote> {
    if (a > 1.0) return std::tuple(a * t, q(0) * 1.0);
    auto u = exp(-a * t);
    return {u * q(0), u * u};
};
auto const loose = [](auto const& a, auto const& q, auto const& t) {
    auto u = tanh(a * t);
    return std::tuple(u * q(0) + a, q(1) * u);
};

// The gradient beside differences, and the forward mode beside it.
template <bool Forward, class F>
void right(F const& f) {
    auto g = xgrad::prepare_gradient(f, x, p, s);
    auto const first = g(x, p, s);
    auto const& [dx, dp, ds] = first.gradient;
    auto at = [&](double step) { return xgrad::value(f, vector(x + step * dx), matrix(p + step * dp), s + step * ds); };
    double const size = xt::sum(dx * dx)() + xt::sum(dp * dp)() + ds * ds;
    double const h = 1e-6 / std::sqrt(size);
    BOOST_TEST(std::abs((at(h) - at(-h)) / (2 * h) - size) < 1e-6 * size);
    if constexpr (Forward) BOOST_TEST(std::abs(xgrad::jvp(f, std::tuple(x, p, s), first.gradient).tangent - size) < 1e-12 * size);
    auto const before = allocations;
    (void)g(x, p, s);
    BOOST_TEST(allocations == before);
}

}

BOOST_AUTO_TEST_CASE(arrays_of_results) {
    auto const f = [](auto const& a, auto const& q, auto const& t) {
        auto y = xgrad::map(pair, each(a), each<2>(q), t);
        auto z = xgrad::map(row, each(a), each<2>(q), t);
        return sum(y * y) + sum(sin(z)) + y(3, 1) * t + sum(xgrad::map(pair, each(a), each<2>(q), t));
    };
    right<true>(f);
    auto const before = xgrad::packs_of_maps();
    auto const y = xgrad::value([](auto const& a, auto const& q, auto const& t) { return xgrad::map(pair, each(a), each<2>(q), t)(10, 0); }, x, p, s);
    BOOST_TEST(xgrad::packs_of_maps().run - before.run == 11 / xgrad::lanes<double>);
    double const u = std::sin(x(10) * s);
    BOOST_TEST(std::abs(y - (0.25 * u * u + x(10))) < 1e-15);
    matrix const plain = xgrad::map(pair, each(x), each<2>(p), s), rows = xgrad::map(row, each(x), each<2>(p), s);
    BOOST_TEST((plain.shape(0) == 11 && plain.shape(1) == 2 && std::abs(plain(10, 0) - y) < 1e-15 && std::abs(rows(1, 1) - (0.5 * x(1) * s + 0.25)) < 1e-15));
    auto const j = xgrad::jacobian([](auto const& a) { return xgrad::map(pair, each(a), each<2>(p), s); }, x);
    BOOST_TEST((j.dimension() == 3 && std::abs(j(2, 0, 2) - (0.5 * std::sin(x(2) * s) * std::cos(x(2) * s) * s + 1)) < 1e-14 && j(2, 0, 3) == 0.0));
}

BOOST_AUTO_TEST_CASE(structs_of_results) {
    right<false>([](auto const& a, auto const& q, auto const& t) {
        auto const y = xgrad::map(structure, each(a), each<2>(q), t);
        return sum(y.price * y.delta) + sum(y.price);
    });
    auto const plain = xgrad::map(structure, each(x), each<2>(p), s);
    BOOST_TEST((std::abs(plain.price(0) - 0.5 * std::exp(-x(0) * s)) < 1e-15 && plain.delta(10) == 0.5));
}

BOOST_AUTO_TEST_CASE(results_that_are_not_declared) {
    right<false>([](auto const& a, auto const& q, auto const& t) {
        auto const [y, z] = xgrad::map(loose, each(a), each<2>(q), t);
        return sum(y * y) + sum(z * z * z);
    });
}

// Structs in structs: each part has its own columns, of the same names.
BOOST_AUTO_TEST_CASE(structs_of_structs) {
    auto const declared = [](auto const& a, auto const& t) -> xgrad::result<book> {
        return std::tuple(std::tuple(a * t, a * a), a * 0.1, std::tuple(t * 1.0, a * 3.0), std::tuple(sin(a), a * t * t));
    };
    auto const undeclared = [](auto const& a, auto const& t) {
        return std::tuple(std::pair(a * 10.0, a * t), a * 0.1, std::tuple(std::tuple(a * a, a), a + t));
    };
    auto const of_books = [&](auto const& a, auto const& t) {
        auto b = xgrad::map(declared, each(a), t);
        return sum(b.bid.price) + 2.0 * sum(b.bid.delta) + 3.0 * sum(b.size) + sum(b.spread) + 5.0 * sum(b.ask.price) + 7.0 * sum(b.ask.delta);
    };
    auto const of_tuples = [&](auto const& a, auto const& t) {
        auto [first, size, last] = xgrad::map(undeclared, each(a), t);
        return sum(std::get<1>(first)) + 2.0 * sum(size * size) + sum(std::get<0>(std::get<0>(last))) + 0.0 * sum(std::get<0>(first));
    };
    auto const [db, dbt] = xgrad::gradient(of_books, x, s);
    auto const [dt, dtt] = xgrad::gradient(of_tuples, x, s);
    double books = 0, tuples = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const a = x(i);
        books += a + 1.0 + 14.0 * a * s;
        tuples += a;
        BOOST_TEST(std::abs(db(i) - (s + 4.0 * a + 0.3 + 3.0 + 5.0 * std::cos(a) + 7.0 * s * s)) < 1e-13);
        BOOST_TEST(std::abs(dt(i) - (s + 0.04 * a + 2.0 * a)) < 1e-13);
    }
    BOOST_TEST((std::abs(dbt - books) < 1e-12 && std::abs(dtt - tuples) < 1e-12));
    auto const plain = xgrad::map(declared, each(x), s);
    BOOST_TEST((plain.bid.delta(3) == x(3) * x(3) && plain.size(2) == x(2) * 0.1 && plain.spread(4, 1) == x(4) * 3.0));
    BOOST_TEST(plain.ask.price(10) == std::sin(x(10)));
    auto const [first, size, last] = xgrad::map(undeclared, each(x), s);
    BOOST_TEST((first.second(1) == x(1) * s && size(2) == x(2) * 0.1 && std::get<0>(std::get<0>(last))(3) == x(3) * x(3)));
}
