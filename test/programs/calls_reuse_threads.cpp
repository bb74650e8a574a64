// Gradients inside differentiated functions, prepared gradients used again, and gradients on many threads.
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {
using vector = xt::xtensor<double, 1>;
double const a0 = 0.7, b0 = 1.3;
}

BOOST_AUTO_TEST_CASE(a_gradient_of_plain_numbers_inside) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = sin(x); auto [g] = xgrad::gradient(
                                                                              [](auto const& t) {
                                                                                  auto s = sin(t);
                                                                                  return s * s;
                                                                              },
                                                                              2.0);
                         return h * y * g;),
        [](double x, double y) { return std::sin(x) * y * 2 * std::sin(2) * std::cos(2); }, a0, b0);
    // the inner call sees the outer one's primal
    agree([](auto const& x, auto const& y) {
              auto h = sin(x);
              auto k = h * y;
              double const p = xgrad::primal(y);
              auto [g] = xgrad::gradient([&](auto const& t) -> xgrad::real { auto s = t * p; return s * s * t; }, 2.0);
              return k * (g - 12 * p * p + 1.0);
          },
          [](double x, double y) { return std::sin(x) * y; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(calls_nest_deeply) {
    auto level = [](auto const& self, int depth) -> double {
        auto [g] = xgrad::gradient(
            [&](auto const& t) {
                auto s = sin(t);
                double inner = depth ? self(self, depth - 1) : 1.0;
                auto u = s * inner;
                return u * 1.0;
            },
            0.5);
        return g;
    };
    BOOST_CHECK_CLOSE(level(level, 9), std::pow(std::cos(0.5), 10), 1e-10);
    auto [g] = xgrad::gradient([&](auto const& x) { auto h = sin(x); double c = level(level, 9); auto k = h * c; return k * h; }, a0);
    BOOST_CHECK_CLOSE(g, std::pow(std::cos(0.5), 10) * 2 * std::sin(a0) * std::cos(a0), 1e-10);
}

BOOST_AUTO_TEST_CASE(two_calls_meet) {
    auto refused = [](auto inner) {
        int thrown = 0;
        auto outer = [&](auto const& x) {
            auto h = x * 2.0;
            try {
                (void)inner(x, h);
            } catch (std::logic_error const&) {
                ++thrown;
            }
            return h * x;
        };
        BOOST_CHECK_EQUAL(std::get<0>(xgrad::gradient(outer, 3.0)), 12.0);
        BOOST_CHECK_EQUAL(thrown, 1);
    };
    refused([](auto const& x, auto const&) { return xgrad::gradient([&](auto const& t) { return sin(t * x); }, 2.0); });
    refused([](auto const&, auto const& h) { return xgrad::gradient([&](auto const& t) { auto s = t + h; return s * s; }, 2.0); });
    refused([](auto const&, auto const& h) { return xgrad::gradient([&](auto const& t) -> xgrad::real { auto s = h + t; return s * s; }, 2.0); });
    refused([](auto const& x, auto const&) { return xgrad::gradient([&](auto const& t) { variable s = x; s += t; return s; }, 2.0); });
    // the outer value is the inner result
    refused([](auto const& x, auto const&) { return xgrad::gradient([&](auto const&) { return x; }, 2.0); });
    refused([](auto const& x, auto const&) { return xgrad::gradient([&](auto const&) { return sin(x); }, 2.0); });
    refused([](auto const&, auto const& h) { return xgrad::gradient([&](auto const&) { return h; }, 2.0); });
    refused([](auto const&, auto const& h) { return xgrad::gradient([&](auto const&) { return variable(h * h); }, 2.0); });
    refused([](auto const& x, auto const& h) { return xgrad::gradient([&](auto const&) -> xgrad::real { return x * h; }, 2.0); });
    refused([](auto const&, auto const& h) { return xgrad::gradient([&](auto const&) { xgrad::sum_result r; r += h; return r; }, 2.0); });
    // arrays
    vector const v{1, 2, 3};
    refused([&](auto const& x, auto const&) { return xgrad::gradient([&](auto const& t) { return sum(t * x); }, v); });
    refused([&](auto const&, auto const& h) { return xgrad::gradient([&](auto const& t) { return sum(t * t) * h; }, v); });
}

BOOST_AUTO_TEST_CASE(prepared_gradients_are_used_again) {
    auto f = [](auto const& x, auto const& k) { auto h = sin(x) * k; auto s = sum(h * h); return s * x(0); };
    auto plain = [](vector const& x, double k) { return xt::sum(xt::square(xt::sin(x) * k))() * x(0); };
    auto g = xgrad::prepare_gradient(f, vector{}, xgrad::constant(1.0));
    for (std::size_t n : {5u, 5u, 100u, 1u, 33u, 5u, 1000u, 2u}) {
        vector const x = xt::arange<double>(1, double(n) + 1) / double(n + 1);
        auto& [value, gradient] = g(x, xgrad::constant(double(n)));
        BOOST_CHECK_CLOSE(value, plain(x, double(n)), 1e-9);
        auto const again = xgrad::gradient(f, x, xgrad::constant(double(n)));
        BOOST_CHECK(std::get<0>(gradient) == std::get<0>(again));
        BOOST_CHECK_EQUAL(std::get<0>(gradient).size(), n);
        double const c = std::cos(x(n - 1)) * std::sin(x(n - 1)) * 2 * double(n) * double(n) * x(0);
        if (n > 1) BOOST_CHECK_CLOSE(std::get<0>(gradient)(n - 1), c, 1e-9);
    }
    // two of them do not share anything, also when one runs inside the other
    auto inner = xgrad::prepare_gradient([](auto const& t) { auto s = t * t; return s * t; }, 1.0);
    auto outer = xgrad::prepare_gradient([&](auto const& x) { auto h = x * x; double d = std::get<0>(inner(2.0).gradient); return h * d; }, 1.0);
    for (double x : {1.0, 2.0}) BOOST_CHECK_EQUAL(std::get<0>(outer(x).gradient), 24 * x);
    // moved, it goes on
    auto moved = std::move(inner);
    BOOST_CHECK_EQUAL(std::get<0>(moved(3.0).gradient), 27.0);
}

BOOST_AUTO_TEST_CASE(nested_calls_after_exceptions) {
    auto bad = [](auto const& t) { auto s = t * t; if (t > 0.0) throw std::runtime_error("inner"); return s; };
    for (int i = 0; i < 3; ++i)
        agree(
            [&](auto const& x) {
                auto h = sin(x);
                try {
                    (void)xgrad::gradient(bad, 2.0);
                } catch (std::runtime_error const&) {}
                auto k = h * x;
                return k * h;
            },
            [](double x) { return std::sin(x) * x * std::sin(x); }, a0);
    std::optional<variable<double>> keep;
    agree(
        [&](auto const& x) {
            auto h = sin(x);
            try {
                (void)xgrad::gradient(
                    [&](auto const& t) {
                        keep.emplace(t * t);
                        return t;
                    },
                    2.0);
            } catch (std::logic_error const&) {}
            auto k = h * x;
            return k * h;
        },
        [](double x) { return std::sin(x) * x * std::sin(x); }, a0);
}

BOOST_AUTO_TEST_CASE(one_result_is_made_and_returned) {
    using xgrad::real, xgrad::sum_result;
    auto refused = [](auto const& f) {
        BOOST_CHECK_THROW(xgrad::gradient(f, a0, b0), std::logic_error);
        agree([](auto const& x, auto const& y) { return x * y; }, [](double x, double y) { return x * y; }, a0, b0);
    };
    refused([](auto const& x, auto const& y) -> real { real u = sin(x); (void)u; real v = y * y; return v; });
    refused([](auto const& x, auto const& y) -> real { real u = sin(x); (void)u; (void)y; return 2.0; });
    refused([](auto const& x, auto const& y) { sum_result a, b; a += x; b += y; return a; });
    refused([](auto const& x, auto const& y) { sum_result a; a += x; return x * y; });
    refused([](auto const& x, auto const& y) { sum_result a, b; a += x; (void)y; return b; });
    refused([](auto const& x, auto const& y) { sum_result a; a += x * y; return 2.0; });
}

BOOST_AUTO_TEST_CASE(sums_are_additive_results) {
    using xgrad::sum_result;
    agree(
        [](auto const& x, auto const& y) {
            sum_result total;
            for (int i = 1; i < 6; ++i) {
                auto r = x * i - y;
                auto q = r * r;
                total += q * r;
                total += r;
                total += 2;
            }
            return total;
        },
        [](double x, double y) {
            double t = 0;
            for (int i = 1; i < 6; ++i) {
                double r = x * i - y;
                t += r * r * r + r + 2;
            }
            return t;
        },
        a0, b0);
    vector const w{0.2, 0.4, 0.6};
    agree(
        [](auto const& v, auto const& x) {
            sum_result total;
            for (std::size_t i = 0; i < 3; ++i) {
                auto r = v(i) * x;
                auto s = sum(v * r);
                total += s * r;
            }
            total += sum(v * v);
            return total;
        },
        [](vector const& v, double x) {
            double t = xt::sum(v * v)();
            for (std::size_t i = 0; i < 3; ++i) {
                double r = v(i) * x;
                t += r * r * xt::sum(v)();
            }
            return t;
        },
        w, a0);
    agree([](auto const&, auto const&) { sum_result total; return total; }, [](double, double) { return 0.0; }, a0, b0);
    // constant memory, whatever the size of the data
    auto f = [](auto const& v, int n) {
        sum_result total;
        for (int i = 0; i < n; ++i) {
            auto r = v * double(i);
            auto q = sin(r) * r;
            total += sum(q * q);
        }
        return total;
    };
    auto g = xgrad::prepare_gradient(f, w, xgrad::constant(1));
    g(w, xgrad::constant(2));
    auto const bytes = g.workspace_bytes();
    g(w, xgrad::constant(10000));
    BOOST_CHECK_EQUAL(g.workspace_bytes(), bytes);
}

BOOST_AUTO_TEST_CASE(gradients_on_many_threads) {
    auto f = [](auto const& v, auto const& x) {
        auto h = sin(v) * x;
        variable s = 0.0;
        for (int i = 0; i < 10; ++i) {
            auto t = sum(h * h);
            s += t * x;
        }
        return s;
    };
    vector const v = xt::linspace<double>(0.1, 0.9, 50);
    auto const right = xgrad::gradient(f, v, a0);
    std::vector<std::thread> threads;
    std::vector<int> good(8);
    for (std::size_t t = 0; t < good.size(); ++t)
        threads.emplace_back([&, t] {
            auto prepared = xgrad::prepare_gradient(f, v, a0);
            for (int i = 0; i < 100; ++i) good[t] += xgrad::gradient(f, v, a0) == right && prepared(v, a0).gradient == right;
        });
    for (auto& t : threads) t.join();
    for (int g : good) BOOST_CHECK_EQUAL(g, 100);
    // prepared here, called there
    auto prepared = xgrad::prepare_gradient(f, v, a0);
    prepared(v, a0);
    std::thread([&] { good[0] = prepared(v, a0).gradient == right; }).join();
    BOOST_CHECK_EQUAL(good[0], 1);
}

// What belongs to no call is read on other threads, and counted by its own alone: nothing is left over.
BOOST_AUTO_TEST_CASE(numbers_and_elements_of_no_call_on_many_threads) {
    auto const before = xgrad::plain_context().live;
    {
        variable<vector> u(vector{1.0, 2.0, 3.0});
        variable<double> const n(0.25);
        u(2) = n * 2.0;
        auto const in_array = std::as_const(u)(1), of_its_own = std::as_const(u)(2);
        auto f = [&](auto const& x) { return x * in_array + sin(x * of_its_own) * n; };
        auto const right = xgrad::gradient(f, a0);
        std::vector<std::thread> threads;
        std::vector<int> good(4);
        for (std::size_t t = 0; t < good.size(); ++t)
            threads.emplace_back([&, t] {
                BOOST_CHECK(in_array.operand().owner() == &xgrad::plain_context());
                BOOST_CHECK(of_its_own.operand().owner() == &xgrad::plain_context());
                for (int i = 0; i < 2000; ++i) good[t] += xgrad::gradient(f, a0) == right;
            });
        for (auto& t : threads) t.join();
        for (int g : good) BOOST_CHECK_EQUAL(g, 2000);
    }
    BOOST_CHECK_EQUAL(xgrad::plain_context().live, before);
}
