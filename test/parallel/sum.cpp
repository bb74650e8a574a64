// parallel_sum: the derivatives of the loop that it stands for by every verb, with plain and active items.
#include <cmath>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/parallel/model_rows.hpp>
#include <test/parallel/own_threads.hpp>

namespace {

// One number of each row of data, a struct and a number.
auto const row_loss = [](auto const& row, auto const& m, auto const& s) { return sin(sum(row * m.w) + m.b) * s; };
auto const declared_loss = [](auto const& row, auto const& m, auto const& s) -> xgrad::real { return sin(sum(row * m.w) + m.b) * s; };

template <class F, class X>
auto serial_sum(F f, X const& data) {
    return [f, &data](auto const& m, auto const& s) {
        xgrad::number_like<decltype(s)> total = 0.0;
        for (std::size_t i = 0; i < data.shape()[0]; ++i) total += f(vector(xt::view(data, i)), m, s);
        return total;
    };
}

}

BOOST_AUTO_TEST_CASE(a_sum_has_the_derivatives_of_its_loop_by_every_verb) {
    for (std::size_t n : {0u, 1u, 5u, 64u, 200u}) {
        matrix const data = rows(n);
        model const m{{0.3, -0.2, 0.9}, 0.4};
        auto f = [&](auto const& p, auto const& s) { return exp(0.01 * xgrad::parallel_sum(own_threads{3}, data, row_loss, p, s)); };
        auto d = [&](auto const& p, auto const& s) { return exp(0.01 * xgrad::parallel_sum(own_threads{3}, data, declared_loss, p, s)); };
        auto g = [&](auto const& p, auto const& s) { return exp(0.01 * serial_sum(row_loss, data)(p, s)); };
        auto const b = xgrad::value_and_gradient(g, m, 1.3);
        auto check = [&](auto const& h) {
            auto const a = xgrad::value_and_gradient(h, m, 1.3);
            BOOST_TEST(gap(a.value, b.value) < tight);
            BOOST_TEST(gap(std::get<0>(a.gradient).w, std::get<0>(b.gradient).w) < tight);
            BOOST_TEST(gap(std::get<0>(a.gradient).b, std::get<0>(b.gradient).b) < tight);
            BOOST_TEST(gap(std::get<1>(a.gradient), std::get<1>(b.gradient)) < tight);
            BOOST_TEST(gap(xgrad::value(h, m, 1.3), b.value) < tight);
        };
        check(f);
        check(d);
        auto p = xgrad::vjp(f, m, 1.3);
        for (int i = 0; i < 2; ++i) BOOST_TEST(gap(std::get<0>(p.pullback(1.0)).w, std::get<0>(b.gradient).w) < tight);
        auto of_row = [](auto const& r, auto const& w) { return sin(sum(r * w)); };
        auto f1 = [&](auto const& w) { return exp(0.01 * xgrad::parallel_sum(own_threads{2}, data, of_row, w)); };
        auto g1 = [&](auto const& w) {
            xgrad::number_like<decltype(w)> total = 0.0;
            for (std::size_t i = 0; i < n; ++i) total += sin(sum(vector(xt::view(data, i)) * w));
            return exp(0.01 * total);
        };
        vector const x{0.2, 0.1, -0.7}, v{1.0, -0.5, 0.3};
        if (n == 0) continue;
        auto const product = std::get<0>(xgrad::hvp(f1, x, v).product);
        bends(product, g1, x, v);
        BOOST_TEST(gap(xgrad::jvp(f1, std::tuple(x), std::tuple(v)).tangent, xgrad::jvp(g1, std::tuple(x), std::tuple(v)).tangent) < tight);
        matrix const h = xgrad::hessian(f1, x);
        BOOST_TEST(xt::amax(xt::abs(xt::sum(h * v, {1}) - product))() < tight);
    }
}

