// Every function that gives an array another shape: as xtensor's own has it, with derivatives against central differences.
#include <cmath>
#include <cstdint>
#include <vector>

#include <xtensor/xpad.hpp>

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

// The weights of a result do not fit another shape, so shapes are checked too.
template <class A, class B>
void check_shape(A const& a, B const& expected) {
    auto const found = extents_of(a);
    BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
}
using shape = std::vector<std::size_t>;

// f of an active array against f of a plain one: of a matrix and of a strided part of it, and, where All, of an expression and of its transpose.
template <bool All = every_product, class F, class G>
void check(F f, G plain, matrix const& x = m34) {
    if constexpr (!All) {
        agree([&](auto const& a) { return weighed(f(a)) + weighed(f(view(a, xt::all(), xt::range(0, 4, 2)))); },
              [&](matrix const& a) {
                  matrix const part = xt::view(a, xt::all(), xt::range(0, 4, 2));
                  return weighed(any(plain(a))) + weighed(any(plain(part)));
              }, x);
    } else {
        agree([&](auto const& a) { return weighed(f(a)) + weighed(f(a * a)) + weighed(f(transpose(a))) + weighed(f(view(a, xt::all(), xt::range(0, 4, 2)))); },
              [&](matrix const& a) {
                  matrix const sq = a * a, t = xt::transpose(a), part = xt::view(a, xt::all(), xt::range(0, 4, 2));
                  return weighed(any(plain(a))) + weighed(any(plain(sq))) + weighed(any(plain(t))) + weighed(any(plain(part)));
              }, x);
    }
}
template <class F, class G>
void check_dynamic(F f, G plain) {
    agree([&](auto const& a) { return weighed(f(a)) + weighed(f(transpose(a) * 2.0)); },
          [&](any const& a) {
              any const t = 2.0 * xt::transpose(a);
              return weighed(any(plain(a))) + weighed(any(plain(t)));
          },
          any(m34));
}
#define SAME(...) [](auto const& x) { return __VA_ARGS__; }, [](auto const& x) { return xt::eval(__VA_ARGS__); }

}

BOOST_AUTO_TEST_CASE(reshaped) {
    auto folded = [](auto const& x) { any y = x; y.reshape({2, -1}); return y; };
    check([](auto const& x) { return reshape(x, {2, -1}); }, folded);
    check_dynamic([](auto const& x) { return xgrad::reshape(x, std::vector<int>{2, -1}); }, folded);
    check<true>(SAME(flatten(x)));
    check_dynamic([](auto const& x) { return xt::ravel(x); }, [](any const& x) { return any(xt::ravel(x)); });
    agree([](auto const& x) {
              auto y = reshape(x, std::array<std::size_t, 3>{4, 1, 6});
              check_shape(y, shape{4, 1, 6});
              auto z = xt::reshape_view(y, {6, 4});
              auto u = flatten<xt::layout_type::column_major>(z);
              return weighed(y) + weighed(z) + weighed(u) + weighed(reshape(view(x, 1), {12})) + weighed(reshape(sin(x), {-1, 2}));
          },
          [](cube const& x) {
              any y = x, z = x, r = xt::view(x, 1), s = xt::sin(x);
              y.reshape({4, 1, 6});
              z.reshape({6, 4});
              r.reshape({12});
              s.reshape({12, 2});
              any const t = xt::transpose(z);
              vector const u = xt::flatten(t);
              return weighed(y) + weighed(z) + weighed(u) + weighed(r) + weighed(s);
          }, c234);
    // what lies in another order is copied: an argument of column-major order, one that is assigned to, a name
    agree(
        [](auto const& x) {
            auto n = x * 1.0;
            return weighed(reshape(x, {12})) + weighed(reshape(n, {4, 3}));
        },
        [](auto const& x) {
            matrix const y = x;
            any a = y, b = y;
            a.reshape({12});
            b.reshape({4, 3});
            return weighed(a) + weighed(b);
        },
        xt::xtensor<double, 2, xt::layout_type::column_major>(m34));
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(reshape(x, {5, 2})); }, m34), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(reshape(x, {-1, -1})); }, m34), std::invalid_argument);
    // a product that is 0 only because it does not fit
    auto huge = [](auto const& x) { return sum(reshape(x, {std::int64_t(1) << 33, std::int64_t(1) << 31})); };
    BOOST_CHECK_THROW(xgrad::value(huge, vector(xt::zeros<double>({0}))), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(reshape(x, {0, -1})); }, m34), std::invalid_argument);
    vector const none = xt::zeros<double>({0});
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& x) { return sum(reshape(x, {0, 3})) + sum(flatten(x)); }, none), 0.0);
}

BOOST_AUTO_TEST_CASE(axes_of_one_element) {
    cube const thin = filled<cube>({1, 4, 1});
    agree([](auto const& x) {
              check_shape(squeeze(x), shape{4});
              check_shape(xt::squeeze(x, 2), shape{1, 4});
              check_shape(squeeze(x, std::vector<int>{0}), shape{4, 1});
              check_shape(xgrad::expand_dims(x, 1), shape{1, 1, 4, 1});
              return weighed(squeeze(x)) + weighed(squeeze(x, 2) * 2.0) + weighed(squeeze(x, {0, 2})) + weighed(expand_dims(squeeze(x, 0), 1)) +
                     sum(squeeze(x * x, 0, xt::check_policy::full()));
          },
          [](cube const& x) {
              vector const v = xt::view(x, 0, xt::all(), 0);
              return 2 * weighed(v) + weighed(vector(2.0 * v)) + weighed(v) + xt::sum(v * v)();
          }, thin);
    check(SAME(xt::expand_dims(x, 1)));
    check_dynamic(SAME(xt::expand_dims(x, 2)));
    agree([](auto const& x) {
              check_shape(atleast_2d(x), shape{1, 5});
              check_shape(xt::atleast_3d(x), shape{1, 5, 1});
              check_shape(atleast_3d(expand_dims(x, 0)), shape{1, 5, 1});
              check_shape(atleast_1d(x), shape{5});
              return weighed(atleast_2d(x)) + weighed(atleast_3d(x)) + weighed(atleast_1d(x));
          }, [](vector const& x) { return 3 * weighed(x); }, v5);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(squeeze(x, 1)); }, thin), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(expand_dims(x, 5)); }, thin), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(axes_that_turn) {
    check<true>(SAME(xt::flip(x, 0)));
    check(SAME(xt::rot90(x)));
    check(SAME(xt::rot90<3>(x)));
    check([](auto const& x) { return swapaxes(x, 0, -1); }, [](auto const& x) { return xt::transpose(x); });
    agree(
        [](auto const& x) {
            auto y = moveaxis(x, 0, 2);
            check_shape(y, shape{3, 4, 2});
            return weighed(y) + weighed(moveaxis(x, -1, 0)) + weighed(swapaxes(x, 1, 2)) + weighed(xt::flip(x)) + weighed(flip(x, 1)) +
                   weighed(rot90<2>(x, {2, 1})) + weighed(xgrad::rot90<-1>(x, {0, 2})) + weighed(flip(flip(y, 0), 0) * y);
        },
        [](cube const& x) {
            cube const y = xt::transpose(x, {1, 2, 0}), z = xt::transpose(x, {2, 0, 1}), s = xt::transpose(x, {0, 2, 1}), f0 = xt::flip(x, 0),
                       f01 = xt::flip(f0, 1), f = xt::flip(f01, 2), g = xt::flip(x, 1), r = xt::rot90<2>(x, {2, 1}), q = xt::rot90<-1>(x, {0, 2}), p = y * y;
            return weighed(y) + weighed(z) + weighed(s) + weighed(f) + weighed(g) + weighed(r) + weighed(q) + weighed(p);
        },
        c234);
    check_dynamic(SAME(xt::flip(x, 1)));
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(flip(x, 2)); }, m34), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(rot90(x, {1, -1})); }, m34), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(diagonals_and_triangles) {
    check<true>(SAME(xt::diagonal(x)));
    check(SAME(xt::diagonal(x, 1)));
    check(SAME(xt::tril(x, -1)));
    check(SAME(xt::triu(x, 1)));
    agree([](auto const& x) {
              check_shape(diagonal(x, -1, 2, 0), shape{3, 2});
              check_shape(diagonal(x, 7), shape{4, 0});
              return weighed(diagonal(x, 0, 0, 2)) + weighed(diagonal(x, -1, 2, 0)) + sum(diagonal(x, 7));
          },
          [](cube const& x) {
              matrix a({3, 2}), b({3, 2});
              for (std::size_t j = 0; j < 3; ++j)
                  for (std::size_t i = 0; i < 2; ++i) {
                      a(j, i) = x(i, j, i);
                      b(j, i) = x(i, j, i + 1);
                  }
              return weighed(a) + weighed(b);
          }, c234);
    agree([](auto const& x) { return weighed(diag(x)) + weighed(xt::diag(x, 2)) + weighed(xgrad::diag(x * x, -1)); },
          [](vector const& x) { matrix const a = xt::diag(x), b = xt::diag(x, 2), c = xt::diag(x * x, -1); return weighed(a) + weighed(b) + weighed(c); }, v5);
    check_dynamic(SAME(xt::tril(x)));
}

BOOST_AUTO_TEST_CASE(parts_side_by_side) {
    agree(
        [](auto const& x) {
            auto h = split(x, 2, 1);
            auto t = xt::vsplit(x, 3);
            auto u = xgrad::hsplit(x, 4);
            BOOST_CHECK_EQUAL(h.size(), 2u);
            check_shape(h[1], shape{3, 2});
            return weighed(h[0] * h[1]) + weighed(t[2]) + weighed(u[1]);
        },
        [](matrix const& x) {
            matrix const p = xt::view(x, xt::all(), xt::range(0, 2)) * xt::view(x, xt::all(), xt::range(2, 4)), t = xt::view(x, xt::range(2, 3)),
                         u = xt::view(x, xt::all(), xt::range(1, 2));
            return weighed(p) + weighed(t) + weighed(u);
        },
        m34);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(split(x, 2)[0]); }, m34), std::invalid_argument);
    matrix const k{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}};
    agree(
        [&](auto const& x, auto const& y) {
            auto c = concatenate(xt::xtuple(x, y), 1);
            check_shape(c, shape{3, 6});
            return weighed(c) + weighed(xt::concatenate(xt::xtuple(transpose(x), xt::transpose(k), transpose(y)))) +
                   weighed(xgrad::concatenate(xt::xtuple(k, x * x), 1)) + weighed(concatenate<1>(xt::xtuple(y, y))) + weighed(hstack(xt::xtuple(x, y))) +
                   weighed(xt::vstack(xt::xtuple(y, k, view(x, xt::all(), xt::range(0, 4, 2)))));
        },
        [&](matrix const& x, matrix const& y) {
            matrix const c = xt::concatenate(xt::xtuple(x, y), 1), tx = xt::transpose(x), tk = xt::transpose(k), ty = xt::transpose(y),
                         d = xt::concatenate(xt::xtuple(tx, tk, ty)), sq = x * x, e = xt::concatenate(xt::xtuple(k, sq), 1),
                         f = xt::concatenate(xt::xtuple(y, y), 1), part = xt::view(x, xt::all(), xt::range(0, 4, 2)), g = xt::vstack(xt::xtuple(y, k, part));
            return 2 * weighed(c) + weighed(d) + weighed(e) + weighed(f) + weighed(g);
        },
        m34, filled<matrix>({3, 2}));
    agree([](auto const& x) {
              auto s = stack(xt::xtuple(x, x * x), 1);
              check_shape(s, shape{5, 2});
              vector const ones = xt::ones<double>({5});
              return weighed(s) + weighed(xt::stack(xt::xtuple(ones, x))) + weighed(vstack(xt::xtuple(x, ones, x))) + weighed(xt::hstack(xt::xtuple(x, ones)));
          },
          [](vector const& x) {
              vector const ones = xt::ones<double>({5}), sq = x * x;
              matrix const s = xt::stack(xt::xtuple(x, sq), 1), t = xt::stack(xt::xtuple(ones, x)), u = xt::stack(xt::xtuple(x, ones, x));
              vector const h = xt::concatenate(xt::xtuple(x, ones));
              return weighed(s) + weighed(t) + weighed(u) + weighed(h);
          }, v5);
    // what has no name is computed where it goes, if that is one piece, and copied there if not
    agree(
        [&](auto const& x, auto const& y) {
            xgrad::variable rows = concatenate(xt::xtuple(exp(x), x, k * y(0, 0), x * x), 0);
            auto columns = concatenate(xt::xtuple(exp(y), x, y * y), 1);
            auto row = concatenate(xt::xtuple(exp(view(y, xt::range(0, 1))), view(y, xt::range(1, 2)) * 2.0), 1);
            return weighed(rows) + weighed(square(rows)) + weighed(columns) + weighed(row) + weighed(stack(xt::xtuple(exp(x), x, x * x))) +
                   weighed(stack(xt::xtuple(exp(x), x * x), 2)) + weighed(stack(xt::xtuple(k * y, exp(y)), 1));
        },
        [&](matrix const& x, matrix const& y) {
            matrix const ex = xt::exp(x), ey = xt::exp(y), xx = x * x, yy = y * y, ky = k * y(0, 0), kk = k * y, top = xt::exp(xt::view(y, xt::range(0, 1))),
                         next = xt::view(y, xt::range(1, 2)) * 2.0;
            matrix const rows = xt::concatenate(xt::xtuple(ex, x, ky, xx)), squares = rows * rows, columns = xt::concatenate(xt::xtuple(ey, x, yy), 1),
                         row = xt::concatenate(xt::xtuple(top, next), 1);
            cube const first = xt::stack(xt::xtuple(ex, x, xx)), last = xt::stack(xt::xtuple(ex, xx), 2), between = xt::stack(xt::xtuple(kk, ey), 1);
            return weighed(rows) + weighed(squares) + weighed(columns) + weighed(row) + weighed(first) + weighed(last) + weighed(between);
        },
        filled<matrix>({3, 2}), filled<matrix>({3, 2}));
    agree([](auto const& x) { return weighed(concatenate(xt::xtuple(exp(x), x * x))) + weighed(concatenate(xt::xtuple(exp(x), x * x), 1)); },
          [](any const& x) {
              any const e = xt::exp(x), sq = x * x, c = xt::concatenate(xt::xtuple(e, sq)), d = xt::concatenate(xt::xtuple(e, sq), 1);
              return weighed(c) + weighed(d);
          },
          any(m34));
    // lines of a dynamic number of dimensions, beside a matrix
    agree([](auto const& x) { return weighed(vstack(xt::xtuple(x, x * x, vector{1.0, 2.0, 3.0}, stack(xt::xtuple(x, x))))); },
          [](xt::xarray<double> const& x) {
              vector const line = x, squares = x * x, third{1.0, 2.0, 3.0};
              return weighed(matrix(xt::stack(xt::xtuple(line, squares, third, line, line))));
          },
          xt::xarray<double>{0.5, -1.0, 2.0});
    agree([](auto const& x) { return weighed(concatenate(xt::xtuple(x, x), 1)); },
          [](any const& x) {
              any const c = xt::concatenate(xt::xtuple(x, x), 1);
              return weighed(c);
          },
          any(m34));
    BOOST_CHECK_THROW(xgrad::value([&](auto const& x) { return sum(concatenate(xt::xtuple(x, k))); }, m34), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([&](auto const& x) { return sum(stack(xt::xtuple(x, x), 3)); }, m34), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(elements_that_move_and_repeat) {
    check<true>(SAME(xt::roll(x, 2, 1)));
    check(SAME(xt::roll(x, 1)));
    check(SAME(xt::repeat(x, 2, 1)));
    check([](auto const& x) { return tile(x, {2, 3}); }, [](auto const& x) { return xt::tile(x, {2, 3}); });
    agree(
        [](auto const& x) {
            return weighed(roll(x, -7, -1)) + weighed(xgrad::roll(x, -1)) + weighed(repeat(x, std::vector<std::size_t>{2, 0, 1}, 0)) + weighed(xt::tile(x, 2)) +
                   weighed(tile(x, std::vector<std::size_t>{1, 2}));
        },
        [](matrix const& x) {
            matrix const a = xt::roll(x, 1, 1), b = xt::roll(x, 11), c = xt::repeat(x, std::vector<std::size_t>{2, 0, 1}, 0), d = xt::tile(x, 2),
                         e = xt::tile(x, {1, 2});
            return weighed(a) + weighed(b) + weighed(c) + weighed(d) + weighed(e);
        },
        m34);
    check([](auto const& x) { return pad(x, {{1, 2}, {0, 3}}); },
          [](auto const& x) { return xt::pad(x, std::vector<std::vector<std::size_t>>{{1, 2}, {0, 3}}); });
    agree(
        [](auto const& x) {
            return weighed(xt::pad(x, 2, xt::pad_mode::constant, 0.5)) + weighed(pad(x, std::vector<int>{1, 2}, xt::pad_mode::symmetric)) +
                   weighed(pad(x, 2, xt::pad_mode::reflect)) + weighed(xgrad::pad(x, 2, xt::pad_mode::wrap)) + weighed(pad(x, 1, xt::pad_mode::periodic));
        },
        [](matrix const& x) {
            matrix const a = xt::pad(x, 2, xt::pad_mode::constant, 0.5), b = xt::pad(x, std::vector<int>{1, 2}, xt::pad_mode::symmetric),
                         c = xt::pad(x, 2, xt::pad_mode::reflect), d = xt::pad(x, 2, xt::pad_mode::wrap), e = xt::pad(x, 1, xt::pad_mode::periodic);
            return weighed(a) + weighed(b) + weighed(c) + weighed(d) + weighed(e);
        },
        m34);
    agree(
        [](auto const& x) {
            auto y = roll(x, 1, 0);
            return sum(y * x) + sum(tile(x, 3));
        },
        [](vector const& x) { return x(0) * x(1) + x(1) * x(2) + x(2) * x(0) + 3 * xt::sum(x)(); }, xt::xtensor<float, 1>{0.5f, 2.0f, -1.0f});
    vector const none = xt::zeros<double>({0});
    BOOST_CHECK_EQUAL(xgrad::value([](auto const& x) { return sum(roll(x, 1, 0)) + sum(pad(x, 2)) + sum(repeat(x, 3, 0)) + sum(flip(x, 0)); }, none), 0.0);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(pad(x, 1, xt::pad_mode::wrap)); }, none), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(repeat(x, std::vector<std::size_t>{1, 2}, 0)); }, v5), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(evaluated_and_plain_ones_of_the_shape) {
    agree(
        XGRAD_BOTH_MODES(
            (auto const& x), auto y = eval(x * x); auto z = xt::eval(y);
            return sum(z * y) + sum(xgrad::eval(x) * xt::ones_like(x)) + sum(zeros_like(x) * x) + sum(full_like(view(x, 0), 2.0) * view(x, 1)) + eval(sum(x));),
        [](matrix const& x) { return xt::sum(x * x * x * x)() + 2 * xt::sum(x)() + 2 * xt::sum(xt::view(x, 1))(); }, m34);
}

BOOST_AUTO_TEST_CASE(broadcast_to_a_shape) {
    agree([](auto const& x) {
              auto b = broadcast(x, {3, 5});
              check_shape(b, shape{3, 5});
              return weighed(b) + weighed(xt::broadcast(x, std::array<std::size_t, 3>{2, 1, 5}) * b) + weighed(broadcast(x(1), {2, 2})) +
                     weighed(xgrad::broadcast(sin(x), shape{2, 5}));
          },
          [](vector const& x) {
              matrix const b = xt::broadcast(x, {3, 5}), c = xt::broadcast(x(1) * xt::ones<double>({1}), {2, 2}), d = xt::broadcast(xt::sin(x), {2, 5});
              cube const p = xt::broadcast(x, {2, 1, 5}) * b;
              return weighed(b) + weighed(p) + weighed(c) + weighed(d);
          }, v5);
    agree(
        [](auto const& x) {
            auto b = broadcast(expand_dims(x, 1), {5, 3});
            auto t = transpose(b);
            return weighed(t) + weighed(sum(b, {1})) + weighed(amax(b, {0}));
        },
        [](vector const& x) {
            matrix const t = xt::broadcast(x, {3, 5});
            vector const s = 3 * x, most = xt::amax(x)() * xt::ones<double>({3});
            return weighed(t) + weighed(s) + weighed(most);
        },
        v5);
    agree(
        [](auto const& x, auto const& y) {
            auto [a, b] = meshgrid(x, y);
            auto [c, d] = xt::meshgrid(v5, x);
            return weighed(a * b) + weighed(c) + weighed(d * c);
        },
        [](vector const& x, vector const& y) {
            auto const [a, b] = xt::meshgrid(x, y);
            auto const [c, d] = xt::meshgrid(v5, x);
            matrix const p = a * b, q = c, r = d * c;
            return weighed(p) + weighed(q) + weighed(r);
        },
        v5, vector{0.3, 0.9});
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(broadcast(x, {3, 4})); }, v5), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return sum(broadcast(x, {5, 1})); }, v5), std::invalid_argument);
}
