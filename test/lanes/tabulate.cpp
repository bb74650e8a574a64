// tabulate(shape, f, x...): values and derivatives by every verb, beside the same function in a loop; edges, steps, periodic indices, and what f may be given.
#include <array>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/count_allocations.hpp>
#include <xgrad/map.hpp>
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

matrix waves(std::size_t n, std::size_t m) {
    matrix x = matrix::from_shape({n, m});
    for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(1.0 + 0.7 * static_cast<double>(i)) + 0.01 * static_cast<double>(i % 5);
    return x;
}
vector wave(std::size_t n) { return xt::view(waves(1, n), 0, xt::all()); }
template <class A>
double largest(A const& a) {
    double d = 0;
    if constexpr (std::is_arithmetic_v<A>) return std::abs(a);
    else {
        for (auto const v : a) d = std::max(d, std::abs(static_cast<double>(v)));
        return d;
    }
}

// By tabulate and by a loop over plain numbers: values, the gradient beside differences, a second derivative beside a difference of gradients, and the pullback
// twice.
template <class F, class G, class X, class... C>
void agree(F const& f, G const& g, X const& x, C const&... c) {
    constexpr double h = 1e-5;
    auto const of_x = [&](auto const& u) { return f(u, c.value()...); };
    auto const by_loop = [&](X const& u) { return xgrad::value(g, u, c...); };
    double const value = by_loop(x);
    auto const a = xgrad::value_and_gradient(of_x, x);
    X const& gradient = std::get<0>(a.gradient);
    BOOST_TEST(std::abs(a.value - value) <= 1e-12 * (1 + std::abs(value)));
    BOOST_TEST(std::abs(xgrad::value(of_x, x) - value) <= 1e-12 * (1 + std::abs(value)));
    X y = x, apart = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        y.flat(i) = x.flat(i) + h;
        double const above = by_loop(y);
        y.flat(i) = x.flat(i) - h;
        double const below = by_loop(y);
        y.flat(i) = x.flat(i);
        apart.flat(i) = gradient.flat(i) - (above - below) / (2 * h);
    }
    BOOST_TEST(largest(apart) < 1e-7);
    X const along = xt::cos(x) + 0.5;
    bends(std::get<0>(xgrad::hvp(of_x, x, along).product), of_x, x, along);
    auto [v, pullback] = xgrad::vjp(of_x, x);
    BOOST_TEST(std::abs(v - value) <= 1e-12 * (1 + std::abs(value)));
    X const once = std::get<0>(pullback(1.0)), twice = std::get<0>(pullback(2.0));
    BOOST_TEST(largest(X(once - gradient)) < 1e-12);
    BOOST_TEST(largest(X(twice - 2.0 * gradient)) < 1e-12);
}

}

BOOST_AUTO_TEST_CASE(neighbours) {
    auto const each = [](auto i, auto const& v) -> xgrad::real {
        auto d = v(i + 1) - v(i) * v(i);
        return d * d + v(2 * i / 2) * 0.5;
    };
    for (std::size_t n : {1u, 2u, 3u, 9u, 17u, 64u, 70u})
        agree([&](auto const& u) { return sum(xgrad::tabulate(n - 1, each, u)); },
              [n](auto const& u) {
                  xgrad::number_like<decltype(u)> s = 0.0;
                  for (std::size_t i = 0; i + 1 < n; ++i) {
                      auto d = u(i + 1) - u(i) * u(i);
                      s += d * d + u(i) * 0.5;
                  }
                  return s;
              },
              wave(n));
}
BOOST_AUTO_TEST_CASE(edges_and_periods) {
    // one-sided at the ends, periodic for w
    constexpr std::size_t n = 53;
    auto const each = [](auto i, auto const& v, auto const& w) -> xgrad::real {
        auto size = w.size();
        auto turn = w((i + 1) % size) * w((i + size - 1) % size);
        if (i == 0) return v(0) * 2.0 + turn;
        if (i + 1 == v.shape(0)) return exp(v(i)) * turn;
        return (v(i + 1) - v(i - 1)) * turn;
    };
    auto const before = xgrad::packs_of_maps();
    auto f = [&](auto const& u) {
        auto y = xgrad::tabulate(n, each, u, u);
        return sum(y * y) + sum(y);
    };
    auto g = [](auto const& u) {
        xgrad::number_like<decltype(u)> s = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            auto turn = u((i + 1) % n) * u((i + n - 1) % n);
            xgrad::number_like<decltype(u)> y = 0.0;
            if (i == 0) y = u(0) * 2.0 + turn;
            else if (i + 1 == n) y = exp(u(i)) * turn;
            else y = (u(i + 1) - u(i - 1)) * turn;
            s += y * y + y;
        }
        return s;
    };
    agree(f, g, wave(n));
    auto const counts = xgrad::packs_of_maps();
    if (xgrad::lanes<double> != 1) BOOST_TEST(counts.run > before.run);
    BOOST_TEST(counts.split > before.split);  // at the ends
}
BOOST_AUTO_TEST_CASE(indices_are_unsigned) {
    // one before the first is greater than all
    auto const each = [](auto i, auto const& v) -> xgrad::real {
        auto before = i;
        --before;
        before += 0;
        if (before < v.size()) return v(i) * v(i - 1);
        return v(i) * 5.0;
    };
    auto const no_reading = [](auto i, auto const& v) -> xgrad::real {
        if (i - 1 < v.size() && i % 64 != 63) return v(i) * 2.0;
        return v(i) * 3.0;
    };
    agree([&](auto const& u) { return sum(xgrad::tabulate(70, each, u)) + sum(xgrad::tabulate(70, no_reading, u)); },
          [](auto const& u) {
              xgrad::number_like<decltype(u)> s = 0.0;
              for (std::size_t i = 0; i < 70; ++i) {
                  if (i == 0) s += u(i) * 5.0;
                  else s += u(i) * u(i - 1);
                  s += u(i) * (i - 1 < 70 && i % 64 != 63 ? 2.0 : 3.0);
              }
              return s;
          },
          wave(70));
}
// An index is a number, too, and the smaller or greater of two is one.
BOOST_AUTO_TEST_CASE(indices_beside_values) {
    auto const moment = [](auto i, auto const& v) -> xgrad::real { return i * v(i) * v(i) / (i + 1.0) + sin(v(i) * 0.1 - i) * (v(i) + i); };
    // below 0 it is a great number, as elsewhere
    auto const below = [](auto i, auto const& v) -> xgrad::real { return v(i) * 1e-18 * (2 - i); };
    double plain = 0.0;
    for (std::size_t i = 0; i < 9; ++i) plain += wave(9)(i) * 1e-18 * static_cast<double>(2 - i);
    BOOST_TEST(std::abs(xgrad::value([&](auto const& u) { return sum(xgrad::tabulate(9, below, u)); }, wave(9)) - plain) < 1e-12);
    auto const smoothed = [](auto i, auto const& v, auto n) -> xgrad::real {
        auto left = v(std::max(i, std::size_t(1)) - 1);
        auto right = v(std::min(i + 1, n - 1));
        return (right - left) * v(i) * v(std::min(i, std::max(n / 2, i / 2)));
    };
    for (std::size_t n : {1u, 3u, 9u, 16u, 41u}) {
        agree([&](auto const& u) { return sum(xgrad::tabulate(n, moment, u)); },
              [n](auto const& u) {
                  xgrad::number_like<decltype(u)> s = 0.0;
                  for (std::size_t i = 0; i < n; ++i) {
                      auto const k = static_cast<double>(i);
                      s += k * u(i) * u(i) / (k + 1.0) + sin(u(i) * 0.1 - k) * (u(i) + k);
                  }
                  return s;
              },
              wave(n));
        agree([&](auto const& u) { return sum(xgrad::tabulate(n, smoothed, u, n)); },
              [n](auto const& u) {
                  xgrad::number_like<decltype(u)> s = 0.0;
                  for (std::size_t i = 0; i < n; ++i) s += (u(std::min(i + 1, n - 1)) - u(i == 0 ? 0 : i - 1)) * u(i) * u(std::min(i, std::max(n / 2, i / 2)));
                  return s;
              },
              wave(n));
    }
}
BOOST_AUTO_TEST_CASE(two_axes) {
    auto const laplacian = [](auto i, auto j, auto const& v, auto const& c, auto const& k) -> xgrad::real {
        return c(i, j) * k * (v(i, j + 1) + v(i + 2, j + 1) + v(i + 1, j) + v(i + 1, j + 2) - 4.0 * v(i + 1, j + 1));
    };
    matrix const c = waves(7, 30);
    for (std::size_t m : {3u, 8u, 11u, 32u}) {
        matrix const x = waves(9, m);
        auto f = [&](auto const& u) {
            auto y = xgrad::tabulate({std::size_t(7), m - 2}, laplacian, u, c, 0.25);
            return sum(y * u(1, 1)) + sum(xgrad::tabulate({std::size_t(7), m - 2}, laplacian, u, c, u(2, 2))) + 0.5 * mean(y);
        };
        auto g = [&](auto const& u) {
            xgrad::number_like<decltype(u)> s = 0.0;
            double const size = 7.0 * static_cast<double>(m - 2);
            for (std::size_t i = 0; i < 7; ++i)
                for (std::size_t j = 0; j + 2 < m; ++j) {
                    auto l = c(i, j) * (u(i, j + 1) + u(i + 2, j + 1) + u(i + 1, j) + u(i + 1, j + 2) - 4.0 * u(i + 1, j + 1));
                    s += 0.25 * l * u(1, 1) + l * u(2, 2) + 0.125 / size * l;
                }
            return s;
        };
        agree(f, g, x);
    }
    // transposed: what the last axis counts lies along the first
    auto across = [](auto i, auto j, auto const& v) -> xgrad::real { return v(j, i) * v(j, j); };
    agree([&](auto const& u) { return sum(xgrad::tabulate({5, 9}, across, u)); },
          [](auto const& u) {
              xgrad::number_like<decltype(u)> s = 0.0;
              for (std::size_t i = 0; i < 5; ++i)
                  for (std::size_t j = 0; j < 9; ++j) s += u(j, i) * u(j, j);
              return s;
          },
          waves(9, 12));
}
BOOST_AUTO_TEST_CASE(neighbours_in_rows) {
    // rows of more than a tile of packs, each with readings of its own, forward, backward and from two steps to one
    auto const each = [](auto i, auto j, auto const& v) -> xgrad::real {
        auto y = v(i, j) * v(i, j + 1);
        if (i == 1) return y * v(0, j);
        if (i == 2) return y - v(i, 300 - j) * v(i, 2 * j);
        auto z = y * v(i + 1, j) * v(i + 1, j + 1);
        if (i == 3) return z;
        return z * (v(i, j + 2) + v(i, j + 3) * v(i, j + 4) - v(i, j + 5) + v(i, j + 6) * v(i, j + 7));
    };
    agree([&](auto const& u) { return sum(xgrad::tabulate({5, 290}, each, u)); },
          [](auto const& u) {
              auto at = [&u](std::size_t i, std::size_t begin, std::size_t step = 1) {
                  return view(u, i, xt::range(begin, begin + 290 * step, step));
              };
              auto two = [&at](std::size_t i) { return at(i, 0) * at(i, 1); };
              auto four = [&two](std::size_t i) { return two(i) * two(i + 1); };
              auto all = [&](std::size_t i) { return four(i) * (at(i, 2) + at(i, 3) * at(i, 4) - at(i, 5) + at(i, 6) * at(i, 7)); };
              auto back = view(u, 2, xt::range(300, 10, -1));
              return sum(all(0)) + sum(two(1) * at(0, 0)) + sum(two(2) - back * at(2, 0, 2)) + sum(four(3)) + sum(all(4));
          },
          waves(6, 600));
}
BOOST_AUTO_TEST_CASE(shapes_are_named) {
    auto const each = [](auto i, auto j, auto const& v) -> xgrad::real { return v(i, j) * v(i, j); };
    std::size_t const n = 3;
    int const all[] = {3, 4};
    auto const f = [&](auto const& u) {
        return sum(xgrad::tabulate({3, n}, each, u)) + sum(xgrad::tabulate(all, each, u)) + sum(xgrad::tabulate({n, n}, each, u)) +
               sum(xgrad::tabulate(u.shape(), each, u));
    };
    matrix const x = waves(3, 4);
    auto const [g] = xgrad::gradient(f, x);
    for (std::size_t k = 0; k < x.size(); ++k) BOOST_TEST(std::abs(g.flat(k) - (k % 4 == 3 ? 4.0 : 8.0) * x.flat(k)) < 1e-14);
}
// Complex numbers are tabulated item by item.
BOOST_AUTO_TEST_CASE(complex_numbers) {
    using complex = std::complex<double>;
    auto const f = [](auto const& z) { return norm_sq(sum(xgrad::tabulate(3, [](auto i, auto const& v) { return v(i) * v(i) * v(0); }, z))); };
    xt::xtensor<complex, 1> const z{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}};
    auto const loop = [](auto const& v) {
        xgrad::variable s = v(0) * v(0) * v(0);
        for (std::size_t i = 1; i < 3; ++i) s += v(i) * v(i) * v(0);
        return norm_sq(s);
    };
    auto const [g] = xgrad::gradient(f, z);
    auto const [h] = xgrad::gradient(loop, z);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(std::abs(g(i) - h(i)) < 1e-12 * std::abs(h(i)));
}
// Rows of one number to some packs and a few: no item of a row is computed one by one where the row has a pack.
BOOST_AUTO_TEST_CASE(rows_of_every_length) {
    auto const each = [](auto i, auto j, auto const& v, auto const& w) -> xgrad::real { return v(i, j) * v(i + 1, j + 1) * w(0, j) + exp(v(i, j + 1)); };
    constexpr std::size_t lanes = xgrad::lanes<double>;
    for (std::size_t m = 1; m <= 2 * lanes + 1; ++m) {
        auto const before = xgrad::packs_of_maps();
        agree([&](auto const& u) {
            auto y = xgrad::tabulate({3, m}, each, u, u);
            return sum(sin(y)) + sum(xgrad::tabulate({3, m}, each, u, u));
        },
              [&](auto const& u) {
                  xgrad::number_like<decltype(u)> s = 0.0;
                  for (std::size_t i = 0; i < 3; ++i)
                      for (std::size_t j = 0; j < m; ++j) {
                          auto y = u(i, j) * u(i + 1, j + 1) * u(0, j) + exp(u(i, j + 1));
                          s += sin(y) + y;
                      }
                  return s;
              },
              waves(4, m + 1));
        auto const after = xgrad::packs_of_maps();
        BOOST_TEST(after.split == before.split);
        if (lanes != 1) BOOST_TEST((after.run != before.run) == (m >= lanes));
    }
}
BOOST_AUTO_TEST_CASE(axes_of_one_element) {
    auto const each = [](auto i, auto j, auto const& v) -> xgrad::real { return v(i, j) * v(i, j) * v(0, 0) + v(i, 0); };
    auto check = [&](std::size_t n, std::size_t m) {
        agree([&](auto const& u) { return sum(xgrad::tabulate({n, m}, each, u)); },
              [&](auto const& u) {
                  xgrad::number_like<decltype(u)> s = 0.0;
                  for (std::size_t i = 0; i < n; ++i)
                      for (std::size_t j = 0; j < m; ++j) s += u(i, j) * u(i, j) * u(0, 0) + u(i, 0);
                  return s;
              },
              waves(n, m));
    };
    for (std::size_t n : {1u, 9u, 30u}) check(n, 1), check(1, n);
}
BOOST_AUTO_TEST_CASE(weights_that_all_share) {
    auto const each = [](auto i, auto const& v, auto const& w) -> xgrad::real {
        auto s = w(0) * v(i) + w(1) * v(i + 1) + w(2) * v(i + 2);
        return s * s * w(1);
    };
    agree([&](auto const& v) { return sum(xgrad::tabulate(298, each, v, view(v, xt::range(7, 10)))); },
          [](auto const& v) {
              auto at = [&v](std::size_t i) { return view(v, xt::range(i, i + 298)); };
              auto s = v(7) * at(0) + v(8) * at(1) + v(9) * at(2);
              return sum(s * s * v(8));
          },
          wave(300));
}
BOOST_AUTO_TEST_CASE(many_readings_and_other_layouts) {
    // more readings than there is room for at first; a view of a column-major array
    auto const window = [](auto i, auto const& v) -> xgrad::real {
        xgrad::variable y = v(i) * v(i);
        for (std::size_t k = 1; k < 40; ++k) y = v(i + k) * 0.5 * v(i);
        return y;
    };
    xt::xtensor<double, 2, xt::layout_type::column_major> const x = waves(60, 3);
    auto const r = xgrad::gradient([&](auto const& u) { return sum(xgrad::tabulate(20, window, view(u, xt::all(), 1))); }, x);
    matrix expected = xt::zeros<double>({60, 3});
    for (std::size_t i = 0; i < 20; ++i) {
        expected(i + 39, 1) += 0.5 * x(i, 1);
        expected(i, 1) += 0.5 * x(i + 39, 1);
    }
    BOOST_TEST(largest(matrix(std::get<0>(r) - expected)) < 1e-12);
    // without a declared result, and of floats
    auto const undeclared = [](auto i, auto const& v) { return v(i) * v(i + 1); };
    xt::xtensor<float, 1> const y{1.0f, 2.0f, 3.0f};
    xt::xtensor<float, 1> const bar{2.0f, 4.0f, 2.0f};
    BOOST_TEST((std::get<0>(xgrad::gradient([&](auto const& u) { return sum(xgrad::tabulate(2, undeclared, u)); }, y)) == bar));
    auto const cube = [](auto i, auto const& v) -> xgrad::real { return v(i) * v(i) * v(i); };
    auto const of_floats = xgrad::hvp([&](auto const& u) { return sum(xgrad::tabulate(2, cube, u)); }, y, bar);
    BOOST_TEST((std::get<0>(of_floats.product) == xt::xtensor<float, 1>{12.0f, 48.0f, 0.0f}));
    // nothing, and plain values
    BOOST_TEST(xgrad::value([&](auto const& u) { return sum(xgrad::tabulate(0, undeclared, u)); }, y) == 0.0f);
    matrix const sums = xgrad::tabulate({2, 2}, [](std::size_t i, std::size_t j, auto const& v) { return v(i) + 10.0 * v(j); }, vector{1.0, 2.0});
    BOOST_TEST((sums == matrix{{11.0, 21.0}, {12.0, 22.0}}));
    BOOST_TEST((xgrad::tabulate(3, [](std::size_t i) { return 0.5 * static_cast<double>(i); }) == vector{0.0, 0.5, 1.0}));
}
BOOST_AUTO_TEST_CASE(what_is_wrong) {
    auto const next = [](auto i, auto const& v) -> xgrad::real { return v(i + 1) * 2.0; };
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const& u) { return sum(xgrad::tabulate(20, next, u)); }, wave(20)), std::out_of_range);
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const& u) { auto y = xgrad::tabulate(20, next, u); return sum(y * y); }, wave(20)), std::out_of_range);
    auto const before = [](auto i, auto const& v) -> xgrad::real { return v(i - 1) * 2.0; };
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const& u) { return sum(xgrad::tabulate(20, before, u)); }, wave(20)), std::out_of_range);
}
BOOST_AUTO_TEST_CASE(numbers_beside_an_array_that_is_read) {
    auto const window = [](auto i, auto const& u, auto const& w) -> xgrad::real {
        xgrad::number_like<decltype(u)> s = 0.0;
        for (int k = 0; k < 3; ++k) s += w(k) * u(i + k);
        return s;
    };
    auto const weight = [](auto i, auto const& u, auto const& w) -> xgrad::real {
        xgrad::number_like<decltype(w)> s = 0.0;
        for (int k = 0; k < 3; ++k) s += w(k);
        return s * u(i);
    };
    vector const u = wave(21), w{1.0, -2.0, 1.5};
    auto const by_windows = [&](auto const& a, auto const& b) { auto y = xgrad::tabulate(19, window, a, b); return sum(y * y); };
    auto const by_views = [](auto const& a, auto const& b) {
        auto y = b(0) * view(a, xt::range(0, 19)) + b(1) * view(a, xt::range(1, 20)) + b(2) * view(a, xt::range(2, 21));
        return sum(y * y);
    };
    auto const g = xgrad::gradient(by_windows, u, w), expected = xgrad::gradient(by_views, u, w);
    BOOST_TEST(xt::allclose(std::get<0>(g), std::get<0>(expected)));
    BOOST_TEST(xt::allclose(std::get<1>(g), std::get<1>(expected)));
    auto const h = xgrad::hvp(by_windows, std::tuple(u, w), std::tuple(u, w)), other = xgrad::hvp(by_views, std::tuple(u, w), std::tuple(u, w));
    BOOST_TEST(xt::allclose(std::get<1>(h.product), std::get<1>(other.product)));
    auto const [of_u, none] = xgrad::gradient([&](auto const& a, auto const& b) { return sum(xgrad::tabulate(21, weight, a, b)); }, u, xgrad::constant(w));
    BOOST_TEST(xt::allclose(of_u, 0.5));
}
BOOST_AUTO_TEST_CASE(views_of_a_variable_take_them) {
    auto const product = [](auto i, auto const& v) -> xgrad::real { return v(i) * v(i + 1); };
    auto const bend = [](auto const& e) -> xgrad::real { return sin(e) * e; };
    auto const at_once = [&](auto const& x) {
        xgrad::array_like<decltype(x), 1> u = x;
        xt::view(u, xt::range(1, 4)) = xgrad::map(bend, xgrad::each(xt::view(u, xt::range(0, 3))));
        xt::view(u, xt::range(0, 4)) += xgrad::tabulate(4, product, x);
        xt::view(u, xt::all()) = 2.0 * xgrad::map(bend, xgrad::each(u)) + x;
        return sum(u * u);
    };
    auto const by_names = [&](auto const& x) {
        xgrad::array_like<decltype(x), 1> u = x;
        auto a = xgrad::map(bend, xgrad::each(xt::view(u, xt::range(0, 3))));
        xt::view(u, xt::range(1, 4)) = a;
        auto b = xgrad::tabulate(4, product, x);
        xt::view(u, xt::range(0, 4)) += b;
        auto c = xgrad::map(bend, xgrad::each(u));
        u = 2.0 * c + x;
        return sum(u * u);
    };
    agree(at_once, by_names, wave(5));
}
BOOST_AUTO_TEST_CASE(prepared_calls_allocate_nothing) {
    auto const each = [](auto i, auto j, auto const& v, auto const& k) -> xgrad::real {
        auto d = v(i + 1, j) - v(i, j + 1);
        return d * d * k;
    };
    auto f = [&](auto const& u, auto const& k) {
        auto y = xgrad::tabulate({8, 20}, each, u, k);
        return sum(y * y) + sum(xgrad::tabulate({8, 20}, each, u, k));
    };
    matrix const x = waves(9, 21);
    auto g = xgrad::prepare_gradient(f, x, 0.5);
    g(x, 0.5);
    std::size_t const allocated = allocations;
    g(x, 0.5);
    BOOST_TEST(allocations == allocated);
}
