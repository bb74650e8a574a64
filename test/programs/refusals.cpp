// What only the run can tell is refused by an exception that names both shapes; the arguments, the gradients and later calls stay right.
#include <stdexcept>
#include <string>
#include <vector>

#include "against_differences.hpp"

using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
matrix const m23 = {{1, 2, 3}, {4, 5, 6}}, m32 = {{1, 2}, {3, 4}, {5, 6}};
vector const v2{1, 2}, v3{1, 2, 3};

// Every verb throws an E whose message holds all of the words, and leaves everything as it was.
template <class E, class F, class... X>
void refused(std::vector<std::string> const& words, F const& f, X const&... x) {
    std::tuple const before(x...);
    auto expect = [&](auto call) {
        try {
            call();
            BOOST_ERROR("nothing was thrown");
        } catch (E const& e) {
            std::string const message = e.what();
            for (auto const& w : words) BOOST_CHECK_MESSAGE(message.find(w) != std::string::npos, "'" << w << "' is not in: " << message);
            BOOST_CHECK_MESSAGE(message.starts_with("xgrad[E2"), message);
        }
    };
    auto g = std::make_tuple(xgrad::zero_tangent(x)...);
    auto prepared = xgrad::prepare_gradient(f, x...);
    for (int i = 0; i < 2; ++i) {
        expect([&] { xgrad::gradient(f, x...); });
        expect([&] { xgrad::value(f, x...); });
        expect([&] { xgrad::add_gradient(g, f, x...); });
        expect([&] { prepared(x...); });
    }
    BOOST_CHECK(std::tuple(x...) == before);
    BOOST_CHECK(g == std::make_tuple(xgrad::zero_tangent(x)...));
    BOOST_CHECK_EQUAL(std::get<0>(xgrad::gradient([](auto const& a) { auto h = a * a; return sum(h * a); }, v3))(2), 27.0);
}

}

BOOST_AUTO_TEST_CASE(shapes_that_do_not_broadcast) {
    using E = std::invalid_argument;
    refused<E>({"a * b", "(2, 3)", "(3, 2)"}, [](auto const& x, auto const& y) { return sum(x * y); }, m23, m32);
    refused<E>({"a + b", "(2, 3)", "(2,)"}, [](auto const& x, auto const& y) { auto h = x + y; auto k = h * h; return sum(k); }, m23, v2);
    refused<E>({"a - b", "(3,)", "(2, 2)"}, [](auto const& x) { return sum(sin(x - matrix{{1, 2}, {3, 4}})); }, v3);
    refused<E>({"pow(a, b)", "(3,)", "(2,)"}, [](auto const& x, auto const& y) -> xgrad::real { auto h = sin(x); return sum(pow(h, y)); }, v3, v2);
    refused<E>({"maximum(a, b)", "(3,)", "(2,)"}, [](auto const& x, auto const& y) { variable s = x; s = maximum(s, y); return sum(s); }, v3, v2);
    refused<E>(
        {"a / b", "(2, 3)", "(2, 2)"},
        [](auto const& x, auto const& y) {
            auto h = x(0, 0) * x;
            return sum(h / (y * y) + x);
        },
        m23, matrix{{1, 2}, {3, 4}});
    refused<E>({"a * b", "(2, 3)", "(3, 2)"}, [](auto const& x, auto const& y) { return sum(x * y); }, xt::xarray<double>(m23), xt::xarray<double>(m32));
    refused<E>({"a * b", "(0, 3)", "(2, 3)"}, [](auto const& x, auto const& y) { return sum(x * y); }, matrix(xt::zeros<double>({0, 3})), m23);
    // also where the result is not used any more, as soon as it is named and shared
    refused<E>({"a * b", "(2, 3)", "(3, 2)"}, [](auto const& x, auto const& y) { auto h = x * y; auto k = h * 2.0; (void)k; return sum(x); }, m23, m32);
}

BOOST_AUTO_TEST_CASE(reductions) {
    refused<std::invalid_argument>({"mean", "empty"}, [](auto const& x) { return mean(x); }, vector{});
    refused<std::invalid_argument>({"mean", "empty"}, [](auto const& x) { auto h = x * x; auto m = mean(h); return m * m + 1.0; }, vector{});
    refused<std::invalid_argument>({"mean", "empty"}, [](auto const& x) -> xgrad::real { return sum(mean(x, 0)); }, matrix(xt::zeros<double>({0, 3})));
    refused<std::invalid_argument>({"axis 2", "(2, 3)"}, [](auto const& x) { return sum(sum(x, 2)); }, m23);
    refused<std::invalid_argument>({"axis -3", "(2, 3)"}, [](auto const& x) { return sum(mean(x, {-3})); }, m23);
    refused<std::invalid_argument>({"axis 1", "twice"}, [](auto const& x) { return sum(sum(x, {1, 1})); }, m23);
    refused<std::invalid_argument>({"axis 1", "twice"}, [](auto const& x) { return sum(sum(x, {1, -1}, xt::keep_dims)); }, m23);
}

BOOST_AUTO_TEST_CASE(elements_and_shapes) {
    refused<std::out_of_range>({"(2, 0)", "(2, 3)"}, [](auto const& x) { return x(2, 0); }, m23);
    refused<std::out_of_range>({"(-1, 0)", "(2, 3)"}, [](auto const& x) { auto h = x * x; return h(-1, 0) * 2.0; }, m23);
    refused<std::out_of_range>({"(3,) and (3,)"}, [](auto const& x) { return x[3]; }, v3);
    refused<std::out_of_range>({"(1,)", "(2, 3)"}, [](auto const& x) { return x(1); }, xt::xarray<double>(m23));
    refused<std::out_of_range>({"shape(2)", "(2, 3)"}, [](auto const& x) { return sum(x) * double(x.shape(2)); }, m23);
}

BOOST_AUTO_TEST_CASE(a_result_of_dynamic_rank_that_is_no_scalar) {
    refused<std::invalid_argument>({"scalar", "(2, 3)"}, [](auto const& x) { return x * x; }, xt::xarray<double>(m23));
    refused<std::invalid_argument>({"scalar", "(3,)"}, [](auto const& x) { return sum(x, 0); }, xt::xarray<double>(m23));
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& x) { return x * x; }, xt::xarray<double>(3.0)), 9.0);
}

BOOST_AUTO_TEST_CASE(gradient_memory_of_other_shapes) {
    auto f = [](auto const& x, auto const& y) { return sum(x * x) * y; };
    auto expect = [&](auto g, auto const& x, std::vector<std::string> const& words, auto const& program, auto const&... more) {
        auto const before = g;
        try {
            xgrad::add_gradient(g, program, x, more...);
            BOOST_ERROR("nothing was thrown");
        } catch (std::invalid_argument const& e) {
            std::string const message = e.what();
            for (auto const& w : words) BOOST_CHECK_MESSAGE(message.find(w) != std::string::npos, "'" << w << "' is not in: " << message);
        }
        BOOST_CHECK(g == before);
    };
    expect(std::tuple(matrix(m32), 1.0), m23, {"add_gradient", "(3, 2)", "(2, 3)"}, f, 1.0);
    expect(std::tuple(matrix(), 1.0), m23, {"add_gradient", "(0, 0)", "(2, 3)"}, f, 1.0);
    expect(std::tuple(std::vector<double>{1, 2}), std::vector<double>{1, 2, 3}, {"add_gradient", "2", "3"}, [](auto const& v) { return v[0] * v[2]; });
    // the first argument fits, the second does not
    expect(std::tuple(vector{1, 1, 1}, vector{1, 1}), v3, {"(2,)", "(3,)"}, [](auto const& a, auto const& b) { return sum(a * b); }, v3);
}
