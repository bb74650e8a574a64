// hook, finite and check_finite: what is seen and changed on the way back, of numbers and arrays, in the default and in the scoped form.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/finite.hpp>
#include <xgrad/hook.hpp>
#include <xgrad/xgrad.hpp>

namespace {
auto says(std::string const& part) {
    return [part](std::exception const& e) {
        bool const found = std::string(e.what()).find(part) != std::string::npos;
        if (!found) BOOST_TEST_MESSAGE(e.what());
        return found;
    };
}
}

BOOST_AUTO_TEST_CASE(of_numbers) {
    std::vector<double> seen;
    auto const f = [&](auto const& x) {
        auto y = hook(x * x, [&](double g) { seen.push_back(g); });
        return y * y + y;
    };
    BOOST_TEST((xgrad::gradient(f, 3.0) == std::tuple(2 * 9.0 * 6 + 6)));
    // once, with all that came
    BOOST_TEST(seen == std::vector<double>{19.0}, boost::test_tools::per_element());
    BOOST_TEST(xgrad::value(f, 3.0) == 90.0);
    BOOST_TEST(seen.size() == 1u);
    auto const halved = [](auto const& x) -> xgrad::real {
        auto y = xgrad::hook(x, [](auto const& g) { return g / 2; });
        return y * y;
    };
    BOOST_TEST((xgrad::gradient(halved, 3.0) == std::tuple(3.0)));
    BOOST_TEST((xgrad::gradient([](auto const& x) { return hook(x, [](float& g) { g = -g; }); }, 3.0f) == std::tuple(-1.0f)));
    // nothing comes back
    (void)xgrad::gradient([&](auto const& x) {
        auto y = hook(x, [&](double g) { seen.push_back(g); });
        return x * xgrad::primal(y);
    }, 3.0);
    BOOST_TEST(seen.size() == 1u);
    BOOST_TEST(xgrad::hook(2.0, [](double) {}) == 2.0);
}

BOOST_AUTO_TEST_CASE(of_arrays) {
    xt::xtensor<double, 2> const x{{1, 2, 3}, {4, 5, 6}};
    int calls = 0;
    auto const clipped = [&](auto const& a) {
        auto y = hook(2.0 * transpose(a), [&](auto const& g) {
            ++calls;
            BOOST_TEST(g.shape()[0] == 3u);
            return xt::eval(xt::clip(g, 0.0, 5.0));
        });
        return sum(y * y);
    };
    auto const [g] = xgrad::gradient(clipped, x);
    BOOST_TEST((g == xt::xtensor<double, 2>{{8, 10, 10}, {10, 10, 10}}));
    BOOST_TEST(calls == 1);
    // in place, of a dynamic rank, of an argument itself; a view of it
    xt::xarray<double> const dynamic = x;
    auto const [d] = xgrad::gradient([](auto const& a) {
        auto y = hook(a, [](auto& ybar) { ybar *= 0.5; });
        return sum(view(y, 1, xt::all())) + sum(a);
    }, dynamic);
    BOOST_TEST((d == xt::xarray<double>{{1, 1, 1}, {1.5, 1.5, 1.5}}));
    xt::xtensor<double, 2, xt::layout_type::column_major> const columns = x;
    auto const [c] = xgrad::gradient([](auto const& a) { return sum(a * hook(a, [](auto& abar) { abar(1, 0) = 0; })); }, columns);
    BOOST_TEST((c == xt::xtensor<double, 2>{{2, 4, 6}, {4, 10, 12}}));
    xt::xtensor<double, 2> const none = xt::zeros<double>({0, 3});
    (void)xgrad::gradient([](auto const& a) { return sum(hook(a, [](auto&) {})); }, none);
}

BOOST_AUTO_TEST_CASE(guards) {
    double const infinity = std::numeric_limits<double>::infinity();
    xt::xtensor<double, 2> const x{{1, 2}, {0, 3}};
    auto const logs = [](auto const& a) { return sum(finite(log(a), "the logarithms")); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(logs, x), std::domain_error,
                          says("xgrad[E209]: finite(x, \"the logarithms\") requires finite values, found -inf at (1, 0) of an array of shape (2, 2)"));
    auto const number = [](auto const& a) { return finite(log(a), "log"); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(number, -1.0), std::domain_error, says("finite(x, \"log\") requires finite values, found nan"));
    BOOST_TEST((xgrad::gradient(number, 2.0) == std::tuple(0.5)));
    auto const scoped = [](auto const& a) -> xgrad::real {
        auto y = finite(log(a), "log");
        return y * y;
    };
    BOOST_CHECK_THROW(xgrad::gradient(scoped, 0.0), std::domain_error);
    BOOST_TEST((xgrad::gradient(scoped, 1.0) == std::tuple(0.0)));
    BOOST_CHECK_THROW(xgrad::finite(infinity, "n"), std::domain_error);
    BOOST_CHECK_EXCEPTION(xgrad::finite(1.0 / x, "n"), std::domain_error, says("found inf at (1, 0)"));
    BOOST_TEST(xgrad::finite(2.0, "n") == 2.0);
    // the value is there, its derivative is not
    auto const roots = [](auto const& a) {
        auto y = finite(a * 2.0, "y");
        auto z = finite(sqrt(y), "z");
        return sum(z);
    };
    BOOST_CHECK_EXCEPTION(xgrad::check_finite(roots, x), std::domain_error,
                          says("finite(x, \"y\") requires a finite cotangent, found inf at (1, 0) of an array of shape (2, 2)"));
    xt::xtensor<double, 2> const good{{1, 2}, {1, 3}};
    auto const r = xgrad::check_finite(roots, good);
    BOOST_TEST((std::get<0>(r.gradient) == std::get<0>(xgrad::gradient(roots, good))));
    auto const unguarded = [](auto const& a) { return sum(sqrt(a)); };
    BOOST_CHECK_EXCEPTION(xgrad::check_finite(unguarded, x), std::domain_error, says("the gradient of argument 0, found an infinity as its number 2"));
    BOOST_CHECK_EXCEPTION(xgrad::check_finite([](auto const& a) { return log(a); }, -1.0), std::domain_error,
                          says("a finite value, though all guarded values are"));
    BOOST_CHECK_EXCEPTION(xgrad::check_finite(unguarded, xt::xtensor<double, 2>{{1, infinity}}), std::domain_error,
                          says("argument 0, found an infinity as its number 1"));
}
