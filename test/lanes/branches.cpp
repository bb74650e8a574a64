// map(f, a...) where f decides by values: branches, early returns, loops, choices; packs whose items disagree are computed item by item, and counted.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/explain.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::each;

namespace {

using vector = xt::xtensor<double, 1>;
constexpr std::size_t lanes = xgrad::lanes<double>;

// f by map against f one by one: values and derivatives, and how many packs were run once more.
template <class F>
std::size_t split_packs(F const& f, vector const& x, double s) {
    auto const before = xgrad::packs_of_maps();
    auto const [y, g] = xgrad::value_and_gradient([&](auto const& a, auto const& b) { return sum(xgrad::map(f, each(a), b)); }, x, s);
    auto const after = xgrad::packs_of_maps();
    auto const& [dx, ds] = g;
    auto const [dx2, ds2] = xgrad::gradient(
        [&](auto const& a, auto const& b) {
            auto r = xgrad::map(f, each(a), b);
            return sum(r * r) * 0.5;
        },
        x, s);
    double total = 0, slope = 0, slope2 = 0;
    auto one = xgrad::prepare_gradient(f, 1.0, s);
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto const& r = one(x(i), s);
        auto const& [da, db] = r.gradient;
        total += r.value;
        slope += db;
        slope2 += db * r.value;
        BOOST_TEST(std::abs(dx(i) - da) <= 1e-14 * std::max(1.0, std::abs(da)));
        BOOST_TEST(std::abs(dx2(i) - da * r.value) <= 1e-13 * std::max(1.0, std::abs(da * r.value)));
    }
    auto near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)); };
    BOOST_TEST((near(y, total) && near(ds, slope) && near(ds2, slope2)));
    return after.split - before.split;
}

vector line(std::size_t n, double from, double step) {
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = from + step * static_cast<double>(i);
    return x;
}

}

BOOST_AUTO_TEST_CASE(branches_and_early_returns) {
    auto const f = [](auto const& a, auto const& s) -> xgrad::real {
        if (a < 1.0) return a * a * s;
        auto u = exp(-a);
        if (!(u * s < 0.2)) return u + s;
        return sqrt(a) * u;
    };
    std::size_t const n = 6 * lanes + 1;
    BOOST_TEST(split_packs(f, line(n, 0.1, 0.01 / static_cast<double>(lanes)), 0.7) == 0u);
    // one pack has the step, or none where it falls between two
    vector x = line(n, 0.1, 0.0);
    for (std::size_t i = 2 * lanes + 1; i < n; ++i) x(i) = 2.5;
    BOOST_TEST(split_packs(f, x, 0.7) == 1u);
    for (std::size_t i = 0; i < n; ++i) x(i) = i < 2 * lanes ? 0.5 : 3.0;
    BOOST_TEST(split_packs(f, x, 0.7) == 0u);
    // a NaN disagrees with numbers
    auto const is_there = [](auto const& a, auto const& s) -> xgrad::real {
        if (isnan(a)) return s * 2.0;
        return a * s;
    };
    x(1) = std::nan("");
    auto const [dx, ds] = xgrad::gradient([&](auto const& a, auto const& s) { return sum(xgrad::map(is_there, each(a), s)); }, x, 0.5);
    BOOST_TEST((dx(0) == 0.5 && dx(1) == 0.0 && dx(n - 1) == 0.5));
}

BOOST_AUTO_TEST_CASE(most_packs_disagree) {
    auto const f = [](auto const& a, auto const& s) -> xgrad::real {
        if (a > 0.0) return a * s;
        return a * a * a;
    };
    std::size_t const n = 1000 * lanes;
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = i % 2 == 0 ? 0.5 : -0.25;
    // it is not tried for ever
    BOOST_TEST(split_packs(f, x, 2.0) <= 17u);
}

BOOST_AUTO_TEST_CASE(loops_on_values) {
    // Newton's iteration for a square root: as many steps as each item needs
    auto const f = [](auto const& a, auto const& s) -> xgrad::real {
        xgrad::variable r = a * s;
        int steps = 0;
        while (abs(r * r - a) > 1e-9 && ++steps < 50) r = 0.5 * (r + a / r);
        return r * s;
    };
    std::size_t const n = 4 * lanes + 1;
    BOOST_TEST(split_packs(f, line(n, 2.0, 0.0), 0.9) == 0u);
    (void)split_packs(f, line(n, 0.5, 3.0), 0.9);
    auto const by_number = [](auto const& a, auto const& s) -> xgrad::real {
        switch (static_cast<int>(xgrad::primal(a))) {
            case 0: return a * s;
            case 1: return a * a;
            default: return exp(a * s);
        }
    };
    (void)split_packs(by_number, line(n, 0.25, 0.5), 0.9);
    BOOST_TEST(split_packs(by_number, line(n, 1.5, 0.0), 0.9) == 0u);
}

BOOST_AUTO_TEST_CASE(choices) {
    // into what is not taken goes nothing, not even where it is infinite
    auto const f = [](auto const& a, auto const& s) -> xgrad::real { return xgrad::where(a > 0.0, sqrt(a) * s, a * s); };
    vector x = line(3 * lanes + 1, -1.0, 0.25);
    x(2) = 0.0;
    // the packs with an item at 0 or below, whose square root is not taken
    BOOST_TEST(split_packs(f, x, 1.5) > 0u);
    auto const smooth = [](auto const& a, auto const& s) -> xgrad::real { return xgrad::where(a > 0.0, exp(a) * s, a * s) * xgrad::where(a < s, a, s); };
    BOOST_TEST(split_packs(smooth, x, 0.2) == 0u);
    auto const several = [](auto const& a, auto const& s) -> xgrad::real {
        auto low = a < -0.25;
        auto high = a > 0.25;
        auto y = xgrad::select(xt::xtuple(low, high), xt::xtuple(a * a, s * a), a + s);
        return y * exp(-a);
    };
    BOOST_TEST(split_packs(several, x, 0.3) == 0u);
    auto const g = [](auto const& a, auto const& s) -> xgrad::real { return xgrad::maximum(a, s) * xgrad::clip(a, -0.5, 0.5) + abs(a); };
    BOOST_TEST(split_packs(g, x, 0.25) == 0u);
}

// What all items have in common is computed once, and what only looks like it is not.
BOOST_AUTO_TEST_CASE(what_items_have_in_common) {
    vector const x = line(5 * lanes + 3, 0.1, 0.07);
    auto const named = [](auto const& a, auto const& s) -> xgrad::real {
        auto e = exp(s);
        auto l = log(e) + erf(s + 2.0) * pow(s, 1.5);
        return a / e - l * (1.0 / s) + sqrt(s * s + 1.0) * a;
    };
    auto const many = [](auto const& a, auto const& s) -> xgrad::real {
        xgrad::variable total = a * s;
        for (int k = 1; k < 13; ++k) total = total + sin(s * static_cast<double>(k)) * a;
        return total;
    };
    auto const unlike = [](auto const& a, auto const& s) -> xgrad::real {
        auto y = a < 0.5 ? xgrad::variable(exp(s)) : xgrad::variable(exp(2.0 * s));
        return y * a;
    };
    auto const chosen = [](auto const& a, auto const& s) -> xgrad::real { return exp(where(a < 1.0, cos(s), sin(s))) + log(where(a < 0.6, 2.0, s + 1.0)); };
    auto const variables = [](auto const& a, auto const& s) -> xgrad::real {
        xgrad::variable t = exp(s);
        t = t * a;
        auto u = tanh(t);
        return u + exp(s);
    };
    auto const alone = [](auto const&, auto const& s) -> xgrad::real { return exp(s) * s; };
    auto const extremes = [](auto const& a, auto const& s) -> xgrad::real { return maximum(exp(s), 1.5) * a + abs(s) + atan2(s, exp(s)); };
    for (double const s : {0.7, 0.2}) {
        BOOST_TEST(split_packs(named, x, s) == 0u);
        BOOST_TEST(split_packs(many, x, s) == 0u);
        BOOST_TEST(split_packs(unlike, x, s) <= 1u);
        BOOST_TEST(split_packs(chosen, x, s) == 0u);
        BOOST_TEST(split_packs(variables, x, s) == 0u);
        BOOST_TEST(split_packs(alone, x, s) == 0u);
        BOOST_TEST(split_packs(extremes, x, s) == 0u);
    }
}

// A comparison of an item's array has one truth for each element, in all lanes or not.
BOOST_AUTO_TEST_CASE(arrays_that_are_asked) {
    auto const f = [](auto const& r, auto const& s) -> xgrad::real {
        if (xt::all(r > 0.0)) return r(0) * r(1) * s;
        if (xt::any(r > 1.0)) return r(1) * s + r(0) * r(0);
        return r(0) * r(0) * r(1);
    };
    auto const total = [&](auto const& x, auto const& s) { return sum(xgrad::map(f, each<2>(x), s)); };
    xt::xtensor<double, 2> x = xt::ones<double>({4 * lanes, std::size_t(2)});
    auto before = xgrad::packs_of_maps();
    BOOST_TEST(xgrad::value(total, x, 0.5) == 2.0 * static_cast<double>(lanes));
    BOOST_TEST((xgrad::packs_of_maps().split - before.split == 0u && xgrad::packs_of_maps().run - before.run == 4u));
    x = xt::xtensor<double, 2>::from_shape({3 * lanes + 2, 2});
    for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = 2.0 * std::sin(1.7 * static_cast<double>(k));
    auto const [y, g] = xgrad::value_and_gradient(total, x, 0.7);
    auto const& [dx, ds] = g;
    double expected = 0, slope = 0, error = 0;
    for (std::size_t i = 0; i < x.shape(0); ++i) {
        double const a = x(i, 0), b = x(i, 1);
        bool const both = a > 0 && b > 0, some = a > 1 || b > 1;
        expected += both ? a * b * 0.7 : some ? b * 0.7 + a * a : a * a * b;
        slope += both ? a * b : some ? b : 0.0;
        error = std::max({error, std::abs(dx(i, 0) - (both ? b * 0.7 : some ? 2 * a : 2 * a * b)), std::abs(dx(i, 1) - (both ? a * 0.7 : some ? 0.7 : a * a))});
    }
    BOOST_TEST((std::abs(y - expected) < 1e-12 && std::abs(ds - slope) < 1e-12 && error < 1e-14));
}

BOOST_AUTO_TEST_CASE(explained) {
    auto const f = [](auto const& a, auto const& s) -> xgrad::real { return a * s; };
    auto const loss = [&](auto const& a, auto const& s) {
        auto r = xgrad::map(f, each(a), s);
        return sum(r * r) + sum(xgrad::map(f, each(a), s));
    };
    auto const text = xgrad::explain(loss, line(5, 0.0, 1.0), 2.0).text();
    BOOST_TEST(text.find("v1 = map(x0, x1)") != std::string::npos);
    BOOST_TEST(text.find("sum(v1 * v1) + sum(map(x0, x1))") != std::string::npos);
}
