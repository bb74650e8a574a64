// Names of few cheap operations have no arrays: what uses them computes them again. Nothing else changes that a program can see.
#include <complex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../count_allocations.hpp"
#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const v{1.1, -0.7, 0.4, 2.3, -1.9, 0.8, 1.6}, w{0.3, 1.2, -0.9, 0.5, 0.7, -1.4, 2.1};
matrix const m = {{1.5, 2.0, -0.5}, {-1.0, 0.4, 2.5}}, k = {{0.2, -1.1, 0.7}, {1.3, 0.9, -0.6}};

constexpr auto total = [](auto const& e) {
    if constexpr (xgrad::active<decltype(e)>) return sum(e);
    else return double(xt::sum(e)());
};

constexpr auto names = [](auto const& x) {
    auto a = x * x;
    auto b = a * 0.5;
    auto c = 1.0 + a;
    auto d = 1.0 / c;
    return total(b + d);
};
constexpr auto without_names = [](auto const& x) { return total(x * x * 0.5 + 1.0 / (1.0 + x * x)); };

}

BOOST_AUTO_TEST_CASE(values_and_gradients) {
    agree(names, names, v);
    // used twice, by another name, of two arguments
    auto const residual = [](auto const& x, auto const& y) {
        auto r = x - 2.0 * y;
        auto s = r * r;
        return total(s * r + s / (1.0 + s));
    };
    agree(residual, residual, v, w);
    agree(residual, residual, m, k);
    // with numbers, of names that are numbers
    auto const scaled = [](auto const& x, auto const& c) {
        auto t = c * c;
        auto y = t * x;
        return total(y * y) + total(y) * t;
    };
    agree(scaled, scaled, v, 1.3);
    // rows and columns
    auto const affine = [](auto const& x, auto const& b) {
        auto y = x + b;
        auto z = y * b;
        return total(y * y) + total(z - y);
    };
    agree(affine, affine, m, vector{0.4, -0.2, 1.1});
    agree(affine, affine, m, matrix{{0.4}, {-0.2}});
    // in single precision, of the length of many tiles
    xt::xtensor<float, 1> const long_one = xt::linspace<float>(-1.0f, 1.0f, 301);
    agree(names, names, long_one);
}

BOOST_AUTO_TEST_CASE(names_that_are_asked_for_whole) {
    auto const wholly = [](auto const& x) {
        auto a = x * x;
        auto b = a + x;  // a is carried
        auto p = total(view(b, xt::all()) * flip(a, 0));  // both are arrays from now on
        return total(b * a) + p + total(view(a, xt::range(1, 4)) * view(b, xt::range(0, 3)));
    };
    agree(wholly,
          [](auto const& x) {
              vector const a = x * x, b = a + x;
              return total(b * a) + double(xt::sum(b * xt::flip(a, 0))()) + total(xt::view(a, xt::range(1, 4)) * xt::view(b, xt::range(0, 3)));
          },
          v);
    auto const along = [](auto const& x) {
        auto a = x * x;
        auto rows = sum(a, {1});
        return total(rows * rows) + total(a);
    };
    agree(along, along, m);
    auto const seen = [](auto const& x) {
        auto a = 2.0 * x;
        auto b = a * x;
        double largest = 0.0;
        if constexpr (xgrad::active<decltype(a)>) largest = xt::amax(primal(a))();
        else largest = xt::amax(a)();
        return total(b + largest * a);
    };
    vector const g = std::get<0>(xgrad::gradient(seen, v));
    for (std::size_t i = 0; i < v.size(); ++i) BOOST_CHECK_CLOSE(g(i), 4.0 * v(i) + 2.0 * 4.6, 1e-12);
}

namespace {
template <class X>
auto helper(X const& x, double c) {
    auto a = x - c;
    vector const shift{1, 2, 3, 4, 5, 6, 7};
    auto b = a * shift;  // of a plain array that is gone when b is used
    return b * a;
}
}

BOOST_AUTO_TEST_CASE(names_that_leave_their_scope) {
    auto const f = [](auto const& x) {
        auto h = helper(x, 0.5);
        return sum(h * h);
    };
    agree(f,
          [](vector const& x) {
              double s = 0.0;
              for (std::size_t i = 0; i < x.size(); ++i) s += std::pow((x(i) - 0.5) * (x(i) - 0.5) * static_cast<double>(i + 1), 2);
              return s;
          },
          v);
    // moved, copied, assigned to, in a container
    auto const moved = [](auto const& x) {
        auto a = x * x;
        auto b = a * x;
        auto c = std::move(a) + b;
        auto d = c;
        std::optional<decltype(x - x)> o;
        o.emplace(x - x);
        variable u = b;
        for (int i = 0; i < 3; ++i) u = u + c * d;
        std::vector<decltype(c * 2.0)> all;
        for (int i = 0; i < 5; ++i) all.push_back(c * 2.0);
        return sum(u * *o) + sum(u) + sum(all[3] * all[4]);
    };
    agree(moved,
          [](vector const& x) {
              double s = 0.0;
              for (double e : x) {
                  double const c = e * e + e * e * e;
                  s += e * e * e + 3.0 * c * c + 4.0 * c * c;
              }
              return s;
          },
          v);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { auto a = x * x; auto b = std::move(a) * 2.0; auto c = a + b; return sum(c); }, v), std::logic_error);
}

// A plain array stays in a name as it was.
BOOST_AUTO_TEST_CASE(constants_of_names) {
    vector c = w;
    auto const f = [&c](auto const& x) {
        auto a = x - c;
        c *= 2.0;
        auto b = a * c;
        c *= 0.5;
        return sum(a * b + b);
    };
    agree(f, [](vector const& x) { return double(xt::sum((x - w) * (x - w) * 2.0 * w + (x - w) * 2.0 * w)()); }, v);
    auto const temporary = [](auto const& x) {
        auto a = x * vector{1, 2, 3, 4, 5, 6, 7};
        auto b = a + a;
        return total(a * b);
    };
    vector const g = std::get<0>(xgrad::gradient(temporary, v));
    for (std::size_t i = 0; i < v.size(); ++i) BOOST_CHECK_CLOSE(g(i), 4.0 * v(i) * static_cast<double>((i + 1) * (i + 1)), 1e-12);
}

BOOST_AUTO_TEST_CASE(shapes_are_checked_where_a_name_is_used_first) {
    bool behind = false;
    auto const f = [&](auto const& x, auto const& y) {
        auto a = x + y;
        auto b = a * 2.0;
        behind = true;
        return sum(b);
    };
    BOOST_CHECK_THROW(xgrad::gradient(f, v, vector{1, 2}), std::invalid_argument);
    BOOST_CHECK(!behind);
}

BOOST_AUTO_TEST_CASE(other_modes) {
    vector const d{0.3, -0.2, 0.5, 1.0, -0.4, 0.1, 0.9};
    BOOST_CHECK_CLOSE(xgrad::jvp(names, std::tuple(v), std::tuple(d)).tangent, xgrad::jvp(without_names, std::tuple(v), std::tuple(d)).tangent, 1e-10);
    BOOST_CHECK(xt::allclose(xgrad::hessian(names, v), xgrad::hessian(without_names, v), 1e-12));
    // a pullback that is pulled twice
    auto const array = [](auto const& x) {
        auto a = x * x;
        auto b = a + 1.0;
        return a * b;
    };
    auto [y, pull] = xgrad::vjp(array, v);
    vector const once = std::get<0>(pull(d)), again = std::get<0>(pull(d)), expected = d * (4.0 * v * v * v + 2.0 * v);
    BOOST_CHECK(xt::allclose(once, expected));
    BOOST_CHECK(once == again);
    xt::xtensor<std::complex<double>, 1> const z{{1.0, 2.0}, {-0.5, 0.25}};
    auto const of_complex = [](auto const& u) {
        auto a = u * u;
        auto b = a - 2.0 * u;
        return sum(real(b * conj(a)));
    };
    auto const fused = [](auto const& u) { return sum(real((u * u - 2.0 * u) * conj(u * u))); };
    BOOST_CHECK(xt::allclose(std::get<0>(xgrad::gradient(of_complex, z)), std::get<0>(xgrad::gradient(fused, z))));
}

BOOST_AUTO_TEST_CASE(no_arrays) {
    vector const x = xt::linspace<double>(-1.0, 1.0, 100000);
    auto named = xgrad::prepare_gradient(names, x);
    auto fused = xgrad::prepare_gradient(without_names, x);
    vector const expected = std::get<0>(fused(x).gradient);
    BOOST_CHECK(xt::allclose(std::get<0>(named(x).gradient), expected));
    BOOST_CHECK_EQUAL(named.workspace_bytes(), fused.workspace_bytes());
    auto const before = allocations;
    named(x);
    BOOST_CHECK_EQUAL(allocations, before);
    // and the one that is asked for whole has one
    auto const once = [](auto const& a) { auto b = a * a; auto c = b + a; return sum(c * b) + sum(view(c, xt::range(0, 5))); };
    auto prepared = xgrad::prepare_gradient(once, x);
    prepared(x);
    BOOST_CHECK_LE(prepared.workspace_bytes(), 4 * x.size() * sizeof(double));
}
