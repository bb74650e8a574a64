// An array argument is assigned to inside a differentiated function: every expression has the version of its time, and the caller finds the array as it was.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "against_differences.hpp"

#include <xgrad/assign.hpp>

using programs::agree;

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const v{0.3, 0.5, 0.9}, u{1.1, 0.2, 0.4};
}

BOOST_AUTO_TEST_CASE(the_result_is_of_the_new_version) {
    agree(
        XGRAD_BOTH_MODES((auto const& w, auto const& x), auto g = assign(w, w * 2.0); return sum(x * w);),
        [](vector const& w, vector const& x) { return 2 * xt::sum(w * x)(); }, v, u);
    agree(XGRAD_BOTH_MODES((auto const& w, auto const& x), auto g = assign(w, w * w); auto h = w * x; auto k = assign(w, w * h); return sum(sin(w) * h);),
          [](vector const& w, vector const& x) { vector w1 = w * w, h = w1 * x, w2 = w1 * h; return xt::sum(xt::sin(w2) * h)(); }, v, u);
}
BOOST_AUTO_TEST_CASE(the_result_is_of_the_old_version) {
    agree(
        XGRAD_BOTH_MODES((auto const& w, auto const& x), auto s = sin(w); auto g = assign(w, x * x); return sum(s * w);),
        [](vector const& w, vector const& x) { return xt::sum(xt::sin(w) * x * x)(); }, v, u);
    agree(
        XGRAD_BOTH_MODES((auto const& w, auto const& x), auto s = sin(w); auto t = s * x; auto g = assign(w, 7.0); return sum(t * s);),
        [](vector const& w, vector const& x) { return xt::sum(xt::sin(w) * xt::sin(w) * x)(); }, v, u);
}
BOOST_AUTO_TEST_CASE(in_blocks_helpers_and_loops) {
    agree([](auto const& w, auto const& x) { auto s = sum(w * w); { auto g = assign(w, w * x); auto t = sum(w); auto c = t * t; return s * sum(w) + c; } },
          [](vector const& w, vector const& x) { double t = xt::sum(w * x)(); return xt::sum(w * w)() * t + t * t; }, v, u);
    agree(
        [](auto const& w, auto const& x) {
            auto in_place = [](auto const& a, auto const& b) {
                auto g = assign(a, a * b);
                return sum(a * a);
            };
            auto s = in_place(w, x);
            auto t = in_place(w, x);
            return s * t;
        },
        // what the first helper has assigned is undone where it ends
        [](vector const& w, vector const& x) { return std::pow(xt::sum(xt::square(w * x))(), 2); },
        v, u);
}
BOOST_AUTO_TEST_CASE(every_expression_reads_the_version_of_its_time) {
    auto plain = [](vector const& w, vector const& x) {
        vector s0 = xt::sin(w), w1 = w * x, s1 = xt::sin(w1), w2 = w1 + s0, s2 = xt::sin(w2);
        return xt::sum(s0 * s1 * s2 + w2 * w)() + w1(1) * w(0);
    };
    agree(XGRAD_BOTH_MODES((auto const& w, auto const& x), auto old = w * 1.0; auto e = w(0) * 1.0; auto s0 = sin(w); auto g = assign(w, w * x);
                           auto first = w(1); auto s1 = sin(w); auto h = assign(w, w + s0); auto s2 = sin(w); return sum(s0 * s1 * s2 + w * old) + first * e;),
          plain, v, u);
    // a variable, an element and a view keep the version that they were made of
    agree([](auto const& w, auto const& x) {
              xgrad::variable kept = w;
              auto e = w(0);
              auto part = view(w, xt::range(0, 2));
              auto g = assign(w, w * x);
              return sum(kept * w) + e * w(0) + sum(part * view(w, xt::range(1, 3)));
          },
          [](vector const& w, vector const& x) { vector w1 = w * x; return xt::sum(w * w1)() + w(0) * w1(0) + w(0) * w1(1) + w(1) * w1(2); }, v, u);
    // what was made of a name, used later
    agree(
        XGRAD_BOTH_MODES((auto const& w, auto const& x), auto later = w * x; auto g = assign(w, x * x); auto now = w * x;
                         return sum(std::move(later) * std::move(now));),
        [](vector const& w, vector const& x) { return xt::sum(w * x * x * x * x)(); }, v, u);
}
BOOST_AUTO_TEST_CASE(the_new_values_are_made_of_the_old_ones) {
    // the array is read out of order while it is overwritten
    agree(XGRAD_BOTH_MODES((auto const& w, auto const& x), auto g = assign(w, view(w, xt::range(2, xt::placeholders::_, -1)) * w); return sum(w * x);),
          [](vector const& w, vector const& x) { return w(2) * w(0) * (x(0) + x(2)) + w(1) * w(1) * x(1); }, v, u);
    matrix const m = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}, {0.7, 0.8, 0.9}};
    agree(XGRAD_BOTH_MODES((auto const& w), auto h = assign(w, transpose(w) + w * w); return sum(w * view(w, 1));),
          [](matrix const& w) { matrix h = xt::transpose(w) + w * w; return xt::sum(h * xt::view(h, 1))(); }, m);
    agree([](auto const& w, auto const& x) { auto g = assign(w, w / sum(w)); auto h = assign(w, w - mean(w * w)); return sum(w * w * x) * w(1); },
          [](vector const& w, vector const& x) { vector g = w / xt::sum(w)(), h = g - xt::mean(g * g)(); return xt::sum(h * h * x)() * h(1); }, v, u);
}
BOOST_AUTO_TEST_CASE(the_new_values_broadcast) {
    matrix const m = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
    agree(XGRAD_BOTH_MODES((auto const& w, auto const& x), auto s = sum(w * x); auto g = assign(w, x); return sum(w * w) * s;),
          [](matrix const& w, vector const& x) { return 2 * xt::sum(x * x)() * xt::sum(w * x)(); }, m, v);
    agree([](auto const& w, auto const& x) { auto g = assign(w, sum(x)); auto h = assign(w, w * vector{1, 2, 3}); return sum(w * x); },
          [](matrix const&, vector const& x) { return 2 * xt::sum(x)() * (x(0) + 2 * x(1) + 3 * x(2)); }, m, v);
    agree(
        [](auto const& w) {
            auto g = assign(w, 2);
            auto h = assign(w, matrix{{1, 2, 3}, {4, 5, 6}} * w);
            return sum(w);
        },
        [](matrix const&) { return 42.0; }, m);
    xt::xarray<double> const dynamic = m;
    agree(
        [](auto const& w, auto const& x) {
            auto g = assign(w, w * x);
            return sum(w * w * x);
        },
        [](auto const& w, vector const& x) { return xt::sum(w * x * w * x * x)(); }, dynamic, v);
}
BOOST_AUTO_TEST_CASE(a_version_is_a_value_like_any_other) {
    // read by its own name, copied, moved, kept on the heap, let go in any order, never used
    agree(XGRAD_BOTH_MODES((auto const& w, auto const& x), auto g = assign(w, w * x); auto c = g; auto t = std::move(g); return sum(c * t + w * x);),
          [](vector const& w, vector const& x) { vector g = w * x; return xt::sum(g * g + g * x)(); }, v, u);
    agree([](auto const& w, auto const& x) {
              auto g = std::make_unique<decltype(assign(w, w * x))>(assign(w, w * x));
              auto h = assign(w, w * w);
              g.reset();
              return sum(h * w * x);
          },
          [](vector const& w, vector const& x) { vector h = xt::pow(w * x, 4); return xt::sum(h * x)(); }, v, u);
    agree(
        [](auto const& w, auto const& x) {
            auto g = assign(w, w * 2.0);
            g = assign(w, w * 3.0);
            auto c = w;
            return sum(c * x);
        },
        [](vector const& w, vector const& x) { return 6 * xt::sum(w * x)(); }, v, u);
    agree(
        [](auto const& w, auto const& x) {
            auto make = [](auto const& a, double k) {
                auto g = assign(a, a * k);
                auto h = assign(a, a * a);
                return h;
            };
            auto h = make(w, 3.0);
            return sum(w * h * x);
        },
        [](vector const& w, vector const& x) { return xt::sum(xt::pow(3 * w, 4) * x)(); }, v, u);
    agree(
        XGRAD_BOTH_MODES((auto const& w, auto const& x), auto s = w * x; { auto g = assign(w, sqrt(w * 0.0)); } return sum(s * w);),
        [](vector const& w, vector const& x) { return xt::sum(w * x * w)(); }, v, u);
}
// An assignment is undone where its name leaves, whatever has read the array, and whatever the verb.
BOOST_AUTO_TEST_CASE(what_is_read_after_a_name_has_left) {
    auto const every_verb = [](auto const& f, auto const& plain) {
        vector const w = v;
        double const y = plain(w);
        auto const [value, g] = xgrad::value_and_gradient(f, w);
        auto const r = xgrad::jvp(f, w, u);
        BOOST_CHECK_CLOSE_FRACTION(value, y, 1e-14);
        BOOST_CHECK_CLOSE_FRACTION(xgrad::value(f, w), y, 1e-14);
        BOOST_CHECK_CLOSE_FRACTION(r.primal, y, 1e-14);
        BOOST_CHECK_CLOSE_FRACTION(r.tangent, xt::sum(std::get<0>(g) * u)(), 1e-13);
        for (std::size_t i = 0; i < w.size(); ++i) {
            vector above = w, below = w;
            above(i) += 1e-5;
            below(i) -= 1e-5;
            BOOST_CHECK_CLOSE_FRACTION(std::get<0>(g)(i), (plain(above) - plain(below)) / 2e-5, 1e-7);
        }
        BOOST_CHECK(w == v);
    };
    using xgrad::number_like;
    every_verb(
        [](auto const& w) {
            number_like<decltype(w)> r = 0.0;
            { auto g = assign(w, 2.0 * w); r = sum(w); }
            return r + 10.0 * w(0);
        },
        [](vector const& w) { return 2 * xt::sum(w)() + 10 * w(0); });
    every_verb(
        [](auto const& w) {
            number_like<decltype(w)> r = 0.0;
            { auto g = assign(w, 2.0 * w); number_like<decltype(w)> t = sum(w); r = t * t + 1.0; }
            return r + 10.0 * w(0);
        },
        [](vector const& w) { return 4 * xt::sum(w)() * xt::sum(w)() + 1 + 10 * w(0); });
    every_verb(
        [](auto const& w) {
            number_like<decltype(w)> r = w(1);
            { auto g = assign(w, 2.0 * w); r += w(0) * w(1); }
            return r * w(0) + w.back();
        },
        [](vector const& w) { return (w(1) + 4 * w(0) * w(1)) * w(0) + w(2); });
    every_verb(
        [](auto const& w) {
            auto const r = [&] {
                auto g = assign(w, w * w);
                xgrad::variable t = sum(w);
                auto q = 3.0 * t;
                return q * w(0);
            }();
            return r + 10.0 * w(0);
        },
        [](vector const& w) { return 3 * xt::sum(w * w)() * w(0) * w(0) + 10 * w(0); });
    // a part that has a name
    every_verb(
        [](auto const& w) {
            auto const part = [&] {
                auto g = assign(w, exp(w));
                auto p = view(w, xt::range(1, 3));
                return p * w(0);
            }();
            return sum(part * view(w, xt::range(0, 2)));
        },
        [](vector const& w) { return std::exp(w(0)) * (std::exp(w(1)) * w(0) + std::exp(w(2)) * w(1)); });
    // names that leave in their own order, and one that is assigned to twice
    every_verb(
        [](auto const& w) {
            auto first = std::make_unique<decltype(assign(w, 2.0 * w))>(assign(w, 2.0 * w));
            auto s = sum(w);
            auto second = std::make_unique<decltype(assign(w, w * w))>(assign(w, w * w));
            auto t = sum(w);
            first.reset();
            auto p = sum(w);
            second.reset();
            return s * t * p * sum(w);
        },
        [](vector const& w) { return 2 * xt::sum(w)() * std::pow(4 * xt::sum(w * w)(), 2) * xt::sum(w)(); });
    // sums and variables read the same
    every_verb(
        [](auto const& w) {
            xgrad::sum_result total;
            for (int i = 0; i < 4; ++i) {
                auto g = assign(w, w * w + double(i));
                auto t = sum(w);
                total += t * w(1);
            }
            return total;
        },
        [](vector const& w) { double s = 0; for (int i = 0; i < 4; ++i) s += xt::sum(w * w + double(i))() * (w(1) * w(1) + i); return s; });
    // nobody has
    every_verb(
        [](auto const& w) {
            { auto g = assign(w, 2.0 * w); }
            return sum(w) * w(0);
        },
        [](vector const& w) { return xt::sum(w)() * w(0); });
}
BOOST_AUTO_TEST_CASE(loops_make_versions) {
    agree(
        XGRAD_BOTH_MODES(
            (auto const& w, auto const& x), xgrad::variable s = 0.0; for (int i = 1; i < 5; ++i) {
                auto g = assign(w, w * x + double(i));
                s += sum(w * w);
            } return s;),
        // each is undone where its name leaves, whatever reads it then
        [](vector const& w, vector const& x) {
            double s = 0;
            for (int i = 1; i < 5; ++i) s += xt::sum(xt::square(w * x + double(i)))();
            return s;
        },
        v, u);
    agree([](auto const& w, auto const& x) {
              auto steps = [](auto const& self, auto const& a, auto const& b, int n) -> xgrad::variable<double> {
                  if (n == 0) return sum(a * b);
                  auto g = assign(a, sin(a) * b);
                  return self(self, a, b, n - 1);
              };
              return steps(steps, w, x, 5);
          },
          [](vector w, vector const& x) { for (int i = 0; i < 5; ++i) w = vector(xt::sin(w) * x); return xt::sum(w * x)(); }, v, u);
}
BOOST_AUTO_TEST_CASE(fields_and_elements_of_arguments) {
    std::vector<vector> const list{v, u};
    agree([](auto const& l) { auto s = sum(l[0] * l[1]); auto g = assign(l[0], l[1] * l[0]); auto h = assign(l[1], l[0] - 1.0); return sum(l[0] * l[1]) * s; },
          [](auto const& l) { vector g = l[1] * l[0], h = g - 1.0; return xt::sum(g * h)() * xt::sum(l[0] * l[1])(); }, list);
    agree(
        [](auto const& p) {
            auto g = assign(p.first, p.first * p.second);
            return sum(p.first * p.first) * p.second;
        },
        [](auto const& p) { return xt::sum(xt::square(p.first * p.second))() * p.second; }, std::pair{v, 0.7});
}
BOOST_AUTO_TEST_CASE(any_length) {
    for (std::size_t n : {0u, 1u, 7u, 8u, 9u, 100u}) {
        vector const w = 0.1 + 0.01 * xt::arange<double>(double(n)), x = 1.1 - 0.005 * xt::arange<double>(double(n));
        agree(
            [](auto const& a, auto const& b) {
                auto s = a * b;
                auto g = assign(a, exp(-a) * b);
                auto t = a * s;
                auto h = assign(a, t * a);
                return sum(a * t + s);
            },
            [](vector const& a, vector const& b) {
                vector s = a * b, g = xt::exp(-a) * b, t = g * s, h = t * g;
                return xt::sum(h * t + s)();
            },
            w, x);
    }
}
BOOST_AUTO_TEST_CASE(what_is_seen_of_an_array_is_its_newest_version) {
    vector const w = v;
    xgrad::gradient(
        [](auto const& a) {
            auto g = assign(a, a * 2.0);
            BOOST_CHECK(xgrad::primal(a) == 2.0 * v);
            BOOST_CHECK(a(0) == 2 * v(0));
            BOOST_CHECK_EQUAL(a.shape(0), 3u);
            BOOST_CHECK_EQUAL(a.size(), 3u);
            { auto h = assign(a, 0.0); BOOST_CHECK(a(0) == 0.0); BOOST_CHECK(xgrad::primal(g) == 2.0 * v); }
            BOOST_CHECK(xgrad::primal(a) == 2.0 * v);
            return sum(a);
        },
        w);
}
