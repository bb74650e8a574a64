// Elements of an array variable that a condition or a list of indices names are assigned to, compared with the same program on a plain array.
#include <stdexcept>
#include <vector>

#include <xtensor/xindex_view.hpp>

#include "writes.hpp"

using programs::copy_of, programs::same, programs::weighed;

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using list = std::vector<xt::xindex>;
vector const v{0.3, -0.5, 0.9, -0.4, 1.6};
matrix const m{{2.1, 0.3, -0.4}, {-0.2, 1.7, 0.6}};
}

BOOST_AUTO_TEST_CASE(where_a_condition_holds) {
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::filter(u, u < 0.0) = 0.25;
        xt::filter(u, u > 0.5) *= x(0);
        xt::filter(u, u > 0.2) += x(1) * x(2);
        xt::filter(u, u > 1e6) = 3.0;
        return weighed(u, x);
    }, v);
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::filter(u, u < 0.0) = xt::view(x, 0, xt::range(0, 2));
        xt::filter(u, u > 1.0) /= u(0, 1) + 2.0;
        xt::filter(u, u > 1.0) -= xt::filter(u, u > 1.0) * x(1, 2);
        return weighed(u, x);
    }, m);
}
BOOST_AUTO_TEST_CASE(by_indices) {
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::index_view(u, list{{1}, {3}}) = 2.0 * xt::index_view(u, list{{3}, {0}}) * x(2);
        xt::index_view(u, list{{4}, {2}}) -= 1.5;
        xt::index_view(u, list{{0}, {1}, {2}}) *= xt::view(x, xt::range(2, 5));
        return weighed(u, x);
    }, v);
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::index_view(u, list{{0, 1}, {1, 2}, {0, 0}}) += x(1, 1) * xt::view(x, 1, xt::all());
        return weighed(u, x);
    }, m);
    xt::xtensor<double, 2, xt::layout_type::column_major> const by_columns = m;
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::index_view(u, list{{0, 1}, {1, 2}}) = x(1, 0);
        return weighed(u, x);
    }, by_columns);
}
// Lists of indices along some axes, beside ranges, indices and new axes: what is assigned is broadcast as it is to any other view.
BOOST_AUTO_TEST_CASE(by_lists_of_indices) {
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::view(u, xt::keep(0, 2)) = xt::view(x, xt::keep(1, 1));
        xt::view(u, xt::keep(3, -1)) += xt::view(u, xt::keep(0, 3)) * x(4);
        xt::view(u, xt::drop(1, 2)) *= 2.5;
        xt::view(u, xt::keep(4)) /= x(2);
        return weighed(u, x);
    }, v);
    auto const of_matrix = [](auto const& x) {
        auto u = copy_of(x);
        xt::view(u, xt::all(), xt::keep(2, 0)) = xt::view(x, xt::all(), xt::range(0, 2)) * 2.0;
        xt::view(u, 1, xt::keep(0, 2)) -= x(0, 1);
        xt::view(u, xt::keep(1, 0), xt::drop(1)) += xt::view(x, 1, xt::range(1, 3));
        xt::view(u, xt::keep(0, 1), xt::range(1, 3)) *= xt::view(x, xt::all(), xt::range(0, 1));
        xt::view(u, xt::newaxis(), xt::keep(1), xt::all()) += xt::view(x, 0, xt::newaxis(), xt::newaxis(), xt::all());
        return weighed(u, x);
    };
    same(of_matrix, m);
    same(of_matrix, xt::xtensor<double, 2, xt::layout_type::column_major>(m));
    same(of_matrix, xt::xarray<double>(m));
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { xgrad::variable u = x; view(u, xt::keep(1, 5)) = 1.0; return sum(u); }, v), std::out_of_range);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { xgrad::variable u = x; view(u, xt::keep(1, 2)) = x; return sum(u); }, v), std::invalid_argument);
}
// A place that comes several times takes a number as often, and of an array the last element; what was read before keeps its value, and the place has the new
// one.
BOOST_AUTO_TEST_CASE(order) {
    auto const f = [](auto const& x) {
        xgrad::variable u = x;
        auto const old = xgrad::index_view(u, {{0}, {0}, {1}});
        auto place = xgrad::index_view(u, {{0}, {0}, {1}});
        place = xgrad::view(x, xt::range(2, 5));
        place *= 2.0;
        return sum(place * old) + u(0);
    };
    // u = {4 x3, 2 x4, ...}: the place reads {4 x3, 4 x3, 2 x4}
    auto const g = std::get<0>(xgrad::gradient(f, v));
    vector const expected{8.0 * v(3), 2.0 * v(4), 0.0, 8.0 * v(0) + 4.0, 2.0 * v(1)};
    BOOST_CHECK(xt::allclose(g, expected, 1e-12));
    same([](auto const& x) {
        auto u = copy_of(x);
        list const twice{{0}, {0}, {1}};
        xt::index_view(u, twice) += xt::view(x, xt::range(2, 5));
        xt::index_view(u, twice) *= xt::view(x, xt::range(1, 4)) * x(4);
        xt::index_view(u, twice) += 1.5;
        return weighed(u, x);
    }, v);
}
BOOST_AUTO_TEST_CASE(pulled_twice) {
    auto const f = [](auto const& x) {
        xgrad::variable u = x;
        xgrad::filter(u, u < 0.0) *= x(0) * x(0);
        return u * u;
    };
    auto [y, pull] = xgrad::vjp(f, v);
    vector const ones = xt::ones<double>({v.size()}), once = std::get<0>(pull(ones)), again = std::get<0>(pull(ones));
    BOOST_CHECK(once == again);
    BOOST_CHECK_CLOSE(once(1), 2.0 * v(1) * std::pow(v(0), 4), 1e-10);
}
BOOST_AUTO_TEST_CASE(in_a_scoped_function) {
    auto const f = [](auto const& x) -> xgrad::real {
        xgrad::variable u = x;
        xgrad::filter(u, u < 0.0) = x(0) * x(2);
        xgrad::index_view(u, {{0}, {1}}) *= x(2) + 1.0;
        xgrad::filter(u, u > 1.0) = xgrad::view(x, xt::range(0, 1)) * 3.0;
        return sum(u * u);
    };
    auto const plain = [](auto const& x) {
        xgrad::variable u = x;
        xgrad::filter(u, u < 0.0) = x(0) * x(2);
        xgrad::index_view(u, {{0}, {1}}) *= x(2) + 1.0;
        xgrad::filter(u, u > 1.0) = xgrad::view(x, xt::range(0, 1)) * 3.0;
        return sum(u * u);
    };
    BOOST_CHECK(xt::allclose(std::get<0>(xgrad::gradient(f, v)), std::get<0>(xgrad::gradient(plain, v)), 1e-12));
}
BOOST_AUTO_TEST_CASE(what_does_not_fit) {
    auto const f = [](auto const& x) {
        xgrad::variable u = x;
        bool refused = false;
        try {
            xgrad::filter(u, u < 0.0) = xgrad::view(x, xt::range(0, 3));
        } catch (std::invalid_argument const& e) {
            refused = std::string(e.what()).find("xgrad[E201]: filter(x, condition)") != std::string::npos;
        }
        BOOST_TEST(refused);
        return sum(u * u);
    };
    BOOST_CHECK(xt::allclose(std::get<0>(xgrad::gradient(f, v)), vector(2.0 * v)));
    auto const g = [](auto const& x) {
        xgrad::variable u = x;
        auto place = xgrad::index_view(u, {{4}});
        u = xgrad::view(x, xt::range(0, 2));
        place = 1.0;
        return sum(u);
    };
    BOOST_CHECK_THROW(xgrad::gradient(g, v), std::logic_error);
    vector const empty = xt::zeros<double>({0});
    auto const none = [](auto const& x) {
        xgrad::variable u = x;
        xgrad::filter(u, u < 0.0) = 1.0;
        return sum(u);
    };
    BOOST_TEST(std::get<0>(xgrad::gradient(none, empty)).size() == 0u);
}
