// A function that assigns to its arguments throws, or is refused: the caller's arrays, gradients and later calls are as if nothing had been.
#include <stdexcept>
#include <string>

#include "against_differences.hpp"

#include <xgrad/assign.hpp>

using programs::agree;

namespace programs {
// x where it is below 5; evaluating throws from 5 on.
struct limited_op {
    static constexpr char const* name = "limited(x)";
    static constexpr bool may_throw = true;
    template <class T>
    T operator()(T const& x) const {
        return xgrad::each_lane([](double e) { return e < 5 ? e : throw std::range_error("limited: 5 or more"); }, x);
    }
};
template <class E>
auto limited(E&& e) {
    return xgrad::elementwise<limited_op>(std::forward<E>(e));
}
}
template <>
inline constexpr auto xgrad::partials<programs::limited_op> = [](auto y, auto) { return partial(one(y)); };

using programs::limited;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const v{0.3, 0.5, 0.9}, u{1.1, 0.2, 0.4};
// in the middle of a longer array
vector const big = [] { vector b = xt::ones<double>({50}); b(37) = 6; return b; }();

// Every verb throws an E and leaves the arguments and the gradient as they were.
template <class E, class F, class... X>
void thrown(F const& f, X&... x) {
    std::tuple const before(x...);
    auto g = std::make_tuple(xgrad::zero_tangent(x)...);
    auto const zero = g;
    auto prepared = xgrad::prepare_gradient(f, x...);
    for (int i = 0; i < 2; ++i) {
        BOOST_CHECK_THROW(xgrad::gradient(f, x...), E);
        BOOST_CHECK(std::tie(x...) == before);
        BOOST_CHECK_THROW(xgrad::value(f, x...), E);
        BOOST_CHECK(std::tie(x...) == before);
        BOOST_CHECK_THROW(prepared(x...), E);
        BOOST_CHECK(std::tie(x...) == before);
        BOOST_CHECK_THROW(xgrad::add_gradient(g, f, x...), E);
        BOOST_CHECK(std::tie(x...) == before);
        BOOST_CHECK(g == zero);
    }
    agree([](auto const& a) { auto h = assign(a, a * a); return sum(a); }, [](vector const& a) { return xt::sum(a * a)(); }, v);
}
template <class F, class... X>
void refused(std::string const& words, F const& f, X&... x) {
    try {
        xgrad::gradient(f, x...);
        BOOST_ERROR("nothing was thrown");
    } catch (std::exception const& e) {
        BOOST_CHECK_MESSAGE(std::string(e.what()).find(words) != std::string::npos, e.what());
    }
}

}

BOOST_AUTO_TEST_CASE(the_caller_finds_the_array_as_it_was) {
    vector w = v, x = u;
    auto f = [](auto const& a, auto const& b) { auto g = assign(a, a * b); auto h = assign(b, 0.0 * b); auto k = assign(a, a + h); return sum(a + b); };
    for (int i = 0; i < 2; ++i) {
        xgrad::gradient(f, w, x);
        xgrad::value(f, w, x);
        BOOST_CHECK(w == v);
        BOOST_CHECK(x == u);
    }
}
BOOST_AUTO_TEST_CASE(the_function_throws_after_an_assignment) {
    vector w = v, x{6, 1, 1};
    thrown<std::runtime_error>(
        [](auto const& a, auto const& b) {
            auto g = assign(a, a * b);
            auto t = a * a;
            auto h = assign(a, t);
            if (b(0) > 5.0) throw std::runtime_error("user");
            return sum(a + b);
        },
        w, x);
    thrown<std::runtime_error>(
        [](auto const& a, auto const& b) -> xgrad::real {
            auto s = a * b;
            auto g = assign(a, s);
            auto t = b * s;
            auto h = assign(b, t);
            if (b(0) > 5.0) throw std::runtime_error("user");
            return sum(a + b);
        },
        w, x);
    // what was added to a sum is committed: only the arrays are as they were
    auto adds = [](auto const& a, auto const& b) {
        xgrad::sum_result total;
        for (int i = 0; i < 4; ++i) {
            auto g = assign(a, a * b);
            auto t = sum(a);
            total += t * 1.0;
            if (i == 2 && b(0) > 5.0) throw std::runtime_error("user");
        }
        return total;
    };
    BOOST_CHECK_THROW(xgrad::gradient(adds, w, x), std::runtime_error);
    BOOST_CHECK(w == v);
    agree(adds, [](vector const& a, vector const& b) { return 4 * xt::sum(a * b)(); }, v, u);
}
BOOST_AUTO_TEST_CASE(the_new_values_throw_half_way) {
    vector w = big, x = 2 * big;
    thrown<std::range_error>([](auto const& a, auto const& b) { auto g = assign(a, limited(a) * b); return sum(a); }, w, x);
    thrown<std::range_error>(
        [](auto const& a, auto const& b) {
            auto s = sin(a);
            auto g = assign(a, b * 0.1);
            auto t = a * s;
            auto h = assign(a, limited(a * b) + t);
            return sum(a);
        },
        w, x);
    thrown<std::range_error>(
        [](auto const& a, auto const& b) -> xgrad::real {
            auto g = assign(a, b * 0.1);
            auto h = assign(a, limited(a * b));
            return sum(a);
        },
        w, x);
    thrown<std::range_error>([](auto const& a, auto const& b) { auto g = assign(a, sum(limited(b))); return sum(a); }, w, x);
}
BOOST_AUTO_TEST_CASE(an_exception_is_caught_inside) {
    vector const x = 2.0 * xt::ones<double>({50});
    agree(
        XGRAD_BOTH_MODES(
            (auto const& a, auto const& b), auto s = sin(a); try {
                auto g = assign(a, limited(a) * b);
                (void)g;
            } catch (std::range_error const&) {} return sum(a * s * b);),
        [](vector const& a, vector const& b) { return xt::sum(a * xt::sin(a) * b)(); }, big, x);
    // the version before the one that failed
    agree(
        XGRAD_BOTH_MODES(
            (auto const& a, auto const& b), auto s = a * b; auto g = assign(a, a * 0.5); try {
                auto h = assign(a, a * b);
                auto k = assign(a, limited(a) * b);
                (void)k;
            } catch (std::range_error const&) {} return sum(a * s);),
        [](vector const& a, vector const& b) { return xt::sum(0.5 * a * a * b)(); }, big, x);
    agree([](auto const& a, auto const& b) {
              auto one = [](auto const& p, auto const& q) -> xgrad::variable<double> {
                  auto g = assign(p, p * q);
                  if (p(37) > 5.0) throw std::runtime_error("user");
                  return sum(p * p);
              };
              try { return one(a, b); } catch (std::runtime_error const&) { return one(a, b * 0.1); }
          },
          [](vector const& a, vector const& b) { return xt::sum(xt::square(a * b * 0.1))(); }, big, x);
}
BOOST_AUTO_TEST_CASE(shapes_that_do_not_fit) {
    vector w = v, x{1, 2};
    matrix m = {{1, 2, 3}, {4, 5, 6}};
    thrown<std::invalid_argument>([](auto const& a) { auto g = assign(a, vector{1, 2}); return sum(a); }, w);
    thrown<std::invalid_argument>(
        [](auto const& a, auto const& b) {
            auto s = a * a;
            auto g = assign(a, s);
            auto h = assign(a, b * 2.0);
            return sum(a);
        },
        w, x);
    refused("(2,) and (3,)", [](auto const& a, auto const& b) { auto g = assign(a, b); return sum(a); }, w, x);
    // a bigger one does not make it grow
    thrown<std::invalid_argument>([](auto const& a, auto const& b) { auto g = assign(a, b * a); return sum(a); }, w, m);
    refused("(2, 3) and (3,)", [](auto const& a, auto const& b) { auto g = assign(a, b * a); return sum(a); }, w, m);
    thrown<std::invalid_argument>([](auto const& a, auto const& b) { auto g = assign(a, a * b); return sum(a); }, w, x);
}
BOOST_AUTO_TEST_CASE(an_array_that_was_passed_twice) {
    vector w = v;
    thrown<std::logic_error>([](auto const& a, auto const& b) { auto g = assign(a, a * 2.0); return sum(a * b); }, w, w);
    thrown<std::logic_error>([](auto const& a, auto const& b) { auto s = a * b; auto g = assign(b, s); return sum(a * b); }, w, w);
    // passed twice is not wrong by itself, and equal arrays are not one
    agree(
        [](auto const& a, auto const& b) {
            auto g = assign(a, a * b);
            return sum(a * b);
        },
        [](vector const& a, vector const& b) { return xt::sum(a * b * b)(); }, v, vector(v));
}
BOOST_AUTO_TEST_CASE(other_layouts) {
    xt::xtensor<double, 2, xt::layout_type::column_major> m = {{1, 2, 3}, {4, 5, 6}};
    auto const before = m;
    refused("row-major", [](auto const& a) { auto g = assign(a, a * 2.0); return sum(a); }, m);
    BOOST_CHECK(m == before);
}
BOOST_AUTO_TEST_CASE(two_calls_meet_in_an_assignment) {
    vector w = v, x = u;
    BOOST_CHECK_THROW(xgrad::gradient(
                          [&](auto const& a) {
                              (void)xgrad::gradient(
                                  [&](auto const& b) {
                                      auto g = assign(b, b * a);
                                      return sum(b);
                                  },
                                  x);
                              return sum(a);
                          },
                          w),
                      std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient(
                          [&](auto const& a) {
                              (void)xgrad::gradient(
                                  [&](auto const& b) {
                                      auto g = assign(a, b);
                                      return sum(b);
                                  },
                                  x);
                              return sum(a);
                          },
                          w),
                      std::logic_error);
    BOOST_CHECK(w == v);
    BOOST_CHECK(x == u);
}
