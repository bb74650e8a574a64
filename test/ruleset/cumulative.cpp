// Running sums and products, differences and softmax: values by plain loops, derivatives against central differences, special points.
#include <cmath>
#include <limits>
#include <vector>

#include <xtensor/xadapt.hpp>

#include "by_lines.hpp"
#include "filled.hpp"

using namespace programs;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
using numbers = std::vector<double>;

using programs::filled;
numbers running_sum(numbers l) {
    for (std::size_t i = 1; i < l.size(); ++i) l[i] += l[i - 1];
    return l;
}
numbers running_product(numbers l) {
    for (std::size_t i = 1; i < l.size(); ++i) l[i] *= l[i - 1];
    return l;
}
numbers soft(numbers l) {
    double s = 0;
    for (double v : l) s += std::exp(v);
    for (double& v : l) v = std::exp(v) / s;
    return l;
}
numbers log_soft(numbers l) {
    for (double& v : l = soft(l)) v = std::log(v);
    return l;
}
numbers differences(numbers l, std::size_t n) {
    for (; n > 0; --n) {
        for (std::size_t i = 1; i < l.size(); ++i) l[i - 1] = l[i] - l[i - 1];
        if (!l.empty()) l.pop_back();
    }
    return l;
}

// Of matrices and their parts, of an array of dynamic rank and of floats; where All, of a cube and of one element, too.
template <bool All = every_product, class F>
void check(F f, line_function plain) {
    agree(
        [&](auto const& x) {
            auto y = f(x, 1);
            return weighed(y) + weighed(f(x * x, 0)) + weighed(f(transpose(x), -1)) + weighed(f(view(x, xt::all(), xt::range(0, 11, 2)), 1)) +
                   weighed(f(view(x, 2), -1));
        },
        [&](matrix const& x) {
            matrix const t = xt::transpose(x), part = xt::view(x, xt::all(), xt::range(0, 11, 2)), sq = x * x;
            vector const row = xt::view(x, 2);
            return weighed(by_lines(x, {1}, plain, false)) + weighed(by_lines(sq, {0}, plain, false)) + weighed(by_lines(t, {1}, plain, false)) +
                   weighed(by_lines(part, {1}, plain, false)) + weighed(by_lines(row, {0}, plain, false));
        },
        filled<matrix>({3, 11}));
    if constexpr (All)
        agree([&](auto const& x) { return weighed(f(x, 1)); }, [&](auto const& x) { return weighed(by_lines(x, {1}, plain, false)); }, filled<cube>({2, 3, 4}));
    agree([&](auto const& x) { return weighed(f(x, -2)) + weighed(x); }, [&](auto const& x) { return weighed(by_lines(x, {0}, plain, false)) + weighed(x); },
          xt::xarray<double>(filled<matrix>({4, 3})));
    agree(
        [&](auto const& x) {
            auto y = f(x, 0);
            return sum(y * y * y);
        },
        [&](vector const& x) {
            vector const y = by_lines(x, {0}, plain, false);
            return xt::sum(y * y * y)();
        },
        filled<xt::xtensor<float, 1>>({9}));
    if constexpr (All)
        agree([&](auto const& x) { return sum(f(x, 0) * 2.0); }, [&](vector const& x) { return 2.0 * xt::sum(by_lines(x, {0}, plain, false))(); }, vector{0.7});
    vector const none = xt::zeros<double>({0});
    BOOST_CHECK_EQUAL(xgrad::value([&](auto const& x) { return sum(f(x, 0)); }, none), 0.0);
}

}

BOOST_AUTO_TEST_CASE(running_sums_and_products) {
    check<true>([](auto&& e, auto axis) { return cumsum(std::forward<decltype(e)>(e), axis); }, running_sum);
    check([](auto&& e, auto axis) { return xt::cumprod(std::forward<decltype(e)>(e), axis); }, running_product);
    agree([](auto const& x) { return weighed(cumsum(x)) + weighed(xgrad::cumprod(transpose(x))); },
          [](matrix const& x) {
              matrix const t = xt::transpose(x);
              numbers const s = running_sum(numbers(x.begin(), x.end())), p = running_product(numbers(t.begin(), t.end()));
              return weighed(xt::adapt(s)) + weighed(xt::adapt(p));
          }, filled<matrix>({2, 3}));
}
BOOST_AUTO_TEST_CASE(neighbours) {
    check([](auto&& e, auto axis) { return diff(std::forward<decltype(e)>(e), 1, axis); }, [](numbers const& l) { return differences(l, 1); });
    agree([](auto const& x) { return weighed(diff(x)) + weighed(xt::diff(x, 3)) + weighed(xgrad::diff(x, 2, 0)) + weighed(diff(x, 0)); },
          [](matrix const& x) {
              auto n_times = [](std::size_t n) { return [=](numbers const& l) { return differences(l, n); }; };
              return weighed(by_lines(x, {1}, n_times(1), false)) + weighed(by_lines(x, {1}, n_times(3), false)) +
                     weighed(by_lines(x, {0}, n_times(2), false)) + weighed(x);
          }, filled<matrix>({4, 5}));
    vector const g = std::get<0>(xgrad::gradient([](auto const& x) { return sum(diff(x, 7)) + sum(x); }, vector{1.0, 2.0}));
    BOOST_CHECK_EQUAL(g(0) + g(1), 2.0);
}
BOOST_AUTO_TEST_CASE(soft_maxima) {
    check<true>([](auto&& e, auto axis) { return softmax(std::forward<decltype(e)>(e), axis); }, soft);
    check([](auto&& e, auto axis) { return xgrad::log_softmax(std::forward<decltype(e)>(e), axis); }, log_soft);
    // of plain arrays
    matrix const x = filled<matrix>({2, 3});
    BOOST_CHECK(xt::allclose(xgrad::softmax(x), by_lines(x, {1}, soft, false)));
    BOOST_CHECK(xt::allclose(xgrad::log_softmax(x * 2.0, 0), by_lines(2.0 * x, {0}, log_soft, false)));
}
BOOST_AUTO_TEST_CASE(far_values) {
    double const inf = std::numeric_limits<double>::infinity();
    auto gradient_of = [](auto f, vector const& x) { return vector(std::get<0>(xgrad::gradient(f, x))); };
    vector g = gradient_of([](auto const& x) { return view(softmax(x), 1)(); }, {1000.0, 1000.0, -inf});
    BOOST_CHECK_EQUAL(g(0), -0.25);
    BOOST_CHECK_EQUAL(g(1), 0.25);
    BOOST_CHECK_EQUAL(g(2), 0.0);
    g = gradient_of([](auto const& x) { return view(log_softmax(x), 0)(); }, {1000.0, 0.0, -inf});
    BOOST_CHECK_EQUAL(g(0), 0.0);
    BOOST_CHECK_EQUAL(g(2), 0.0);
    g = gradient_of([](auto const& x) { return sum(cumprod(x)); }, {2.0, 0.0, 3.0, 0.0, 5.0});
    BOOST_CHECK(xt::allclose(g, vector{1.0, 8.0, 0.0, 0.0, 0.0}));
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(softmax(x, 1)); }, vector{1.0}), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(cumsum(x, -2)); }, vector{1.0}), std::invalid_argument);
}
