// A plain array in an expression is a constant with the values that it has when it is used; only what was promised to stay is not copied.
#include <cmath>
#include <functional>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const v0{1, 2, 3, 4, 5};

// The bytes of workspace that one call takes.
template <class F, class... X>
std::size_t bytes(F f, X const&... x) {
    auto g = xgrad::prepare_gradient(f, x...);
    g(x...);
    return g.workspace_bytes();
}

}

BOOST_AUTO_TEST_CASE(a_constant_is_overwritten_after_its_use) {
    agree(
        XGRAD_BOTH_MODES((auto const& x), vector k = 3.0 * xt::ones<double>({5}); auto h = x * k; auto q = h * h; k.fill(0); return sum(q);),
        [](vector const& x) { return 9 * xt::sum(x * x)(); }, v0);
    // also before anything is evaluated
    agree(
        XGRAD_BOTH_MODES((auto const& x), vector k = 3.0 * xt::ones<double>({5}); auto h = x * k; k.fill(0); auto q = h * h; k = vector{7}; return sum(q);),
        [](vector const& x) { return 9 * xt::sum(x * x)(); }, v0);
}

BOOST_AUTO_TEST_CASE(a_constant_dies_before_the_pullback) {
    agree(
        [](auto const& x) {
            auto helper = [](auto const& u) {
                vector k = 3.0 * xt::ones<double>({5});
                auto h = u * k;
                auto q = h * h;
                return q * k;
            };
            return sum(helper(x) * x);
        },
        [](vector const& x) { return 27 * xt::sum(x * x * x)(); }, v0);
    agree(
        [](auto const& x) {
            variable s = x * 1.0;
            for (double i = 1; i < 4; ++i) {
                vector k = i * xt::ones<double>({5});
                s = s * k + k;
            }
            return sum(s);
        },
        [](vector const& x) { return xt::sum(6 * x + 6 + 6 + 3)(); }, v0);
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto h = x * vector{1, 2, 3, 4, 5}; return sum(h * h * vector{2, 2, 2, 2, 2});),
        [](vector const& x) { return 2 * xt::sum(x * v0 * x * v0)(); }, v0);
}

BOOST_AUTO_TEST_CASE(every_kind_of_plain_operand) {
    vector const k{2, 3, 4, 5, 6};
    auto plain = [&](vector const& x) { return xt::sum(x * k * x)(); };
    xt::xarray<double> const dynamic = k;
    xt::xtensor<int, 1> const integers{2, 3, 4, 5, 6};
    xt::xtensor<float, 1> const floats{2, 3, 4, 5, 6};
    xt::xtensor_fixed<double, xt::xshape<5>> const fixed{2, 3, 4, 5, 6};
    matrix const columns = {{2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}};
    vector const reversed{6, 5, 4, 3, 2};
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * integers; return sum(h * x);), plain, v0);
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = floats * x; return sum(x * h);), plain, v0);
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * fixed; return sum(h * x);), plain, v0);
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * xt::view(columns, xt::all(), 0); return sum(h * x);), plain, v0);
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * xt::view(reversed, xt::range(4, xt::placeholders::_, -1)); return sum(h * x);), plain, v0);
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * (v0 + 1.0); return sum(h * x);), plain, v0);
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * xt::arange<double>(2, 7); return sum(h * x);), plain, v0);
    agree([&](auto const& x) { auto h = x * dynamic; return sum(h * x); }, plain, v0);
    agree(
        XGRAD_BOTH_MODES((auto const& x), return sum(maximum(k, x) + pow(x, k) + k / x - k);),
        [&](vector const& x) { return xt::sum(xt::maximum(k, x) + xt::pow(x, k) + k / x - k)(); }, v0);
    xt::xtensor<double, 2, xt::layout_type::column_major> const other = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * other; return sum(h * h);), [&](vector const& x) { return xt::sum(x * other * x * other)(); }, v0);
}

BOOST_AUTO_TEST_CASE(std_cref_is_a_promise) {
    vector k = v0;
    agree(XGRAD_BOTH_MODES((auto const& x), auto h = x * std::cref(k); return sum(h * h);), [&](vector const& x) { return xt::sum(x * v0 * x * v0)(); }, v0);
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto h = std::cref(k) - x; return sum(h * h);), [&](vector const& x) { return xt::sum(xt::square(v0 - x))(); },
        vector{2, 1, 4, 3, 9});
    vector const big = xt::ones<double>({100000}), small = xt::ones<double>({1});
    auto referred = [&](auto const& x) { return sum(x * std::cref(big)); };
    auto copied = [&](auto const& x) { return sum(x * big); };
    BOOST_CHECK_LT(bytes(referred, small), 100000u);
    BOOST_CHECK_GE(bytes(copied, small), 800000u);
}

BOOST_AUTO_TEST_CASE(a_constant_argument_is_not_copied) {
    vector const big = xt::ones<double>({100000}), small = xt::ones<double>({1});
    double const* seen = nullptr;
    auto f = [&](auto const& x, auto const& k) {
        static_assert(std::is_same_v<decltype(k), vector const&>);
        seen = k.data();
        return sum(x * k);
    };
    BOOST_CHECK_LT(bytes(f, small, xgrad::constant(big)), 100000u);
    BOOST_CHECK_EQUAL(seen, big.data());
    BOOST_CHECK((std::is_same_v<decltype(xgrad::gradient(f, small, xgrad::constant(big))), std::tuple<vector, xgrad::no_tangent>>));
    // a temporary is moved into the argument
    vector moved = big;
    double const* const storage = moved.data();
    BOOST_CHECK_EQUAL(std::get<0>(xgrad::gradient(f, small, xgrad::constant(std::move(moved))))(0), 100000.0);
    BOOST_CHECK_EQUAL(seen, storage);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& k), auto h = x * k; return sum(h * h * k);),
        [](vector const& x, vector const& k) { return xt::sum(x * k * x * k * k)(); }, v0, xgrad::constant(v0));
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& k), auto h = x * k; return h * h;), [](double x, double k) { return x * k * x * k; }, 0.7,
        xgrad::constant(3.0));
}

BOOST_AUTO_TEST_CASE(anything_can_be_a_constant_argument) {
    auto f = [](auto const& x, std::string const& name, int n, std::vector<vector> const& list, auto const& function) {
        auto h = x * list[1];
        return sum(h * n) * function(double(name.size()));
    };
    agree(
        f, [](vector const& x, std::string const&, int, auto const&, auto const&) { return 6 * 9 * xt::sum(x * v0)(); }, v0,
        xgrad::constant(std::string("six...")), xgrad::constant(3), xgrad::constant(std::vector<vector>{v0, v0}),
        xgrad::constant([](double d) { return 3 * d; }));
}

// The sum of a plain array is a number, wherever it stands.
BOOST_AUTO_TEST_CASE(reductions_of_constants) {
    vector const k{1, 2, 3, 4};
    agree([&](auto const& x) { return x(0) * xt::sum(k) + sum(x) / xt::sum(k * k) + sum(x * xt::mean(k)); },
          [&](vector const& x) { return 10.0 * x(0) + xt::sum(x)() / 30.0 + 2.5 * xt::sum(x)(); }, vector{1, 2, 4, 8});
}
