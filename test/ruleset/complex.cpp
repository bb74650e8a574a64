// Complex arguments: the gradient of a real function is df/d(re z) + i df/d(im z), as central differences in both directions find it.
// Here are the rows of op::real, op::imag, op::conj, op::arg and op::squared_magnitude (as norm_sq).
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../count_allocations.hpp"
#include "complex_numbers.hpp"

using namespace complex_numbers;

namespace {

template <class G, class X, class V>
void agree_with_differences(char const* name, V const& value, X& x, G const& g) {
    if constexpr (requires { x.begin(); }) {
        BOOST_REQUIRE(x.size() == g.size());
        auto at = g.begin();
        for (auto& e : x) agree_with_differences(name, value, e, *at++);
    } else {
        X const d = difference(value, x);
        BOOST_TEST(std::abs(d - g) <= 2e-7 * (1 + std::abs(d)), name << ": found " << g << ", expected " << d);
    }
}
template <class F, class... X>
void check(char const* name, F f, X... x) {
    auto const r = xgrad::value_and_gradient(f, x...);
    auto const value = [&] { return static_cast<double>(xgrad::value(f, x...)); };
    BOOST_TEST(r.value == value(), boost::test_tools::tolerance(1e-13));
    std::apply([&](auto const&... g) { (agree_with_differences(name, value, x, g), ...); }, r.gradient);
}

}  // namespace

BOOST_AUTO_TEST_CASE(elementwise_operations) {
    number const z(0.7, -0.4), w(-0.3, 1.1);
    auto const row = [&](char const* name, auto op) {
        check(name, [op](auto const& a) { return both(op(a)); }, z);
        check(name, [op](auto const& a) { return sum(both(op(a))); }, line{z, w, number(1.2, 0.3)});
    };
#define ROW(NAME) row(#NAME, [](auto const& a) { return NAME(a); });
    ROW(exp)
    ROW(log) ROW(log10) ROW(sqrt) ROW(sin) ROW(cos) ROW(tan) ROW(asin) ROW(acos) ROW(atan) ROW(sinh) ROW(cosh) ROW(tanh) ROW(asinh) ROW(acosh) ROW(atanh)
        ROW(square) ROW(cube) ROW(conj) ROW(xgrad::pow<5>)
#undef ROW
            row("-a", [](auto const& a) { return -a; });
    check("abs", [](auto const& a) { return abs(a) + arg(a) + real(a) * imag(a); }, z);
    check("abs of arrays", [](auto const& a) { return sum(abs(a) * arg(a)); }, line{z, w});
    auto const pair = [&](char const* name, auto op) {
        check(name, [op](auto const& a, auto const& b) { return both(op(a, b)); }, z, w);
        check(name, [op](auto const& a, auto const& b) { return both(op(a, b)); }, z, 0.6);
        check(name, [op](auto const& a, auto const& b) { return both(op(a, b)); }, 0.6, z);
        check(name, [op](auto const& a, auto const& b) { return sum(both(op(a, b))); }, line{z, w}, number(0.2, 0.9));
        check(name, [op](auto const& a, auto const& b) { return sum(both(op(a, b))); }, reals{0.4, 0.8}, line{z, w});
        check(name, [op](auto const& a) { return both(op(a, number(0.1, 0.5)) + op(2.5, a)); }, z);
        check(name, [op](auto const& a) { return both(op(a, number(0.1, 0.5))); }, 0.8);
    };
    pair("a + b", [](auto const& a, auto const& b) { return a + b; });
    pair("a - b", [](auto const& a, auto const& b) { return a - b; });
    pair("a * b", [](auto const& a, auto const& b) { return a * b; });
    pair("a / b", [](auto const& a, auto const& b) { return a / b; });
    pair("pow(a, b)", [](auto const& a, auto const& b) { return pow(a, b); });
    // at the origin, where abs has no derivative
    auto const g = xgrad::gradient([](auto const& a) { return abs(a); }, number(0, 0));
    BOOST_TEST((std::get<0>(g) == number(0, 0)));
}

BOOST_AUTO_TEST_CASE(arrays) {
    matrix const a{{number(1, 2), number(0.3, -1), number(-0.2, 0.1)}, {number(0.5, 0.5), number(-1, 0.2), number(2, -0.3)}};
    line const b{number(0.1, 0.2), number(-0.4, 0.9), number(0.6, -0.5)};
    check("broadcasting", [](auto const& u, auto const& v) { return sum(both(u * v + v / (u + 3.0))); }, a, b);
    check("sums along axes", [](auto const& u) { return sum(both(square(sum(u, {1})))) + both(mean(u)) + both(sum(mean(u, {0}) * number(0, 2))); }, a);
    check("names", [](auto const& u) { auto v = exp(u); auto w = v * u; return sum(abs(w + conj(v))); }, a);
    check("norms", [](auto const& u) { return norm_l2(u) + norm_sq(u) + norm_l1(u) + norm_linf(u) + norm_lp(u, 3.0) + sum(norm_l2(u, {0})); }, a);
    check("products", [](auto const& u) { return both(prod(u)) + sum(both(cumsum(u, 0) * cumprod(u, 1))) + sum(both(diff(u, 1, 1))); }, a);
    check(
        "views",
        [](auto const& u) {
            return both(u(0, 1) * u(1, 2)) + sum(abs(xgrad::view(u, xt::all(), xt::range(0, 3, 2)))) + sum(both(transpose(u) * 2.0)) +
                   sum(both(square(flatten(u))));
        },
        a);
    check(
        "indices",
        [](auto const& u) {
            return sum(both(concatenate(xt::xtuple(u, u * u), 1))) + sum(abs(roll(u, 1, 0) * u)) + sum(abs(take(u, xt::xtensor<std::size_t, 1>{2, 0, 2}, 1)));
        },
        a);
    check("choice", [](auto const& u) { return sum(both(where(abs(u) > 1.0, u * u, conj(u)))); }, a);
    check("dynamic rank", [](auto const& u) { return sum(abs(u * u + 1.0)); }, xt::xarray<number>(a));
    check("columns first", [](auto const& u) { return sum(abs(u * u + 1.0)); }, xt::xtensor<number, 2, xt::layout_type::column_major>(a));
    check("variables", [](auto const& u) { xgrad::variable s = u(0) * u(1); for (std::size_t i = 0; i < 3; ++i) s = s * u(i) + 1.0; return both(s); }, b);
    check(
        "declared",
        [](auto const& u, auto const& v) -> xgrad::real {
            auto p = u * v;
            return abs(p * p + u) + real(v * conj(u));
        },
        number(0.3, 0.4), number(-1, 2));
    // empty, and of one element
    check("empty", [](auto const& u) { return sum(abs(u)) + both(sum(u)); }, line(std::array<std::size_t, 1>{0}));
    check("one element", [](auto const& u) { return sum(abs(u)) + both(sum(u)); }, line{number(0.4, 0.6)});
    // where nothing contributes
    auto const g = xgrad::gradient([](auto const& u, auto const& x) { return x * static_cast<double>(u.shape(0)); }, b, 2.0);
    BOOST_TEST((std::get<0>(g) == line{number(), number(), number()}));
}

BOOST_AUTO_TEST_CASE(products_of_matrices) {
    auto const f = [](auto const& a, auto const& b) { return sum(abs(dot(a, b))) + sum(both(dot(transpose(b), transpose(a)))); };
    check("small", f, matrix_of(2, 3, 0.3), matrix_of(3, 2, 0.7));
    check("by BLAS", f, matrix_of(7, 9, 0.3), matrix_of(9, 8, 0.7));
    line const k{number(1, 2), number(-1, 0.5)};
    check(
        "vdot", [&](auto const& a, auto const& b) { return both(xgrad::vdot(a, b)) + both(xgrad::vdot(k, a)) + both(xgrad::vdot(a, k)); },
        line(k * number(0.5, 1)), line{number(2, 1), number(0.3, -0.2)});
    number const inner = xt::sum(line{std::conj(k(0)) * k(0), std::conj(k(1)) * k(1)})();
    BOOST_TEST(xgrad::value([&](auto const& a) { return abs(xgrad::vdot(a, k) - inner); }, k) < 1e-15);
    check(
        "of a vector", [](auto const& a, auto const& b) { return sum(abs(dot(a, b))) + both(dot(b, b)); }, matrix_of(7, 9, 0.3),
        line(xt::view(matrix_of(9, 1, 0.1), xt::all(), 0)));
}

namespace {
struct signal { line samples; number gain; double rate; };
XGRAD_REFLECT(signal, samples, gain, rate)

struct half_turn {
    number operator()(number const& z) const { return z * number(0, 1); }
};
}
template <>
struct xgrad::rule<half_turn> {
    // ẏ = i ż, so z̄ = conj(i) ȳ
    static auto rrule(codual<std::complex<double>> const& z) {
        std::complex<double> const i(0, 1);
        return value_with_pullback{z.primal * i, [i](std::complex<double> const& ybar) { return std::tuple(ybar * std::conj(i)); }};
    }
};

BOOST_AUTO_TEST_CASE(structs_and_memory_of_ones_own) {
    signal const s{{number(1, 2), number(-1, 0.5)}, number(0.3, -0.2), 2.0};
    auto const f = [](auto const& m) { return sum(abs(m.samples * m.gain)) * m.rate; };
    auto const g = std::get<0>(xgrad::gradient(f, s));
    check("samples", [&](auto const& x) { return sum(abs(x * s.gain)) * s.rate; }, s.samples);
    BOOST_TEST((g.samples == std::get<0>(xgrad::gradient([&](auto const& x) { return sum(abs(x * s.gain)) * s.rate; }, s.samples))));
    // adding to a gradient twice gives it three times
    auto many = xgrad::gradient(f, s);
    xgrad::add_gradient(many, f, s);
    xgrad::add_gradient(many, f, s);
    auto const& m = std::get<0>(many);
    for (std::size_t i = 0; i < 2; ++i) BOOST_TEST(std::abs(m.samples(i) - 3.0 * g.samples(i)) < 1e-14);
    BOOST_TEST(std::abs(m.gain - 3.0 * g.gain) < 1e-14);
    BOOST_TEST(m.rate == 3 * g.rate, boost::test_tools::tolerance(1e-14));
    // a call that throws leaves it as it was
    auto const kept = many;
    BOOST_CHECK_THROW(xgrad::add_gradient(many, [&](auto const& x) { auto y = f(x); throw 1; return y; }, s), int);
    BOOST_TEST((std::get<0>(many).samples == std::get<0>(kept).samples));
    check("a vector", [](auto const& v) { return abs(v[0] * v[1]) + real(v[1]); }, std::vector<number>{number(1, 2), number(0.2, 0.3)});
    // prepared: the second call allocates nothing
    auto prepared = xgrad::prepare_gradient(f, s);
    prepared(s);
    std::size_t const before = allocations;
    auto const& r = prepared(s);
    BOOST_TEST(allocations == before);
    BOOST_TEST((std::get<0>(r.gradient).samples == g.samples));
}

BOOST_AUTO_TEST_CASE(pullbacks_rules_and_hooks) {
    // the pullback of a holomorphic function multiplies with the conjugate of its derivative
    number const z(0.4, 0.9), seed(0.3, -2.0);
    auto [y, pullback] = xgrad::vjp([](auto const& a) { return a * a; }, z);
    BOOST_TEST(std::abs(y - z * z) < 1e-15);
    for (int i = 0; i < 2; ++i) BOOST_TEST(std::abs(std::get<0>(pullback(seed)) - std::conj(2.0 * z) * seed) < 1e-15);
    line const x{z, number(1, -1)}, seeds{seed, number(0.5, 0.25)};
    auto [v, pull] = xgrad::vjp([](auto const& a) { return exp(a); }, x);
    line expected = xt::exp(x);
    for (std::size_t i = 0; i < 2; ++i) expected(i) = std::conj(expected(i)) * seeds(i);
    for (int k = 0; k < 2; ++k) {
        auto const xbar = std::get<0>(pull(seeds));
        for (std::size_t i = 0; i < 2; ++i) BOOST_TEST(std::abs(xbar(i) - expected(i)) < 1e-14);
    }
    check("a rule", [](auto const& a) { return both(xgrad::call(half_turn{}, a * a)) + abs(a); }, z);
    check(
        "a custom gradient",
        [](auto const& a) {
            return both(xgrad::custom_gradient(
                [](number const& u) { return xgrad::value_with_pullback{u * u, [u](number const& ybar) { return std::conj(2.0 * u) * ybar; }}; }, a));
        },
        z);
    number seen;
    auto const g = xgrad::gradient([&](auto const& a) { return real(xgrad::hook(a, [&](auto& abar) { seen = abar; }) * number(0, 1)); }, z);
    BOOST_TEST((seen == number(0, -1)));
    BOOST_TEST((std::get<0>(g) == number(0, -1)));
    xt::xtensor<number, 1> seen_of_array;
    xgrad::gradient([&](auto const& a) { return sum(real(xgrad::hook(a, [&](auto& abar) { seen_of_array = abar; }) * number(0, 1))); }, x);
    BOOST_TEST((seen_of_array == line{number(0, -1), number(0, -1)}));
}

BOOST_AUTO_TEST_CASE(other_precisions) {
    std::complex<float> const f(0.5f, -0.25f);
    auto const gf = xgrad::gradient([](auto const& a) { return abs(a * a * 2.0f); }, f);
    auto const gd = xgrad::gradient([](auto const& a) { return abs(a * a * 2.0); }, number(f));
    BOOST_TEST(std::abs(number(std::get<0>(gf)) - std::get<0>(gd)) < 1e-6);
    std::complex<long double> const l(0.5L, -0.25L);
    auto const gl = xgrad::gradient([](auto const& a) { return abs(a * a * 2.0L); }, l);
    BOOST_TEST(std::abs(number(std::get<0>(gl)) - std::get<0>(gd)) < 1e-15);
    xt::xtensor<std::complex<float>, 1> const many{f, f};
    auto const gm = xgrad::gradient([](auto const& a) { return sum(abs(a)); }, many);
    BOOST_TEST(std::abs(std::get<0>(gm)(1) - f / std::abs(f)) < 1e-6f);
    // what is not a number stays with its element
    line const n{number(std::numeric_limits<double>::quiet_NaN(), 0), number(1, 1)};
    auto const gn = std::get<0>(xgrad::gradient([](auto const& a) { return sum(abs(a)); }, n));
    BOOST_TEST(std::isnan(gn(0).real()));
    BOOST_TEST(std::abs(gn(1) - number(1, 1) / std::sqrt(2.0)) < 1e-15);
}
