// Element by element: iterators, range-for, at, front, back, flat, periodic and in_bounds of active arrays, as of plain ones.
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <xtensor/xadapt.hpp>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using columns = xt::xtensor<double, 2, xt::layout_type::column_major>;
matrix const x34 = 0.3 + 0.07 * xt::reshape_view(xt::arange<double>(12), {3, 4});
columns const c34 = x34;
xt::xarray<double> const d234 = 0.2 + 0.03 * xt::reshape_view(xt::arange<double>(24), {2, 3, 4});

// A number that depends on the order of the elements.
constexpr auto in_order = [](auto const& x) {
    auto s = [&] {
        if constexpr (xgrad::active<decltype(x)>) return variable(0.0);
        else return 0.0;
    }();
    double w = 1;
    for (auto v : x) s = s + (w += 0.5) * v * v;
    return s;
};

}

BOOST_AUTO_TEST_CASE(arguments_of_all_kinds) {
    agree(XGRAD_BOTH_MODES((auto const& x), return in_order(x);), [](matrix const& x) { return in_order(x); }, x34);
    agree(in_order, [](columns const& x) { return in_order(x); }, c34);
    agree(in_order, [](xt::xarray<double> const& x) { return in_order(x); }, d234);
    agree(
        in_order, [](xt::xtensor_fixed<double, xt::xshape<2, 3>> const& x) { return in_order(x); },
        xt::xtensor_fixed<double, xt::xshape<2, 3>>{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
    agree(in_order, [](vector const& x) { return in_order(x); }, vector{});
}

BOOST_AUTO_TEST_CASE(views_named_values_and_results) {
    agree([](auto const& x) { return in_order(view(x, xt::range(0, 3, 2), xt::range(1, 4))) + in_order(transpose(x)); },
          [](matrix const& x) { return in_order(xt::view(x, xt::range(0, 3, 2), xt::range(1, 4))) + in_order(xt::transpose(x)); }, x34);
    // by permutations that are names and temporaries, under xtensor's name, too
    std::vector<std::size_t> const swapped{1, 0};
    agree(
        [&](auto const& x) {
            using xt::transpose;
            return in_order(transpose(x, swapped)) + in_order(transpose(x, std::vector<std::size_t>{1, 0}) * xt::transpose(x, std::array<int, 2>{1, 0}));
        },
        [](matrix const& x) { return in_order(xt::transpose(x)) + in_order(xt::transpose(x * x)); }, x34);
    agree(XGRAD_BOTH_MODES((auto const& x), auto y = sin(x) * x; return in_order(y) * sum(y) + in_order(x + y);),
          [](matrix const& x) { matrix y = xt::sin(x) * x; return in_order(y) * xt::sum(y)() + in_order(matrix(x + y)); }, x34);
    agree([](auto const& x) { variable y = x * 2.0; y = y * x; return in_order(y) + in_order(sum(y, {0})); },
          [](matrix const& x) { matrix y = 2.0 * x * x; return in_order(y) + in_order(vector(xt::sum(y, {0}))); }, x34);
}

BOOST_AUTO_TEST_CASE(algorithms) {
    agree([](auto const& x) { return std::accumulate(x.begin(), x.end(), variable(0.0)) * std::inner_product(x.cbegin(), x.cend(), x.begin(), variable(1.0)); },
          [](matrix const& x) { return xt::sum(x)() * (1 + xt::sum(x * x)()); }, x34);
    agree([](auto const& x) {
        auto y = x * x;
        std::vector<variable<double>> v(y.begin(), y.end());
        std::reverse(v.begin(), v.end());
        return in_order(stack(v));
    }, [](matrix const& x) {
        std::vector<double> v(x.begin(), x.end());
        std::reverse(v.begin(), v.end());
        vector y = xt::adapt(v);
        return in_order(vector(y * y));
    }, x34);
    agree([](auto const& x) { return *std::max_element(x.begin(), x.end(), [](auto const& a, auto const& b) { return a < b; }); },
          [](matrix const& x) { return xt::amax(x)(); }, x34);
    agree([](auto const& x) {
        auto const first = x.template begin<xt::layout_type::column_major>(), last = x.template end<xt::layout_type::column_major>();
        return first[1] * *(last - 2) + *std::next(first, 3) * static_cast<double>(last - first) + (first < last ? *first : *(first + 1));
    }, [](matrix const& x) { return x(1, 0) * x(1, 3) + 12 * x(0, 1) + x(0, 0); }, x34);
    using iterator = decltype(std::declval<xgrad::variable<matrix>&>().begin());
    static_assert(std::random_access_iterator<iterator>);
}

BOOST_AUTO_TEST_CASE(one_element) {
    agree(XGRAD_BOTH_MODES((auto const& x), return x.at(1, 2) * x.front() + x.back() * x.flat(5) * x.periodic(-1, 5);),
          [](matrix const& x) { return x.at(1, 2) * x.front() + x.back() * x.flat(5) * x.periodic(-1, 5); }, x34);
    agree([](auto const& x) { auto y = x * x; return y.at(1, 2) * y.front() + y.back() * y.flat(4) * y.periodic(3, -2) * x.flat(5); },
          [](columns const& x) { matrix y = x * x; return y.at(1, 2) * y.front() + y.back() * y.flat(4) * y.periodic(3, -2) * x.flat(5); }, c34);
    agree([](auto const& x) { return x.flat(7) * transpose(x).flat(5) + view(x, 1, xt::all()).flat(2); },
          [](matrix const& x) { return x.flat(7) * x.flat(5) + x(1, 2); }, x34);
    agree([](auto const& x) { return x.at(1, 0, 3) * x.front() * x.back() * x.periodic(2, -1, 4); },
          [](xt::xarray<double> const& x) { return x(1, 0, 3) * x(0, 0, 0) * x(1, 2, 3) * x(0, 2, 0); }, d234);
}

BOOST_AUTO_TEST_CASE(outside) {
    auto throws = [](auto f) { BOOST_CHECK_THROW(xgrad::value(f, x34), std::out_of_range); };
    throws([](auto const& x) { return x.at(3, 0); });
    throws([](auto const& x) { return x.at(0, -1); });
    throws([](auto const& x) { return x.flat(12); });
    throws([](auto const& x) { return view(x, xt::range(1, 1)).front(); });
    throws([](auto const& x) { return view(x, xt::range(1, 1)).back(); });
    throws([](auto const& x) { return view(x, xt::range(1, 1)).periodic(0, 0); });
    xgrad::value([](auto const& x) {
        BOOST_TEST(x.in_bounds(2, 3));
        BOOST_TEST(!x.in_bounds(3, 0));
        BOOST_TEST(!x.in_bounds(0, -1));
        BOOST_TEST((x * 2.0).in_bounds(2, 3));
        return sum(x);
    }, x34);
}

// Whatever the size, one pass: a gradient of n elements in a time of n, with one array of cotangents.
BOOST_AUTO_TEST_CASE(many_elements) {
    vector const x = xt::linspace<double>(0, 1, 200000);
    auto const [g] = xgrad::gradient([](auto const& v) {
        variable s = 0.0;
        for (auto e : v) s = s + e * e;
        return s;
    }, x);
    BOOST_TEST(xt::allclose(g, 2 * x));
}
