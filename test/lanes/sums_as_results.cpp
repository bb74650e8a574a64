// The sum of a map as the result of a call: cotangents are put, or added, where they belong while the items run. They are those that vjp takes apart from the
// values, and central differences.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using xgrad::each, xgrad::map, xgrad::pick;

namespace {

constexpr std::size_t size = 37;
auto const wave = [](auto const& a, auto const& b) -> xgrad::real { return a * a * b + sin(b); };
vector const xs = xt::linspace<double>(0.1, 1.0, size), ys = xt::linspace<double>(-1.0, 2.0, size);
xt::xtensor<int, 1> const rows = xt::arange<int>(7, 7 + 7 * static_cast<int>(size), 7) % static_cast<int>(size);

template <class F>
void agrees(F const& f) {
    vector x = xs, y = ys;
    auto const expected = [&] {
        auto [value, back] = xgrad::vjp(f, x, y);
        return std::tuple_cat(std::tuple(value), back(1.0));
    }();
    auto const& [value, ex, ey] = expected;
    auto g = xgrad::prepare_gradient(f, x, y);
    for (int again = 0; again < 2; ++again) {
        auto const& r = g(x, y);
        BOOST_TEST(r.value == value, boost::test_tools::tolerance(1e-14));
        auto const& [gx, gy] = r.gradient;
        for (std::size_t i = 0; i < size; ++i) {
            BOOST_TEST(std::abs(gx(i) - ex(i)) <= 1e-13 * (1 + std::abs(ex(i))));
            BOOST_TEST(std::abs(gy(i) - ey(i)) <= 1e-13 * (1 + std::abs(ey(i))));
        }
    }
    for (auto* v : {&x, &y}) {
        auto const& e = v == &x ? ex : ey;
        for (std::size_t i = 0; i < size; i += 9) {
            double const at = (*v)(i), h = 1e-6;
            (*v)(i) = at + h;
            double const high = xgrad::value(f, x, y);
            (*v)(i) = at - h;
            double const low = xgrad::value(f, x, y);
            (*v)(i) = at;
            BOOST_TEST(std::abs((high - low) / (2 * h) - e(i)) <= 1e-7 * (1 + std::abs(value)));
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_operand_is_given_to_by_several_sources) {
    agrees([](auto const& x, auto const& y) { return sum(map(wave, each(x), each(x))) + sum(x * y); });
    agrees([](auto const& x, auto const& y) { return mean(map(wave, each(x), pick(x, rows))) + sum(y); });
    agrees([](auto const& x, auto const& y) {
        return sum(map([](auto const& a, auto const& all) -> xgrad::real { return a * all(3) + all(2) * all(2); }, each(x), x)) + sum(y);
    });
}

BOOST_AUTO_TEST_CASE(sums_in_linear_expressions) {
    agrees([](auto const& x, auto const& y) { return 0.5 * sum(map(wave, each(x), each(y))) - mean(map(wave, each(y), each(x))) / 3.0 + y(2); });
    agrees([](auto const& x, auto const& y) { return -(sum(x * y * map(wave, each(x), each(y)) * x(2)) - 1.0); });
    // which are no results, or none that are linear
    agrees([](auto const& x, auto const& y) {
        auto s = sum(map(wave, each(x), each(y)));
        return s * s + y(0);
    });
    agrees([](auto const& x, auto const& y) -> xgrad::real { return sum(map(wave, each(x), each(y))); });
}

BOOST_AUTO_TEST_CASE(names_and_views_are_given_to) {
    agrees([](auto const& x, auto const& y) {
        auto u = x * x;
        auto w = exp(y) * u;
        return sum(u * map(wave, each(u), each(w)));
    });
    agrees([](auto const& x, auto const& y) {
        using xt::range;
        return sum(map(wave, each(view(x, range(0, 20))), each(view(x, range(10, 30))))) +
               sum(map(wave, each(view(y, range(36, 2, -1))), each(view(y, range(0, 34)))));
    });
    agrees([](auto const& x, auto const& y) {
        return sum(map(
            [](auto const& a, auto const& b) {
                auto c = a * b;
                return c * sin(a);
            },
            each(x), each(y)));
    });
}

// Where two sources reach the same elements in another order, what one has put must not be lost.
BOOST_AUTO_TEST_CASE(elements_in_another_order) {
    auto const reversed = [](auto const& x) { return flip(x, 0); };
    agrees([&](auto const& x, auto const& y) { return sum(map(wave, each(x), each(reversed(x)))) + sum(y); });
    agrees([&](auto const& x, auto const& y) { return sum(square(map(wave, each(y), each(reversed(y))))) + sum(x); });
}

// Other items are not put there.
BOOST_AUTO_TEST_CASE(packs_that_are_done_again) {
    auto const branches = [](auto const& a, auto const& b) -> xgrad::real {
        if (a * b > 0.2) return a * b * b;
        return exp(a) * b;
    };
    agrees([&](auto const& x, auto const& y) { return sum(map(branches, each(x), each(y))); });
    // an item that owes nothing is given a zero, not what was there
    auto const parts = [](auto const& a, auto const& b) -> xgrad::real { return maximum(a, 0.5) * 1.0 + b; };
    agrees([&](auto const& x, auto const& y) { return sum(map(parts, each(x), each(y))); });
}

BOOST_AUTO_TEST_CASE(a_body_throws) {
    std::size_t pulled = 0;
    bool throws = false;
    auto const product = [&](auto const& a, auto const& b) -> xgrad::real {
        if (throws && a > 0.9) throw std::domain_error("too large");
        return a * b;
    };
    auto const plain = [](auto const& a, auto const& b) -> xgrad::real { return a * b; };
    auto const f = [&](auto const& x, auto const& y) {
        auto u = xgrad::hook(2.0 * x, [&](auto const&) { ++pulled; });
        return sum(map(plain, each(u), each(y))) + sum(map(product, each(x), each(x)));
    };
    auto g = xgrad::prepare_gradient(f, xs, ys);
    g(xs, ys);
    BOOST_TEST(pulled == 1u);
    throws = true;
    BOOST_CHECK_THROW(g(xs, ys), std::domain_error);
    BOOST_TEST(pulled == 1u);  // nothing is pulled
    throws = false;
    agrees(f);

    // caught where a result is delivered: what another result owes is all that counts
    throws = true;
    auto const other = [&](auto const& x, auto const& y) -> xgrad::real {
        try {
            return sum(map(product, each(x), each(y)));
        } catch (std::domain_error const&) {
            return sum(x * y * y);
        }
    };
    auto const total = [&](auto const& x, auto const& y) {
        xgrad::sum_result s;
        try {
            s += sum(map(product, each(x), each(y)));
        } catch (std::domain_error const&) {
            s += sum(x * y * y);
        }
        return s;
    };
    for (auto const& found : {xgrad::gradient(other, xs, ys), xgrad::gradient(total, xs, ys)})
        for (std::size_t i = 0; i < size; ++i) {
            BOOST_TEST(std::get<0>(found)(i) == ys(i) * ys(i));
            BOOST_TEST(std::get<1>(found)(i) == 2 * xs(i) * ys(i));
        }
}

BOOST_AUTO_TEST_CASE(second_derivatives) {
    auto const f = [](auto const& x, auto const& y) { return mean(map(wave, each(x), each(y))) + sum(map(wave, each(y), each(y))); };
    vector const along = xt::cos(xs), none = xt::zeros<double>({size});
    auto const r = xgrad::hvp(f, std::tie(xs, ys), std::tie(along, none));
    for (std::size_t i = 0; i < size; ++i) {
        BOOST_TEST(std::get<0>(r.product)(i) == 2 * ys(i) * along(i) / size, boost::test_tools::tolerance(1e-13));
        BOOST_TEST(std::get<1>(r.product)(i) == 2 * xs(i) * along(i) / size, boost::test_tools::tolerance(1e-13));
    }
}

BOOST_AUTO_TEST_CASE(none_and_nan) {
    auto const f = [](auto const& x, auto const& y) { return sum(map(wave, each(x), each(y))); };
    vector const empty = xt::zeros<double>({0});
    BOOST_TEST(xgrad::value_and_gradient(f, empty, empty).value == 0.0);
    vector bad = xs;
    bad(3) = std::numeric_limits<double>::quiet_NaN();
    auto const [gx, gy] = xgrad::gradient(f, bad, ys);
    BOOST_TEST(std::isnan(gx(3)));
    BOOST_TEST(gx(4) == 2 * bad(4) * ys(4));
    BOOST_TEST(std::isnan(gy(3)));
}
