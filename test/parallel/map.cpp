// parallel_map: the derivatives of the expression that it stands for.
#include <cmath>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/parallel/own_threads.hpp>
#include <xgrad/explain.hpp>

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
        auto const product = std::get<0>(xgrad::hvp(f1, w, v).product);
        bends(product, g1, w, v);
        BOOST_TEST(std::abs(xgrad::jvp(f1, std::tuple(w), std::tuple(v)).tangent / xgrad::jvp(g1, std::tuple(w), std::tuple(v)).tangent - 1.0) < tight);
        matrix const h = xgrad::hessian(f1, w);
        BOOST_TEST(xt::amax(xt::abs(xt::sum(h * v, {1}) - product))() < 1e-9);
    };
    check(with(item));
    check(with(declared));
}

BOOST_AUTO_TEST_CASE(maps_and_sums_of_any_number_of_items_by_one_prepared_gradient) {
    // an executor may run its tasks on one thread, the last first
    struct backwards {
        static std::size_t threads() { return 8; }
        static void run(std::size_t n, xgrad::task_ref t) {
            while (n-- > 0) t(n);
        }
    };
    backwards const e;
    xgrad::use_executor const scope(e);
    auto f = [](auto const& x) {
        auto m = xgrad::parallel_map(x.shape()[0], [](std::size_t i, auto const& u) -> xgrad::real { return u(i) * sum(u); }, x);
        return sum(m) + xgrad::parallel_sum(x, [](auto const& r, auto const& u) { return r * sum(u); }, x);
    };
    auto g = xgrad::prepare_gradient(f, vector{1.0});
    for (std::size_t n : {3u, 1u, 0u, 200u, 5u}) {
        auto const& [value, gradient] = g(vector(xt::ones<double>({n})));
        BOOST_TEST(value == 2.0 * static_cast<double>(n * n));
        BOOST_TEST((std::get<0>(gradient) == vector(4.0 * static_cast<double>(n) * xt::ones<double>({n}))));
    }
    // what is written to after a map is not what the map has read
    auto later = [](auto const& x) {
        xgrad::variable v = x;
        auto m = xgrad::parallel_map(2, [](std::size_t i, auto const& u) { return u(i) * u(i); }, v);
        v(0) = v(0) * 7.0;
        return sum(m) + v(0);
    };
    BOOST_TEST(gap(std::get<0>(xgrad::gradient(later, vector{1.0, 2.0})), vector{9.0, 4.0}) == 0.0);
    // in words
    auto const words = xgrad::explain(f, vector(xt::ones<double>({130}))).text();
    BOOST_TEST(words.find("v1 = parallel_map(items, f, x...)    [130 items in 44 chunks, run once more in the reverse pass]") != std::string::npos, words);
    BOOST_TEST(words.find("v2 = parallel_sum(items, f, x...)    [130 items in 44 chunks with their gradients]") != std::string::npos, words);
    // of whole numbers
    BOOST_TEST(xgrad::parallel_sum(3, [](std::size_t) { return 16777217; }) == 3 * 16777217.0);
}

