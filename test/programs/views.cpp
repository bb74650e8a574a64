// Views, transposes and elements of active arrays: their cotangents are added to what they are part of.
#include <cmath>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
matrix const x39 = 0.3 + 0.07 * xt::reshape_view(xt::arange<double>(27), {3, 9});
matrix const x33 = 0.3 + 0.05 * xt::reshape_view(xt::arange<double>(9), {3, 3});
matrix const b19 = 0.5 - 0.1 * xt::reshape_view(xt::arange<double>(9), {1, 9});
matrix const b13 = {{0.5, -0.4, 0.7}};

}

BOOST_AUTO_TEST_CASE(a_part_is_used_and_the_rest_is_not) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = x * b; return sum(view(h, xt::range(0, 1)));),
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return xt::sum(xt::view(h, xt::range(0, 1)))();
        },
        x39, b19);
    agree([](auto const& x, auto const& b) { auto h = x * b; auto v = xt::view(h, xt::range(0, 1)); return sum(v * v); },
          [](matrix const& x, matrix const& b) { matrix h = x * b; auto v = xt::view(h, xt::range(0, 1)); return xt::sum(v * v)(); }, x39, b19);
    agree(
        [](auto const& x, auto const& b) {
            auto v = view(x, xt::range(0, 2));
            return sum(v * b);
        },
        [](matrix const& x, matrix const& b) { return xt::sum(xt::view(x, xt::range(0, 2)) * b)(); }, x39, b19);
}

BOOST_AUTO_TEST_CASE(parts_that_overlap) {
    auto plain = [](matrix const& x, matrix const& b) { matrix h = x * b; return xt::sum(xt::view(h, xt::range(0, 2)) * xt::view(h, xt::range(1, 3)))(); };
    agree([](auto const& x, auto const& b) { auto h = x * b; return sum(view(h, xt::range(0, 2)) * view(h, xt::range(1, 3))); }, plain, x39, b19);
    agree(
        [](auto const& x, auto const& b) {
            auto h = x * b;
            auto u = view(h, xt::range(0, 2));
            auto v = view(h, xt::range(1, 3));
            auto p = sin(u);
            auto q = exp(v);
            return sum(p * q);
        },
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return xt::sum(xt::sin(xt::view(h, xt::range(0, 2))) * xt::exp(xt::view(h, xt::range(1, 3))))();
        },
        x39, b19);
}

BOOST_AUTO_TEST_CASE(a_transpose_beside_its_array) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& b), auto h = x * b; return sum(sin(h) * transpose(h));),
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return xt::sum(xt::sin(h) * xt::transpose(h))();
        },
        x33, b13);
    agree(
        [](auto const& x, auto const& b) {
            auto h = x * b;
            return sum(xt::transpose(h) * sin(h));
        },
        [](matrix const& x, matrix const& b) {
            matrix h = x * b;
            return xt::sum(xt::sin(h) * xt::transpose(h))();
        },
        x33, b13);
    agree(
        [](auto const& x, auto const& b) {
            auto t = transpose(transpose(x) * 2.0);
            return sum(t * x + b);
        },
        [](matrix const& x, matrix const& b) { return xt::sum(2.0 * x * x + b)(); }, x33, b13);
}

BOOST_AUTO_TEST_CASE(every_kind_of_slice) {
    using namespace xt::placeholders;
    agree([](auto const& x) {
              auto row = view(x, 1);
              auto column = view(x, xt::all(), 2);
              auto strided = view(x, xt::range(0, 3, 2), xt::range(1, _, 3));
              auto backward = view(x, xt::range(2, _, -1), xt::range(8, _, -2));
              auto wide = view(x, xt::newaxis(), xt::all(), xt::range(0, 2));
              return sum(row * row) + sum(column * exp(column)) + sum(strided * sin(strided)) + sum(backward * backward * 0.5) + sum(wide * wide) +
                     view(x, 2, 3)() * row(0);
          },
          [](matrix const& x) {
              vector row = xt::view(x, 1), column = xt::view(x, xt::all(), 2);
              matrix strided = xt::view(x, xt::range(0, 3, 2), xt::range(1, _, 3)), backward = xt::view(x, xt::range(2, _, -1), xt::range(8, _, -2)),
                     wide = xt::view(x, xt::all(), xt::range(0, 2));
              return xt::sum(row * row)() + xt::sum(column * xt::exp(column))() + xt::sum(strided * xt::sin(strided))() + xt::sum(backward * backward * 0.5)() +
                     xt::sum(wide * wide)() + x(2, 3) * row(0);
          }, x39);
}

BOOST_AUTO_TEST_CASE(views_of_views_and_of_temporaries) {
    agree(
        [](auto const& x) {
            auto v = view(transpose(view(x, xt::range(1, 3))), xt::range(0, 9, 4));
            return sum(v * v) + sum(view(sin(x) * x, 1)) + view(v, 1, 0)();
        },
        [](matrix const& x) {
            matrix v = xt::view(xt::transpose(matrix(xt::view(x, xt::range(1, 3)))), xt::range(0, 9, 4)), s = xt::sin(x) * x;
            return xt::sum(v * v)() + xt::sum(xt::view(s, 1))() + v(1, 0);
        },
        x39);
    agree(
        [](auto const& x) {
            auto helper = [](auto const& u) {
                auto h = sin(u);
                return view(h, 0) * view(h, 1);
            };
            return sum(helper(x) * helper(x * x));
        },
        [](matrix const& x) {
            auto f = [](matrix const& u) {
                matrix h = xt::sin(u);
                return vector(xt::view(h, 0) * xt::view(h, 1));
            };
            return xt::sum(f(x) * f(x * x))();
        },
        x39);
}

BOOST_AUTO_TEST_CASE(reductions_and_names_of_views) {
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto v = view(x, xt::all(), xt::range(1, 9, 2)); auto t = transpose(v); auto s = sum(t * t, 0); auto c = v;
                         auto m = mean(std::move(v), 1); return sum(s * m) + sum(c);),
        [](matrix const& x) {
            matrix v = xt::view(x, xt::all(), xt::range(1, 9, 2));
            vector s = xt::sum(v * v, {1}), m = xt::mean(v, {1});
            return xt::sum(s * m)() + xt::sum(v)();
        },
        x39);
    agree(
        [](auto const& x) {
            variable<vector> s = view(x, 0);
            for (std::size_t i = 1; i < 3; ++i) s = s * view(x, i);
            return sum(s) + sum(variable(transpose(x)) * 2.0);
        },
        [](matrix const& x) { return xt::sum(xt::view(x, 0) * xt::view(x, 1) * xt::view(x, 2))() + 2 * xt::sum(x)(); }, x39);
    // an empty one
    agree([](auto const& x) { return sum(view(x, xt::range(1, 1))) + sum(x * x); }, [](matrix const& x) { return xt::sum(x * x)(); }, x33);
}

BOOST_AUTO_TEST_CASE(other_layouts_and_dynamic_ranks) {
    using column_major = xt::xtensor<double, 2, xt::layout_type::column_major>;
    auto plain = [](auto const& x) {
        matrix v = xt::view(x, xt::range(0, 2), xt::range(1, 3));
        return xt::sum(v * xt::transpose(v))() + xt::sum(xt::view(x, 1) * xt::view(x, xt::all(), 0))();
    };
    auto f = [](auto const& x) { auto v = view(x, xt::range(0, 2), xt::range(1, 3)); return sum(v * transpose(v)) + sum(view(x, 1) * view(x, xt::all(), 0)); };
    agree(f, plain, column_major(x33));
    agree(f, plain, xt::xarray<double>(x33));
    xt::xtensor<double, 3> const cube = 0.1 * xt::reshape_view(xt::arange<double>(24), {2, 3, 4});
    agree(
        [](auto const& x) {
            auto t = transpose(x, {2, 0, 1});
            return sum(view(t, 1, xt::all(), 2) * view(x, xt::all(), 0, 3)) + t(3, 1, 2) * sum(t * t);
        },
        [](auto const& x) {
            xt::xtensor<double, 3> t = xt::transpose(x, {2, 0, 1});
            return t(1, 0, 2) * x(0, 0, 3) + t(1, 1, 2) * x(1, 0, 3) + t(3, 1, 2) * xt::sum(t * t)();
        },
        cube);
}

BOOST_AUTO_TEST_CASE(slices_outside_are_refused) {
    for (auto const& call : {+[](matrix const& m) { xgrad::gradient([](auto const& x) { return sum(view(x, 3)); }, m); },
                             +[](matrix const& m) { xgrad::gradient([](auto const& x) { return sum(view(x, xt::all(), xt::range(0, 5))); }, m); }}) {
        try {
            call(x33);
            // xtensor cuts a range to the array; an index it does not
        } catch (std::out_of_range const& e) {
            BOOST_CHECK_MESSAGE(std::string(e.what()).find("(3, 3)") != std::string::npos, e.what());
        }
    }
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return sum(view(x, 3)); }, x33), std::out_of_range);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return sum(transpose(x, {0, 0})); }, x33), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return sum(transpose(x, {0, 1, 2})); }, x33), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(views_of_a_reversed_view) {
    using xt::placeholders::_;
    vector const x{1, 2, 4, 8};
    agree([](auto const& a) { auto r = view(a, xt::range(_, _, -1)); auto s = view(r, xt::range(0, 2)); return sum(s * s) + view(r, 3); },
          [](vector const& a) { return a(3) * a(3) + a(2) * a(2) + a(0); }, x);
    agree([](auto const& a) { return sum(view(view(a, xt::range(_, _, -1)), xt::range(_, _, -2)) * 3.0 * a(1)); },
          [](vector const& a) { return 3.0 * (a(0) + a(2)) * a(1); }, x);
}
