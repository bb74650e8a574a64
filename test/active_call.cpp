// active_call: a verb of one's own binds arguments, runs a function of active values, and pulls what it gave.
#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <xgrad/xgrad.hpp>

#include "count_allocations.hpp"

namespace {

using vector = xt::xtensor<double, 1>;

// The value, and the gradient of <ybar, f(x...)>, in one pass.
template <class F, class Y, class... X>
auto one_pullback(F const& f, Y const& ybar, X const&... x) {
    xgrad::active_call<X...> call;
    auto value = call.run([&](auto const&... h) {
        auto y = f(h...);
        xgrad::pull(y, ybar);
        return xgrad::primal(y);
    }, x...);
    return std::pair(std::move(value), call.gradient());
}

}

BOOST_AUTO_TEST_CASE(arrays_and_numbers) {
    auto f = [](auto const& x, auto const& s) { return sin(x) * s; };
    vector const x{1, 2}, ybar{3, 4};
    auto const [y, g] = one_pullback(f, ybar, x, 2.0);
    auto [expected, back] = xgrad::vjp(f, x, 2.0);
    BOOST_TEST(y == expected);
    BOOST_TEST((g == back(ybar)));
}

BOOST_AUTO_TEST_CASE(parts_of_a_result_and_constants) {
    auto f = [](auto const& x, auto const& k) { return std::tuple(sum(x * k), x + k); };
    auto pulled = [&](auto const& ybar, auto const& x, auto const& k) {
        xgrad::active_call<vector, std::remove_cvref_t<decltype(k)>> call;
        call.run([&](auto const&... h) {
            auto y = f(h...);
            xgrad::pull(y, ybar);
            return 0;
        }, x, k);
        return call.gradient();
    };
    vector const x{1, 2}, k{5, 6};
    auto const [dx, dk] = pulled(std::tuple(2.0, vector{3, 4}), x, xgrad::constant(k));
    BOOST_TEST(dx == (vector{2 * 5 + 3, 2 * 6 + 4}));
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(dk)>, xgrad::no_tangent>);
}

BOOST_AUTO_TEST_CASE(refusals) {
    vector const x{1, 2};
    auto square = [](auto const& a) { return a * a; };
    auto says = [](std::string const& form) {
        return [form](auto const& e) {
            return std::string(e.what()) == "xgrad[E208]: pull(y, ybar) requires a cotangent of the value's form, found " + form +
                                                ": begin with zero_tangent(xgrad::primal(y))";
        };
    };
    BOOST_CHECK_EXCEPTION(one_pullback(square, vector{1, 2, 3}, x), std::invalid_argument, says("(3,) for a value of shape (2,)"));
    BOOST_CHECK_EXCEPTION(one_pullback(square, xt::xarray<double>{{1, 2}}, x), std::invalid_argument, says("(1, 2) for a value of shape (2,)"));
    auto twice = [](auto const& a) { return std::vector<xgrad::variable<vector>>{a, a * a}; };
    BOOST_CHECK_EXCEPTION(one_pullback(twice, std::vector<vector>{x}, x), std::invalid_argument, says("a vector of 1 for one of 2"));
    // the part before the wrong one takes nothing
    xgrad::active_call<vector> kept_on;
    kept_on.run([&](auto const& a) {
        auto y = std::tuple(sum(a), a * a);
        BOOST_CHECK_EXCEPTION(xgrad::pull(y, std::tuple(100.0, vector{1})), std::invalid_argument, says("(1,) for a value of shape (2,)"));
        xgrad::pull(y, std::tuple(1.0, vector{1, 1}));
        return 0;
    }, x);
    BOOST_TEST(std::get<0>(kept_on.gradient()) == (vector{3, 5}));
    // nothing active outlives the call
    xgrad::active_call<vector> call;
    xgrad::variable<vector> kept;
    auto keep = [&](auto const& a) {
        kept = a * 2.0;
        return 0;
    };
    BOOST_CHECK_THROW(call.run(keep, x), std::logic_error);
    auto unused = [](auto const&) { return 1; };
    BOOST_TEST(call.run(unused, x) == 1);
    BOOST_TEST(std::get<0>(call.gradient()) == (vector{0, 0}));
}

BOOST_AUTO_TEST_CASE(a_second_run_allocates_nothing) {
    xgrad::active_call<vector> call;
    vector const x{1, 2};
    auto use = [](auto const& a) {
        auto y = a * a;
        auto loss = sum(y);
        xgrad::pull(loss, 1.0);
        return xgrad::primal(loss);
    };
    call.run(use, x);
    auto const before = allocations;
    BOOST_TEST(call.run(use, x) == 5.0);
    BOOST_TEST(allocations == before);
    BOOST_TEST(std::get<0>(call.gradient()) == (vector{2, 4}));
}
