// Comparisons of active values and questions about them: bool of numbers, plain arrays of bool of arrays, of every layout and rank.
#include <complex>
#include <functional>
#include <limits>
#include <stdexcept>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {
template <class A>
bool is(A const& found, xt::xarray<bool> const& expected) { return xt::xarray<bool>(found) == expected; }
}

BOOST_AUTO_TEST_CASE(of_arrays) {
    xt::xtensor<double, 1> const x{1, -2, 3};
    xt::xtensor<double, 2> const m{{1, 2, 3}, {-4, -2, 0}};
    xt::xarray<double> const dynamic = m;
    auto const [dx, dm, dd] = xgrad::gradient(
        [&](auto const& a, auto const& b, auto const& d) {
            auto const positive = a > 0.0;
            static_assert(std::is_convertible_v<decltype(positive), xt::xtensor<bool, 1>>);
            BOOST_TEST(is(positive, {true, false, true}));
            BOOST_TEST(is(0.0 >= a, {false, true, false}));
            // broadcast, of a formula without a name, with a rank that only the call knows
            BOOST_TEST(is(a <= b, {{true, true, true}, {false, true, false}}));
            auto const less = xt::less(2.0 * a, d);
            static_assert(std::is_convertible_v<decltype(less), xt::xarray<bool>>);
            BOOST_TEST(is(less, {{false, true, false}, {false, true, false}}));
            // strided, column-major, lazy, of integers, a promise
            BOOST_TEST(is(transpose(b) > xt::transpose(m), {{false, false}, {false, false}, {false, false}}));
            BOOST_TEST(is(view(b, 1, xt::range(0, 3, 2)) < 0.0, {true, false}));
            BOOST_TEST(is(greater(a, xt::zeros<double>({3}) + 1.5), {false, false, true}));
            BOOST_TEST(is(a >= xt::xtensor<int, 1>{0, 0, 5}, {true, false, false}));
            BOOST_TEST(is(greater_equal(a, std::cref(x)), {true, true, true}));
            BOOST_TEST(is(xt::less_equal(b, xt::xarray<double, xt::layout_type::column_major>(m)), {{true, true, true}, {true, true, true}}));
            BOOST_TEST(is(equal(a, -2.0), {false, true, false}));
            BOOST_TEST(is(xt::not_equal(a, -2.0), {true, false, true}));
            // xtensor's operators take the results
            BOOST_TEST(is((a > 0.0) && !(a > 2.0), {true, false, false}));
            BOOST_TEST(xt::any(a < 0.0));
            // what is asked costs the gradient nothing
            return sum(a) + sum(b) + sum(d);
        },
        x, m, dynamic);
    BOOST_TEST((dx == xt::ones<double>({3})));
    BOOST_TEST((dm == xt::ones<double>({2, 3})));
    BOOST_TEST((dd == xt::ones<double>({2, 3})));
}

// A comparison that stands in a choice is part of its kernel; one that is looked at is an array. Both choose the same.
BOOST_AUTO_TEST_CASE(in_a_choice) {
    auto const plain = [](auto const& c) { return xt::xarray<bool>(c); };
    auto const same = [](auto const& f, auto const& g, auto const&... x) {
        auto const a = xgrad::value_and_gradient(f, x...), b = xgrad::value_and_gradient(g, x...);
        BOOST_TEST(a.value == b.value);
        BOOST_TEST((a.gradient == b.gradient));
    };
    for (std::size_t const n : {0, 1, 3, 8, 21, 300}) {
        xt::xtensor<double, 1> x = xt::xtensor<double, 1>::from_shape({n}), k = x;
        for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(1.0 + static_cast<double>(i)), k(i) = i % 3 ? 0.25 : x(i);
        if (n > 20) x(20) = std::numeric_limits<double>::quiet_NaN();
        auto const value = [](auto const& c, auto const& u) { return sum(where(std::remove_cvref_t<decltype(c)>(c), u * u, 3.0 * u)); };
        BOOST_TEST((xgrad::gradient([&](auto const& u) { return sum(where(u < k, 2.0, u)); }, k) ==
                    xgrad::gradient([&](auto const& u) { return sum(where(plain(u < k), 2.0, u)); }, k)));
        if (n > 20) continue;
        same([&](auto const& u) { return sum(where(abs(u) < 0.5, u * u, abs(u) * u)); },
             [&](auto const& u) { return sum(where(plain(abs(u) < 0.5), u * u, abs(u) * u)); }, x);
        same([&](auto const& u) { return value(u > -0.5 && !(u >= 0.5), u); }, [&](auto const& u) { return value(plain(u > -0.5 && !(u >= 0.5)), u); }, x);
        same([&](auto const& u) { return sum(where(u <= -0.5 || equal(u, k), u * u, u)); },
             [&](auto const& u) { return sum(where(plain(u <= -0.5 || equal(u, k)), u * u, u)); }, x);
        same([&](auto const& u) { return sum(where(not_equal(k, u * 1.0), u * u, u)); },
             [&](auto const& u) { return sum(where(plain(not_equal(k, u * 1.0)), u * u, u)); }, x);
    }
    // of another shape, of a rank that only the call knows, of floats beside doubles, of what has a name
    xt::xtensor<double, 1> const x{1, -2, 3};
    xt::xtensor<float, 1> const y{0.5f, -3.0f, 2.0f};
    xt::xtensor<double, 2> const m{{1, 2, 3}, {-4, -2, 0}};
    xt::xarray<double> const d = m;
    same([](auto const& a, auto const& b) { return sum(where(a > 0.0, b * b, a)); },
         [&](auto const& a, auto const& b) { return sum(where(plain(a > 0.0), b * b, a)); }, x, m);
    same([](auto const& a, auto const& b) { return sum(where(exp(a) * sin(a) * cos(a) > 0.1, b * b, a)); },
         [&](auto const& a, auto const& b) { return sum(where(plain(exp(a) * sin(a) * cos(a) > 0.1), b * b, a)); }, x, m);
    same([](auto const& a, auto const& b) { return sum(where(b > 0.0, b * b, a)); },
         [&](auto const& a, auto const& b) { return sum(where(plain(b > 0.0), b * b, a)); }, x, d);
    BOOST_TEST((xgrad::gradient([](auto const& a, auto const& b) { return sum(where(b > 0.0f, a * a, 2.0 * a)); }, x, y) ==
                xgrad::gradient([&](auto const& a, auto const& b) { return sum(where(plain(b > 0.0f), a * a, 2.0 * a)); }, x, y)));
    same(
        [](auto const& a) {
            auto c = a > 0.0;
            auto again = c;
            auto chosen = where(std::move(c), a * a, a);
            auto also = where(again, a, 0.0);
            auto last = where(std::move(again), a * a * a, 0.0);
            return sum(chosen * chosen) + sum(also) + sum(last);
        },
        [&](auto const& a) {
            auto const c = plain(a > 0.0);
            auto chosen = where(c, a * a, a);
            return sum(chosen * chosen) + sum(where(c, a, 0.0)) + sum(where(c, a * a * a, 0.0));
        },
        x);
    // as a number beside others
    same([](auto const& a) { return sum((a > 0.0) * a * a) + sum(a / (1.0 + (a > 2.0))) - sum(exp(a) * !(a > 0.0)); },
         [&](auto const& a) { return sum(plain(a > 0.0) * a * a) + sum(a / (1.0 + plain(a > 2.0))) - sum(exp(a) * plain(!(a > 0.0))); }, x);
    xt::xtensor<std::complex<double>, 1> const z{{1.0, 2.0}, {0.1, -0.2}, {-3.0, 0.5}};
    BOOST_TEST((xgrad::gradient([](auto const& a) { return sum(abs(where(abs(a) > 1.0, a * a, (abs(a) < 0.5) * a))); }, z) ==
                xgrad::gradient([&](auto const& a) { return sum(abs(where(plain(abs(a) > 1.0), a * a, plain(abs(a) < 0.5) * a))); }, z)));
    // it says what was, whatever is written afterwards
    BOOST_TEST((xgrad::gradient(
                    [](auto const& a) {
                        xgrad::variable u = a;
                        auto c = u > 0.0;
                        u(0) = -7.0;
                        return sum(where(std::move(c), a * a, a));
                    },
                    x) == xgrad::gradient([&](auto const& a) { return sum(where(plain(a > 0.0), a * a, a)); }, x)));
}

// What is joined of masks refers to none of them: a helper may return it.
BOOST_AUTO_TEST_CASE(joined_by_a_helper) {
    xt::xtensor<double, 1> const x{-1, 2, 3};
    xt::xtensor<bool, 1> const known{true, true, false};
    auto const outside = [](auto const& a) {
        auto inside = a > 0.0 && a < 2.5;
        return !inside;
    };
    auto const both = [](auto const& a) {
        auto m = a > 0.0;
        auto k = a < 2.5;
        return m && k;
    };
    auto const either = [](auto const& a) {
        auto m = a > 0.0;
        auto k = a > 2.5;
        auto r = (!m) | k;
        return r;
    };
    auto const with_plain = [&](auto const& a, bool flag) {
        auto m = a > 0.0;
        auto k = known || m;
        return (m & known) && flag && k;
    };
    auto const f = [&](auto const& a) {
        auto r = outside(a);
        return sum(where(r, a * a, 0.0)) + sum(where(both(a), a * a * a, 0.0)) + sum(where(either(a), a, 0.0)) + sum(where(with_plain(a, true), 5.0 * a, 0.0)) +
               sum(where(with_plain(a, false), 9.0 * a, 0.0));
    };
    BOOST_TEST(xgrad::value(f, x) == 10.0 + 8.0 + 2.0 + 10.0);
    BOOST_TEST((std::get<0>(xgrad::gradient(f, x)) == xt::xtensor<double, 1>{-1, 17, 7}));
    BOOST_TEST((xgrad::hessian(f, x) == xt::xtensor<double, 2>{{2, 0, 0}, {0, 12, 0}, {0, 0, 2}}));
}

BOOST_AUTO_TEST_CASE(that_is_written_to) {
    xt::xtensor<double, 1> const x{1, -2, 3};
    auto const [g] = xgrad::gradient(
        [](auto const& a) {
            auto c = a > 0.0;
            for (bool& b : c) b = !b;
            BOOST_TEST(is(c, {false, true, false}));
            auto chosen = where(c, a * a, a);
            BOOST_TEST(is(c && a < 2.5, {false, true, false}));
            auto once_more = where(!(std::move(c) || a > 2.0), a, a * a);
            auto read = a > 0.0;
            std::size_t holds = 0;
            for (bool& b : read) holds += b;
            BOOST_TEST(holds == 2u);
            auto other = a > 5.0;
            other = read;
            BOOST_TEST(is(other, {true, false, true}));
            std::swap(other, read);
            // another shape of the same elements
            auto turned = view(a, xt::newaxis(), xt::all()) > 0.0;
            turned.reshape({3, 1});
            BOOST_TEST(is(turned && a < 2.5, {{true, true, false}, {false, false, false}, {true, true, false}}));
            BOOST_TEST(is(!turned, xt::xtensor<bool, 2>{{false}, {true}, {false}}));
            BOOST_TEST(is(primal(where(turned, a, 0.0)) > 0.0, {{true, false, true}, {false, false, false}, {true, false, true}}));
            return sum(chosen) + sum(where(std::move(read), a, 2.0 * a)) + sum(once_more);
        },
        x);
    BOOST_TEST((g == xt::xtensor<double, 1>{3, -6, 8}));
}

BOOST_AUTO_TEST_CASE(of_whole_arrays) {
    xt::xtensor<double, 1> const x{1, -2, 3};
    xt::xtensor<double, 2> const m{{1, 2, 3}, {-4, -2, 0}};
    (void)xgrad::gradient(
        [&](auto const& a, auto const& b) {
            BOOST_TEST((b == b));
            BOOST_TEST((b == m));
            BOOST_TEST((b != 2.0 * b));
            BOOST_TEST((a != b));
            BOOST_TEST((transpose(transpose(b)) == b));
            BOOST_TEST(allclose(a, a + 1e-10));
            BOOST_TEST(!xt::allclose(a, a + 1e-2));
            return sum(a) + sum(b);
        },
        x, m);
}

BOOST_AUTO_TEST_CASE(of_numbers) {
    auto const f = [](auto const& a, auto const& b) {
        static_assert(std::is_same_v<decltype(a < b), bool> && std::is_same_v<decltype(equal(a, b)), bool> && std::is_same_v<decltype(isnan(a)), bool>);
        BOOST_TEST((a < b));
        BOOST_TEST((2.0 * a <= b));
        BOOST_TEST((a == 1.0));
        BOOST_TEST((3 > a));
        BOOST_TEST((!isnan(a)));
        BOOST_TEST((isinf(log(a - 1.0))));
        BOOST_TEST((!xt::isfinite(log(a - 1.0))));
        BOOST_TEST((isclose(a, 1.0 + 1e-9)));
        return a < b ? xgrad::variable(a * b) : xgrad::variable(0.0);
    };
    BOOST_TEST((xgrad::gradient(f, 1.0, 2.0) == std::tuple(2.0, 1.0)));
    auto const scoped = [](auto const& a, auto const& b) -> xgrad::real {
        auto p = a * b;
        if (p > a && less(a, p) && isfinite(p)) return p;
        return a;
    };
    BOOST_TEST((xgrad::gradient(scoped, 1.5f, 2.0f) == std::tuple(2.0f, 1.5f)));
}

BOOST_AUTO_TEST_CASE(of_what_is_no_number) {
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    xt::xtensor<double, 1> const x{1.0, nan, infinity, -infinity};
    (void)xgrad::gradient(
        [&](auto const& a) {
            BOOST_TEST(is(isnan(a), {false, true, false, false}));
            BOOST_TEST(is(xt::isinf(a), {false, false, true, true}));
            BOOST_TEST(is(isfinite(a), {true, false, false, false}));
            BOOST_TEST(is(a < infinity, {true, false, false, true}));
            BOOST_TEST(is(not_equal(a, a), {false, true, false, false}));
            BOOST_TEST(is(isclose(a, x), {true, false, true, true}));
            BOOST_TEST(is(isclose(a, x, 1e-5, 1e-8, true), {true, true, true, true}));
            BOOST_TEST(is(isclose(a, -a), {false, false, false, false}));
            return sum(a);
        },
        x);
}

BOOST_AUTO_TEST_CASE(of_shapes_that_do_not_fit_and_of_nothing) {
    xt::xtensor<double, 1> const x{1, 2, 3}, y{1, 2}, none = xt::zeros<double>({0});
    BOOST_CHECK_EXCEPTION(xgrad::value([](auto const& a, auto const& b) { return sum(a) + (xt::all(a < b) ? 1.0 : 0.0); }, x, y), std::invalid_argument,
                          [](std::exception const& e) {
                              return std::string(e.what()).find("a < b requires operands whose shapes broadcast, found (3,) and (2,)") != std::string::npos;
                          });
    (void)xgrad::gradient([&](auto const& a, auto const& b) {
        BOOST_TEST((a < 1.0).size() == 0u);
        BOOST_TEST((a == a));
        BOOST_TEST((a != b));
        return sum(a) + sum(b);
    }, none, x);
}
