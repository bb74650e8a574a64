// Elements by their indices: views with lists, index_view, filter, take and scatter_add; what is asked for outside is refused.
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <xtensor/xindex_view.hpp>

#include "by_lines.hpp"
#include "filled.hpp"

using namespace programs;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
using any = xt::xarray<double>;

using programs::filled;
matrix const m34 = filled<matrix>({3, 4});
cube const c234 = filled<cube>({2, 3, 4});
vector const v5 = filled<vector>({5});

template <class E, class F, class X>
void refused(F f, X const& x, std::string const& part) {
    try {
        xgrad::gradient(f, x);
        BOOST_ERROR("not refused: " + part);
    } catch (E const& e) {
        BOOST_CHECK_MESSAGE(std::string(e.what()).find(part) != std::string::npos, e.what());
    }
}

}

BOOST_AUTO_TEST_CASE(views_with_lists) {
    agree(
        [](auto const& x) {
            auto v = view(x, xt::keep(2, 0, 2), xt::all());
            auto w = xt::view(x, xt::range(0, 2), xt::drop(1));
            return weighed(v) + weighed(w * w) + weighed(view(x, xt::keep(1, 2), xt::keep(-1, 0))) + weighed(view(transpose(x), xt::keep(3))) +
                   weighed(xgrad::view(x * x, 1, xt::keep(0, 0, 3)));
        },
        [](matrix const& x) {
            matrix const v = xt::view(x, xt::keep(2, 0, 2), xt::all()), w = xt::view(x, xt::range(0, 2), xt::drop(1)), sq = w * w,
                         u = xt::view(x, xt::keep(1, 2), xt::keep(3, 0)), t = xt::transpose(x), s = xt::view(t, xt::keep(3));
            vector const r = xt::view(x, 1, xt::keep(0, 0, 3)), r2 = r * r;
            return weighed(v) + weighed(sq) + weighed(u) + weighed(s) + weighed(r2);
        },
        m34);
    agree(
        [](auto const& x) {
            return weighed(view(x, xt::newaxis(), 1, xt::keep(0, 2), xt::range(0, 4, 2))) + weighed(view(x, xt::keep(1), xt::all(), xt::drop(0, 1))) +
                   weighed(view(x, xt::all(), xt::newaxis(), xt::keep(1)));
        },
        [](cube const& x) {
            cube const a = xt::view(x, xt::newaxis(), 1, xt::keep(0, 2), xt::range(0, 4, 2)), b = xt::view(x, xt::keep(1), xt::all(), xt::drop(0, 1));
            xt::xtensor<double, 4> const c = xt::view(x, xt::all(), xt::newaxis(), xt::keep(1));
            return weighed(a) + weighed(b) + weighed(c);
        },
        c234);
    agree(
        [](auto const& x) {
            return weighed(view(x, xt::all(), xt::keep(1, 3))) + weighed(strided_view(x, {xt::ellipsis(), 1})) + sum(view(x, xt::ellipsis(), 0)) +
                   weighed(xt::strided_view(x, {xt::range(0, 2), xt::newaxis(), xt::all()}));
        },
        [](any const& x) {
            any const a = xt::view(x, xt::all(), xt::keep(1, 3)), b = xt::view(x, xt::all(), 1), c = xt::view(x, xt::range(0, 2), xt::newaxis(), xt::all());
            return weighed(a) + weighed(b) + weighed(c) + x(0, 0) + x(1, 0) + x(2, 0);
        },
        any(m34));
    agree([](auto const& x) { return weighed(row(x, 1)) + weighed(xt::col(x, 2) * 2.0); },
          [](matrix const& x) {
              vector const r = xt::row(x, 1), c = 2.0 * xt::col(x, 2);
              return weighed(r) + weighed(c);
          },
          m34);
    refused<std::out_of_range>([](auto const& x) { return sum(view(x, xt::keep(0, 3))); }, m34, "found 3 and (3, 4)");
}

BOOST_AUTO_TEST_CASE(lists_of_elements) {
    agree([](auto const& x) {
              auto v = index_view(x, {{0, 1}, {2, 3}, {0, 1}, {1, 0}});
              return weighed(v) + weighed(xt::index_view(x * x, std::vector<std::array<int, 2>>{{2, 2}, {-1, 0}})) +
                     weighed(xgrad::index_view(transpose(x), std::vector<xt::xindex>{{3, 2}}));
          },
          [](matrix const& x) {
              vector const v{x(0, 1), x(2, 3), x(0, 1), x(1, 0)}, w{x(2, 2) * x(2, 2), x(2, 0) * x(2, 0)}, u{x(2, 3)};
              return weighed(v) + weighed(w) + weighed(u);
          }, m34);
    agree(
        [](auto const& x) {
            auto f = filter(x, x > 0.0);
            return weighed(f) + weighed(xt::filter(transpose(x), xt::transpose(m34) < 0.2)) + sum(xgrad::filter(x, m34 > 9.0));
        },
        [](matrix const& x) {
            matrix const t = xt::transpose(x), tm = xt::transpose(m34);
            vector const f = xt::filter(x, x > 0.0), g = xt::filter(t, tm < 0.2);
            return weighed(f) + weighed(g);
        },
        m34);
    refused<std::out_of_range>([](auto const& x) { return sum(index_view(x, {{0, 4}})); }, m34, "found (0, 4) and (3, 4)");
    refused<std::out_of_range>([](auto const& x) { return sum(index_view(x, {{0, 0, 0}})); }, m34, "found (0, 0, 0)");
    refused<std::invalid_argument>([](auto const& x) { return sum(filter(x, v5 > 0.0)); }, m34, "found (5,) and (3, 4)");
}

BOOST_AUTO_TEST_CASE(taken_along_an_axis) {
    xt::xtensor<int, 2> const pairs{{0, 2}, {1, 1}};
    xt::xarray<std::size_t> const places{2, 0, 0};
    agree([&](auto const& x) {
              auto t = take(x, {2, -1, 0}, 0);
              auto p = take(x, pairs, 1);
              return weighed(t) + weighed(p) + weighed(xgrad::take(x * x, places, -1)) + weighed(take(x, std::vector<int>{11, 0, -1})) +
                     weighed(take(view(x, xt::all(), xt::range(0, 4, 3)), pairs));
          },
          [&](matrix const& x) {
              matrix t({3, 4}), s({3, 3}), part = xt::view(x, xt::all(), xt::range(0, 4, 3)), q({2, 2});
              cube p({3, 2, 2});
              for (std::size_t j = 0; j < 4; ++j) {
                  t(0, j) = t(1, j) = x(2, j);
                  t(2, j) = x(0, j);
              }
              for (std::size_t i = 0; i < 3; ++i)
                  for (std::size_t k = 0; k < 3; ++k) s(i, k) = x(i, k == 0 ? 2 : 0) * x(i, k == 0 ? 2 : 0);
              for (std::size_t a = 0; a < 2; ++a)
                  for (std::size_t b = 0; b < 2; ++b) {
                      for (std::size_t i = 0; i < 3; ++i) p(i, a, b) = x(i, std::size_t(pairs(a, b)));
                      q(a, b) = part.data()[pairs(a, b)];
                  }
              vector const l{x(2, 3), x(0, 0), x(2, 3)};
              return weighed(t) + weighed(p) + weighed(s) + weighed(l) + weighed(q);
          }, m34);
    agree([](auto const& x) { return weighed(take(x, {1, 1}, 1)); },
          [](any const& x) {
              any const t = xt::view(x, xt::all(), xt::keep(1, 1));
              return weighed(t);
          },
          any(m34));
    agree([](auto const& x) { return sum(take(x, {0, 0, 2}) * x); }, [](vector const& x) { return x(0) * x(0) + x(0) * x(1) + x(2) * x(2); },
          xt::xtensor<float, 1>{0.5f, 2.0f, -1.0f});
    vector const g = std::get<0>(xgrad::gradient([](auto const& x) { return sum(take(x, std::vector<int>{})) + sum(x); }, v5));
    BOOST_CHECK_EQUAL(xt::sum(g)(), 5.0);
    refused<std::out_of_range>([](auto const& x) { return sum(take(x, {0, 4}, 1)); }, m34, "found 4 and (3, 4)");
    refused<std::out_of_range>([](auto const& x) { return sum(take(x, {12})); }, m34, "found 12");
    refused<std::invalid_argument>([](auto const& x) { return sum(take(x, {0}, 2)); }, m34, "axis 2");
}

BOOST_AUTO_TEST_CASE(added_to_elements) {
    agree([](auto const& x, auto const& v) {
              auto y = scatter_add(x, {1, 1, -1}, v);
              return weighed(y * y) + weighed(scatter_add(v, std::vector<int>{0}, view(x, xt::range(2, 3)))) + weighed(scatter_add(v5, {4, 0, 4}, v * v)) +
                     weighed(xgrad::scatter_add(x, {3}, vector{2.0}));
          },
          [](vector const& x, vector const& v) {
              vector y = x, z = v, w = v5, u = x;
              y(1) += v(0) + v(1);
              y(4) += v(2);
              z(0) += x(2);
              w(4) += v(0) * v(0) + v(2) * v(2);
              w(0) += v(1) * v(1);
              u(3) += 2.0;
              vector const q = y * y;
              return weighed(q) + weighed(z) + weighed(w) + weighed(u);
          }, v5, vector{0.3, -0.7, 1.1});
    agree([](auto const& x, auto const& v) { return weighed(scatter_add(transpose(x), {0, 2, 0}, v, 1)); },
          [](matrix const& x, matrix const& v) {
              matrix t = xt::transpose(x);
              for (std::size_t i = 0; i < 4; ++i) {
                  t(i, 0) += v(i, 0) + v(i, 2);
                  t(i, 2) += v(i, 1);
              }
              return weighed(t);
          }, m34, filled<matrix>({4, 3}));
    refused<std::out_of_range>([](auto const& x) { return sum(scatter_add(x, {5}, vector{1.0})); }, v5, "found 5");
    refused<std::invalid_argument>([](auto const& x) { return sum(scatter_add(x, {0, 1}, vector{1.0})); }, v5, "found (1,) for (2,)");
}
