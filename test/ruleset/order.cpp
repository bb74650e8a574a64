// sort and what rests on it; places of elements, which are plain.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <xtensor/xsort.hpp>

#include "by_lines.hpp"

using namespace programs;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using any = xt::xarray<double>;
using places = xt::xtensor<std::size_t, 1>;

matrix const m34{{0.3, -1.2, 2.0, 0.9}, {1.5, 0.7, -0.4, -2.0}, {-0.9, 0.1, 0.6, 1.1}};
double const not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sorted(std::vector<double> l) {
    std::sort(l.begin(), l.end());
    return l;
}
double middle(std::vector<double> const& l) {
    auto const s = sorted(l);
    return (s[(s.size() - 1) / 2] + s[s.size() / 2]) / 2;
}

}

BOOST_AUTO_TEST_CASE(sorted_lines) {
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto s = sort(x); return weighed(s) + weighed(xt::sort(x * x, 0)) + weighed(xgrad::sort(transpose(x), -2)) +
                                                                   weighed(sort(x, xt::xnone())) + weighed(sort(view(x, 1), 0));),
        [](matrix const& x) {
            matrix const t = xt::transpose(x), sq = x * x;
            vector const all = xt::flatten(x), row = xt::view(x, 1);
            return weighed(by_lines(x, {1}, sorted, false)) + weighed(by_lines(sq, {0}, sorted, false)) + weighed(by_lines(t, {0}, sorted, false)) +
                   weighed(by_lines(all, {0}, sorted, false)) + weighed(by_lines(row, {0}, sorted, false));
        },
        m34);
    agree([](auto const& x) { return weighed(sort(x, 0)) + weighed(partition(x, 2)); },
          [](any const& x) { return weighed(by_lines(x, {0}, sorted, false)) + weighed(by_lines(x, {1}, sorted, false)); }, any(m34));
    agree([](auto const& x) { return weighed(median(x)) + weighed(xt::median(x, 0)) + weighed(xgrad::median(x, 1)); },
          [](matrix const& x) { return weighed(reduced(x, {}, middle)) + weighed(reduced(x, {0}, middle)) + weighed(reduced(x, {1}, middle)); }, m34);
    agree([](auto const& x) { return sum(sort(x) * x); },
          [](vector const& x) {
              auto const s = sorted({x.begin(), x.end()});
              return x(0) * s[0] + x(1) * s[1] + x(2) * s[2];
          },
          xt::xtensor<float, 1>{0.5f, 2.0f, -1.0f});
    vector const none = xt::zeros<double>({0});
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& x) { return sum(sort(x)); }, none), 0.0);
}
BOOST_AUTO_TEST_CASE(equal_elements_and_no_numbers) {
    // equal ones keep their order, so each has its own derivative
    vector const g = std::get<0>(xgrad::gradient([](auto const& x) { return sum(sort(x) * vector{1.0, 2.0, 3.0, 4.0}); }, vector{1.0, 0.0, 1.0, 1.0}));
    BOOST_CHECK(g == (vector{2.0, 1.0, 3.0, 4.0}));
    vector const h = std::get<0>(xgrad::gradient(
        [](auto const& x) {
            auto s = sort(x);
            return view(s, 0)() + 2.0 * view(s, 1)();
        },
        vector{not_a_number, 3.0, 2.0}));
    BOOST_CHECK(h == (vector{0.0, 2.0, 1.0}));
    // what is NaN has a derivative that is
    for (auto const& of_middle : {vector{1.0, not_a_number, 3.0}, vector{not_a_number, 1.0, 2.0, 3.0}}) {
        auto const [y, dy] = xgrad::value_and_gradient([](auto const& x) { return median(x) + quantile(x, 0.0); }, of_middle);
        BOOST_CHECK(std::isnan(y));
        for (std::size_t i = 0; i < of_middle.size(); ++i) BOOST_CHECK_EQUAL(std::isnan(std::get<0>(dy)(i)), std::isnan(of_middle(i)));
    }
    // a list of one is a list
    vector const one = std::get<0>(xgrad::gradient([](auto const& x) { return quantile(x, {0.5})(0) + quantile(x, 1); }, vector{1.0, 5.0, 3.0}));
    BOOST_CHECK(one == (vector{0.0, 1.0, 1.0}));
    BOOST_CHECK_EQUAL(xgrad::quantile(vector{1.0, 5.0, 3.0}, {0.5})(0), 3.0);
    vector const u = std::get<0>(xgrad::gradient(
        [](auto const& x) {
            auto v = unique(x);
            BOOST_CHECK_EQUAL(v.size(), 2u);
            return sum(v * v);
        },
        vector{2.0, 1.0, 2.0, 1.0}));
    BOOST_CHECK(u == (vector{4.0, 2.0, 0.0, 0.0}));
}
BOOST_AUTO_TEST_CASE(places_are_plain) {
    xgrad::value([](auto const& x) {
        BOOST_CHECK_EQUAL(argmax(x)(), 2u);
        BOOST_CHECK_EQUAL(xt::argmin(x * 1.0)(), 7u);
        BOOST_CHECK(xgrad::argmax(x, 1) == (places{2, 0, 3}));
        BOOST_CHECK(argmin(x, 0) == (places{2, 0, 1, 1}));
        BOOST_CHECK(argmax(transpose(x), 0) == (places{2, 0, 3}));
        xt::xtensor<std::size_t, 2> const order = argsort(x), expected = xt::argsort(m34);
        BOOST_CHECK(order == expected);
        BOOST_CHECK_EQUAL(argsort(x, xt::xnone())(0), 7u);
        BOOST_CHECK_EQUAL(argpartition(x, 1)(0, 0), 1u);
        BOOST_CHECK_EQUAL(count_nonzero(x), 12u);
        BOOST_CHECK_EQUAL(nonzero(x)[0].size(), 12u);
        BOOST_CHECK_EQUAL(argwhere(x).size(), 12u);
        BOOST_CHECK_EQUAL(flatnonzero(x).size(), 12u);
        BOOST_CHECK(xt::any(x) && all(x));
        // a permutation by the order
        return sum(take(view(x, 0), argsort(view(x, 0))) * view(x, 1));
    }, m34);
    BOOST_CHECK(std::isnan(xgrad::value([](auto const& x) { return x(argmax(x)()) + x(argmin(x)()); }, vector{1.0, not_a_number, 0.0})));
}
