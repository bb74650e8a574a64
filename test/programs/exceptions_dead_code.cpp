// What is not used, and what is unwound, is dropped: nothing is pulled with 0, nothing leaks, nothing is blocked.
#include <cmath>
#include <stdexcept>
#include <string>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace programs {
// x where it is below 1; it throws from 1 on, when it is evaluated.
struct checked_op {
    static constexpr char const* name = "checked(x)";
    static constexpr bool may_throw = true;
    template <class T>
    T operator()(T const& x) const {
        if (!(x < T(1))) throw std::range_error("checked: 1 or more");
        return x;
    }
};
template <class E>
auto checked(E&& e) {
    return xgrad::elementwise<checked_op>(std::forward<E>(e));
}
}
template <>
inline constexpr auto xgrad::partials<programs::checked_op> = [](auto y, auto) { return partial(one(y)); };

using programs::checked;

BOOST_AUTO_TEST_CASE(dead_code_with_an_infinite_derivative) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto d = sqrt(x); auto e = d * 2.0; return x * y;), [](double x, double y) { return x * y; }, 0.0,
        1.3);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto d = sqrt(x); auto e = d * 2.0; bool b = e > 1.0; auto f = e * d; (void)b; return x * y;),
        [](double x, double y) { return x * y; }, 0.0, 1.3);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y),
                         {
                             variable s = sqrt(x);
                             s = s * y;
                             auto c = s;
                         } auto dead = log(x) * y;
                         (void)dead; return x * y;),
        [](double x, double y) { return x * y; }, 0.0, 1.3);
    xt::xtensor<double, 1> const a{0.0, 1.0, 0.0};
    agree(
        XGRAD_BOTH_MODES((auto const& x), auto d = sqrt(x); auto e = d * 2.0; auto m = sum(e); auto n = m * 2.0; return sum(x * x);),
        [](auto const& x) { return xt::sum(x * x)(); }, a);
}

BOOST_AUTO_TEST_CASE(a_helpers_result_is_discarded) {
    agree(
        [](auto const& x, auto const& y) {
            auto helper = [](auto const& u) {
                auto t = sqrt(u);
                return t * t * u;
            };
            helper(x * y);
            helper(x);
            auto d = helper(x * y);
            (void)d;
            return x * y;
        },
        [](double x, double y) { return x * y; }, 0.0, 2.0);
    // in scoped mode the helper is given a name
    agree(
        [](auto const& x, auto const& y) -> xgrad::real {
            auto helper = [](auto const& u) { return sqrt(u) * u; };
            auto z = x * y;
            helper(z);
            auto d = helper(z);
            (void)d;
            return z;
        },
        [](double x, double y) { return x * y; }, 0.0, 2.0);
}

BOOST_AUTO_TEST_CASE(an_exception_is_caught_inside) {
    auto plain = [](double x, double y) { return y < 1 ? std::sin(x) * y : std::sin(x) * y * x; };
    for (double y : {0.5, 1.5}) {
        // a is shared by the half-built formula, which unwinding destroys
        agree(
            [](auto const& x, auto const& v) {
                auto a = sin(x);
                auto b = v * 1.0;
                try {
                    return variable(a * checked(b));
                } catch (std::range_error const&) { return variable(a * b * x); }
            },
            plain, 0.7, y);
        agree(
            [](auto const& x, auto const& v) {
                auto a = sin(x);
                auto b = v * 1.0;
                try {
                    auto n = checked(b);
                    auto z = n * a;
                    auto w = z * 1.0;
                    return variable(w);
                } catch (std::range_error const&) { return variable(a * b * x); }
            },
            plain, 0.7, y);
        agree(
            [](auto const& x, auto const& v) -> xgrad::real {
                auto a = sin(x);
                auto b = v * 1.0;
                try {
                    auto n = checked(b);
                    auto z = n * a;
                    auto w = z * 1.0;
                    return w;
                } catch (std::range_error const&) { return a * b * x; }
            },
            plain, 0.7, y);
        // the result itself throws when it is delivered
        agree(
            [](auto const& x, auto const& v) -> xgrad::real {
                auto a = sin(x);
                try {
                    return a * checked(v);
                } catch (std::range_error const&) { return a * v * x; }
            },
            plain, 0.7, y);
        // the name stays what it was, and can be asked again
        agree(
            [](auto const& x, auto const& v) {
                auto n = checked(v);
                auto a = sin(x);
                try {
                    (void)(n * a > 0.0);
                    return variable(n * a);
                } catch (std::range_error const&) {}
                try {
                    auto m = n;
                    (void)m;
                } catch (std::range_error const&) {}
                return variable(a * v * x);
            },
            plain, 0.7, y);
    }
}

BOOST_AUTO_TEST_CASE(an_accumulator_keeps_its_value_when_an_assignment_throws) {
    auto plain = [](double x, double y) { return y < 1 ? x * y * y : x * y; };
    for (double y : {0.5, 1.5}) {
        agree(XGRAD_BOTH_MODES((auto const& u, auto const& v), variable s = u * v; try { s = s * checked(v); } catch (std::range_error const&) {} return s;),
              plain, 0.7, y);
        agree(XGRAD_BOTH_MODES((auto const& u, auto const& v), variable s = u * v; try { s *= checked(v); } catch (std::range_error const&) {} return s;),
              plain, 0.7, y);
    }
}

BOOST_AUTO_TEST_CASE(a_sum_keeps_what_was_added_before_an_exception) {
    auto f = [](auto const& x, auto const& y) {
        xgrad::sum_result total;
        for (double k : {1.0, 2.0, 3.0, 4.0}) {
            try {
                auto r = x * k;
                total += r * r;
                auto n = checked(y * k);
                auto q = n * r;
                total += q * 1.0;
            } catch (std::range_error const&) {}
        }
        return total;
    };
    // y k is below 1 for the first two
    agree(f, [](double x, double y) { return 30 * x * x + x * y + 4 * x * y; }, 0.7, 0.4);
    auto g = [](auto const& x) {
        xgrad::sum_result total;
        try {
            for (int i = 1;; ++i) {
                auto r = x * i;
                total += r * r;
                if (i == 3) throw std::runtime_error("user");
            }
        } catch (std::runtime_error const&) {}
        return total;
    };
    agree(g, [](double x) { return 14 * x * x; }, 0.7);
}

BOOST_AUTO_TEST_CASE(an_exception_through_the_call) {
    xt::xtensor<double, 1> const a0{0.1, 0.2, 0.3};
    xt::xtensor<double, 1> a = a0;
    auto f = [](auto const& v, auto const& x) {
        auto h = sin(v) * x;
        auto s = [](auto const& u) { auto t = u * u; return sum(t * u); }(h);
        variable r = s;
        r = r * x;
        auto z = r * s;
        if (x > 1.0) throw std::runtime_error("user");
        return z;
    };
    auto scoped = [](auto const& v, auto const& x) -> xgrad::real {
        auto h = sin(v) * x;
        auto s = sum(h * h);
        auto z = s * x;
        if (z > 0.0 && x > 1.0) throw std::runtime_error("user");
        return z * s;
    };
    auto check = [&](auto const& program) {
        auto const right = xgrad::value_and_gradient(program, a, 0.5);
        auto prepared = xgrad::prepare_gradient(program, a, 0.5);
        auto added = right.gradient;
        for (int i = 0; i < 3; ++i) {
            BOOST_CHECK_THROW(xgrad::value_and_gradient(program, a, 1.5), std::runtime_error);
            BOOST_CHECK_THROW(xgrad::value(program, a, 1.5), std::runtime_error);
            BOOST_CHECK_THROW(prepared(a, 1.5), std::runtime_error);
            BOOST_CHECK_THROW(xgrad::add_gradient(added, program, a, 1.5), std::runtime_error);
            BOOST_CHECK(a == a0);
            BOOST_CHECK(added == right.gradient);
            BOOST_CHECK_EQUAL(prepared(a, 0.5).value, right.value);
            BOOST_CHECK(prepared(a, 0.5).gradient == right.gradient);
            BOOST_CHECK(xgrad::gradient(program, a, 0.5) == right.gradient);
        }
    };
    check(f);
    check(scoped);
}
