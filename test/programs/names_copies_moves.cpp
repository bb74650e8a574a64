// A value has a name, copies of it, and moves away from it: whatever a program does with them, each value is evaluated once and pulled once.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

double const a0 = 0.7, b0 = 1.3;

template <class T>
struct vec3 {
    T x, y, z;
};
template <class T>
vec3(T, T, T) -> vec3<T>;
template <class A, class B>
auto operator+(vec3<A> const& a, vec3<B> const& b) {
    return vec3{a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A>
auto norm2(vec3<A> const& a) {
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

}

BOOST_AUTO_TEST_CASE(a_name_that_was_shared_is_moved) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = x * y; auto b = a * a; return b + std::move(a) * 3.0;),
          [](double x, double y) { return x * y * x * y + 3 * x * y; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = x * y; auto b = a * a; auto c = std::move(a) * 3.0; return b + c;),
          [](double x, double y) { return x * y * x * y + 3 * x * y; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x) * y; auto b = std::move(a); auto c = std::move(b); return c * c + c;),
          [](double x, double y) { double a = std::sin(x) * y; return a * a + a; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(a_helper_returns_names_that_it_moves) {
    agree([](auto const& x, auto const& y) {
              auto helper = [](auto const& u) { auto h = sin(u); auto k = h * h; return std::move(h) + std::move(k); };
              return helper(x * y) * y;
          },
          [](double x, double y) { double h = std::sin(x * y); return (h + h * h) * y; }, a0, b0);
    agree([](auto const& x, auto const& y) {
              auto helper = [](auto const& u) { auto h = sin(u); auto k = h * h; return std::pair(std::move(h), std::move(k)); };
              auto [h, k] = helper(x * y);
              return h * k + h;
          },
          [](double x, double y) { double h = std::sin(x * y); return h * h * h + h; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(a_helper_returns_a_name_that_was_shared) {
    agree([](auto const& x, auto const& y) {
              auto helper = [](auto const& u, auto const& v) { auto h = sin(u); auto k = h * h; auto z = k + v; (void)z; return h; };
              return helper(x * y, y) * x;
          },
          [](double x, double y) { return std::sin(x * y) * x; }, a0, b0);
    // two returns: an implicit move in place of the elided copy
    agree(
        [](auto const& x, auto const& y) {
            auto helper = [](auto const& u, bool first) {
                auto h = sin(u);
                auto k = sin(h * h);
                auto z = k * h;
                if (first) return z;
                auto r = k * h;
                std::swap(r, z);
                return r;
            };
            return helper(x * y, true) * helper(y, false);
        },
        [](double x, double y) {
            auto z = [](double u) {
                double h = std::sin(u);
                return std::sin(h * h) * h;
            };
            return z(x * y) * z(y);
        },
        a0, b0);
}

BOOST_AUTO_TEST_CASE(a_copy_is_one_more_consumer) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x) * y; auto b = a; auto c = b; return a * b + c;),
          [](double x, double y) { double a = std::sin(x) * y; return a * a + a; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), const auto a = sin(x) * y; auto b = std::move(a); return a * b;),
          [](double x, double y) { double a = std::sin(x) * y; return a * a; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x) * y; auto f = [=](auto const& t) { return a * t + a; }; return f(y) * f(x);),
          [](double x, double y) { double a = std::sin(x) * y; return (a * y + a) * (a * x + a); }, a0, b0);
}

BOOST_AUTO_TEST_CASE(aggregates_hold_copies) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto t = std::tuple{sin(x), x * y, y * y}; auto& [a, b, c] = t;
                         auto u = std::tuple{a * b, b * c, c * a}; return std::get<0>(u) * std::get<1>(u) + std::get<2>(std::move(u));),
        [](double x, double y) {
            double a = std::sin(x), b = x * y, c = y * y;
            return a * b * b * c + c * a;
        },
        a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = x * y; auto b = y * x; std::tuple t{a, b}; std::array w{a, y * x}; std::vector v{a, b};
                           return std::get<0>(t) * w[1] + v[1] * v[0] + b;),
          [](double x, double y) { return 2 * x * y * x * y + x * y; }, a0, b0);
    agree(
        [](auto const& x, auto const& y) {
            auto a = x * y;
            std::optional o = a;
            std::array w{a, y * x};
            if (w[0] > 0) o = w[1];
            o = *o;
            return *o * w[0] + a;
        },
        [](double x, double y) { return x * y * x * y + x * y; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(formulas_of_one_type_are_assigned_swapped_and_sorted) {
    agree([](auto const& x, auto const& y) { std::vector v{x * y, x * x, y * y}; auto s = v[0] * v[1]; std::sort(v.begin(), v.end()); std::swap(v[0], v[1]);
                           return s * v[0] + v[2]; },
          [](double x, double y) { return x * y * x * x * (x * y) + y * y; }, a0, b0);
    agree([](auto const& x, auto const& y) { auto a = x * y; auto b = y * x; auto c = a * b; a = b; b = std::move(a); return b * c; },
          [](double x, double y) { return x * y * x * y * x * y; }, a0, b0);
    agree([](auto const& x, auto const& y) { auto a = x * y; auto c = a * a; auto& itself = a; a = itself; return a + c; },
          [](double x, double y) { return x * y + x * y * x * y; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(references_and_temporaries) {
    // std::max gives a reference to a temporary, which is copied before it dies
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto m = std::max(x * y, y * x); return m * m;), [](double x, double y) { return x * y * x * y; }, a0,
        b0);
    agree(
        [](auto const& x, auto const& y) {
            auto a = x * y;
            auto b = y * y;
            auto m = std::max(a * 1.0, b * 1.0);
            auto n = std::max(x * y, y * x);
            return m * n;
        },
        [](double x, double y) { return y * y * x * y; }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = x * y; auto b = y * x; bool c = a > 1.0; auto& d = c ? a : b; auto e = c ? b : a;
                         return d * e + a;),
        [](double x, double y) { return x * y * x * y + x * y; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto&& r = x * y; auto const& s = sin(r); return r * s + s;),
          [](double x, double y) { double r = x * y; return (r + 1) * std::sin(r); }, a0, b0);
}

BOOST_AUTO_TEST_CASE(a_moved_from_value_is_not_used) {
    auto twice = [](auto const& x, auto const& y) { auto t = sin(x); auto a = t * y; return std::move(a) * 2.0 + std::move(a) * 3.0; };
    BOOST_CHECK_THROW(xgrad::gradient(twice, a0, b0), std::logic_error);
    // a number is its value where nothing goes backward
    BOOST_CHECK_CLOSE(xgrad::value(twice, a0, b0), 5 * std::sin(a0) * b0, 1e-12);
    xt::xtensor<double, 1> const v{0.3, 0.5};
    auto arrays = XGRAD_BOTH_MODES((auto const& x), auto t = sin(x); auto a = t * x; return sum(std::move(a) * 2.0 + std::move(a) * 3.0););
    BOOST_CHECK_THROW(xgrad::gradient(arrays.first, v), std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient(arrays.second, v), std::logic_error);
}
BOOST_AUTO_TEST_CASE(a_scalar_of_a_scoped_function_has_its_value_for_good) {
    // it was evaluated where it was made, so there is nothing that a move could take away
    auto plain = [](double x, double y) { return 5 * std::sin(x) * y; };
    auto twice = [](auto const& x, auto const& y) -> xgrad::real { auto t = sin(x); auto a = t * y; return std::move(a) * 2.0 + std::move(a) * 3.0; };
    auto const [value, gradient] = xgrad::value_and_gradient(twice, a0, b0);
    BOOST_CHECK_CLOSE(value, plain(a0, b0), 1e-10);
    BOOST_CHECK_CLOSE(std::get<0>(gradient), 5 * std::cos(a0) * b0, 1e-10);
    BOOST_CHECK_CLOSE(std::get<1>(gradient), 5 * std::sin(a0), 1e-10);
}
BOOST_AUTO_TEST_CASE(debts_to_variables_move_on) {
    // a formula of variables that moved is not used either, but for one that somebody knows
    auto twice = [](auto const& x, auto const& y) -> xgrad::real { xgrad::variable v = x; auto a = v * y; return std::move(a) * 2.0 + std::move(a) * 3.0; };
    auto later = [](auto const& x, auto const& y) -> xgrad::real { xgrad::variable v = x; auto a = v * y, b = std::move(a); return a * 2.0 + b * 3.0; };
    auto assigned = [](auto const& x, auto const& y) -> xgrad::real {
        xgrad::variable v = x, w = y;
        auto a = v * y;
        v = std::move(a);
        return v * a + w;
    };
    auto known = [](auto const& x, auto const& y) -> xgrad::real {
        xgrad::variable v = x, w = y;
        auto a = v * w;
        auto b = sin(a) + a;
        return std::move(a) * b + v;
    };
#if !defined(XGRAD_UNCHECKED_SCOPES)
    BOOST_CHECK_THROW(xgrad::gradient(twice, a0, b0), std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient(later, a0, b0), std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient(assigned, a0, b0), std::logic_error);
#else
    for (auto const dx : {std::get<0>(xgrad::gradient(twice, a0, b0)), std::get<0>(xgrad::gradient(later, a0, b0))}) BOOST_CHECK_CLOSE(dx, 5 * b0, 1e-10);
    static_cast<void>(assigned);
#endif
    agree(known, [](double x, double y) { double a = x * y; return a * (std::sin(a) + a) + x; }, a0, b0);
    // loops that carry variables: an operand that is used twice, and one that is assigned to while it is used
    agree(
        [](auto const& x, auto const& y) -> xgrad::real {
            xgrad::variable s = x, t = y;
            for (int i = 0; i < 5; ++i) {
                s = 0.5 * sin(s * t) * s + s / (1.0 + t * t) * x;
                t += s * s * 0.1 + t * t * s * 0.1;
            }
            return s * t;
        },
        [](double x, double y) {
            double s = x, t = y;
            for (int i = 0; i < 5; ++i) {
                s = 0.5 * std::sin(s * t) * s + s / (1.0 + t * t) * x;
                t += s * s * 0.1 + t * t * s * 0.1;
            }
            return s * t;
        },
        a0, b0);
}

BOOST_AUTO_TEST_CASE(a_users_vector_of_temporaries) {
    agree([](auto const& x, auto const& y) { vec3 p{x * y, y * x, x * y}; auto q = p + p; return norm2(p + q) + norm2(q); },
          [](double x, double y) { double t = x * y; return 3 * 9 * t * t + 3 * 4 * t * t; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(the_result_is_anything) {
    agree(XGRAD_BOTH_MODES((auto const& x, [[maybe_unused]] auto const& y), return x;), [](double x, double) { return x; }, a0, b0);
    agree(XGRAD_BOTH_MODES(([[maybe_unused]] auto const& x, [[maybe_unused]] auto const& y), return 2.0;), [](double, double) { return 2.0; }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = sin(x * y); auto k = h * h; auto z = k + y; (void)z; return h;),
        [](double x, double y) { return std::sin(x * y); }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x) * y; auto b = a; auto c = a * a; (void)c; return b;),
        [](double x, double y) { return std::sin(x) * y; }, a0, b0);
    agree(
        [](auto const& x, auto const& y) {
            auto h = [](auto const& u) {
                auto t = sin(u);
                auto s = t;
                return s;
            };
            return h(x * y);
        },
        [](double x, double y) { return std::sin(x * y); }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = x * y; auto b = y * x; return std::max(a, b);), [](double x, double y) { return x * y; }, a0,
        b0);
    agree([](auto const& x, auto const& y) -> decltype(auto) { return (x * y); }, [](double x, double y) { return x * y; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto x, auto y), return std::move(x) * std::move(y);), [](double x, double y) { return x * y; }, a0, b0);
}
