// parallel_map: the derivatives of the expression that it stands for.
#include <cmath>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/parallel/own_threads.hpp>

BOOST_AUTO_TEST_CASE(a_map_has_the_derivatives_of_its_loop) {
    std::size_t const n = 150;
    vector const w{0.3, -0.4}, v{1.0, 0.5};
    auto item = [](std::size_t i, auto const& u, auto const& t) { return exp(t * sum(u * u)) * (0.01 * static_cast<double>(i)); };
    auto declared = [](std::size_t i, auto const& u, auto const& t) -> xgrad::real { return exp(t * sum(u * u)) * (0.01 * static_cast<double>(i)); };
    vector const weights = xt::linspace(-1.0, 2.0, n);
    auto with = [&](auto f) {
        return [&, f](auto const& u, auto const& t) {
            auto y = xgrad::parallel_map(own_threads{3}, n, f, u, t);
            return sum(y * y * weights);
        };
    };
    auto g = [&](auto const& u, auto const& t) {
        auto y = exp(t * sum(u * u)) * (0.01 * xt::arange<double>(n));
        return sum(y * y * weights);
    };
    auto const b = xgrad::value_and_gradient(g, w, 0.8);
    auto check = [&](auto const& f) {
        auto const a = xgrad::value_and_gradient(f, w, 0.8);
        BOOST_TEST(std::abs(a.value / b.value - 1.0) < tight);
        BOOST_TEST(gap(std::get<0>(a.gradient), std::get<0>(b.gradient)) < 1e-10);
        BOOST_TEST(gap(std::get<1>(a.gradient), std::get<1>(b.gradient)) < 1e-10);
        auto p = xgrad::vjp(f, w, 0.8);
        for (int i = 0; i < 2; ++i) BOOST_TEST(gap(std::get<0>(p.pullback(1.0)), std::get<0>(b.gradient)) < 1e-10);
        auto f1 = [&](auto const& u) { return f(u, sum(u)); };
        auto g1 = [&](auto const& u) { return g(u, sum(u)); };
        BOOST_TEST(gap(std::get<0>(xgrad::hvp(f1, w, v).product), std::get<0>(xgrad::hvp(g1, w, v).product)) < 1e-9);
    };
    check(with(item));
    check(with(declared));
}

