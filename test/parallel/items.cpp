// What the items of a parallel verb may be.
#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/parallel/own_threads.hpp>

BOOST_AUTO_TEST_CASE(items_may_be_active_and_several) {
    matrix const table = xt::reshape_view(xt::linspace(-1.0, 1.0, 60), {20, 3});
    vector const y = xt::linspace(0.0, 1.0, 20);
    double const s = 0.7;
    auto item = [](auto const& both, auto const& t) {
        auto const& [row, target] = both;
        auto r = sum(row * row) * t - target;
        return r * r;
    };
    auto f = [&](auto const& a, auto const& t) { return xgrad::parallel_sum(own_threads{4}, std::tuple(a, y), item, t) * t; };
    auto g = [&](auto const& a, auto const& t) {
        auto r = sum(a * a, {1}) * t - y;
        return sum(r * r) * t;
    };
    auto const a = xgrad::value_and_gradient(f, table, s), b = xgrad::value_and_gradient(g, table, s);
    BOOST_TEST(gap(a.value, b.value) < tight);
    BOOST_TEST(xt::amax(xt::abs(std::get<0>(a.gradient) - std::get<0>(b.gradient)))() < tight);
    BOOST_TEST(gap(std::get<1>(a.gradient), std::get<1>(b.gradient)) < tight);
    // in pieces, and the same array as item and as argument
    auto h = [&](auto const& v) {
        auto of_slice = [](xgrad::slice q, auto const& u) { return sum(xgrad::view(u, xt::range(q.begin, q.end)) * 2.0); };
        return xgrad::parallel_sum(own_threads{4}, xgrad::slices(20), of_slice, v);
    };
    auto const ones = std::get<0>(xgrad::gradient(h, y));
    BOOST_TEST(gap(ones, vector(2.0 * xt::ones<double>({20}))) == 0.0);
    auto twice = [&](auto const& v) { return xgrad::parallel_sum(own_threads{2}, v, [](auto const& e, auto const& all) { return e * sum(all); }, v); };
    BOOST_TEST(gap(std::get<0>(xgrad::gradient(twice, y)), vector(2.0 * xt::sum(y)() * xt::ones<double>({20}))) < tight);
    BOOST_CHECK_EXCEPTION(xgrad::gradient(f, matrix(xt::view(table, xt::range(0, 19))), s), std::invalid_argument,
                          [](auto const& e) { return std::string(e.what()).starts_with("xgrad[E326]"); });
    // of plain values alone
    auto plain = [](std::size_t i, double k) { return k * static_cast<double>(i); };
    BOOST_TEST(xgrad::parallel_sum(own_threads{3}, 100, plain, 2.0) == 9900.0);
    BOOST_TEST(xgrad::parallel_map(own_threads{3}, 5, plain, 2.0)(4) == 8.0);
}

