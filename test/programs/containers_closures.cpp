// Closures and containers hold active values, and let them go in any order.
#include <any>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {
double const a0 = 0.7, b0 = 1.3;
}

BOOST_AUTO_TEST_CASE(closures) {
    agree(
        [](auto const& x, auto const& y) {
            auto make = [](auto const& u) {
                auto a = sin(u);
                return [a](auto const& t) { return a * t; };
            };
            auto f = make(x * y);
            return f(x) + f(y);
        },
        [](double x, double y) {
            double a = std::sin(x * y);
            return a * x + a * y;
        },
        a0, b0);
    agree(
        [](auto const& x, auto const& y) {
            auto a = sin(x) * y;
            std::function<variable<double>()> f = [a] { return variable(a * a); };
            auto g = f;
            f = nullptr;
            return g() + g();
        },
        [](double x, double y) {
            double a = std::sin(x) * y;
            return 2 * a * a;
        },
        a0, b0);
    agree(
        [](auto const& x, auto const& y) {
            auto a = sin(x);
            auto f = [b = std::move(a), &y]() { return b * y; };
            auto g = [f = std::move(f)] { return f() * f(); };
            return g();
        },
        [](double x, double y) { return std::sin(x) * y * std::sin(x) * y; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x); auto f = [&](auto const& t) { return a * t; }; auto b = f(y); return f(b) + a;),
          [](double x, double y) { double a = std::sin(x); return a * a * y + a; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(vectors_that_grow_and_are_cleared) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), std::vector<decltype(x * x)> v;
                         for (int i = 0; i < 20; ++i) { v.push_back(x * y); } auto s = variable(v[0] * v[7]); auto q = s * v[1]; return q;),
        [](double x, double y) {
            double q = x * y;
            return q * q * q;
        },
        a0, b0);
    agree([](auto const& x, auto const& y) {
              std::vector<decltype(x * x)> v;
              for (int i = 0; i < 20; ++i) { v.push_back(x * y); (void)(v[0] > 0.0); }
              auto s = v[0] * v[7];
              auto t = v[3] * s;
              v.clear();
              return s + t;
          },
          [](double x, double y) { double q = x * y; return q * q + q * q * q; }, a0, b0);
    agree([](auto const& x, auto const& y) {
              auto a = x * y;
              std::vector<decltype(a * a)> v;
              for (int i = 0; i < 9; ++i) { auto b = a; v.insert(v.begin() + i / 2, b * a); }
              v.erase(v.begin() + 2, v.begin() + 5);
              std::vector<decltype(a * a)> w = v;
              v.resize(2, w[0]);
              std::swap(v, w);
              w = std::move(v);
              return w[0] * w[5];
          },
          [](double x, double y) { return std::pow(x * y, 4); }, a0, b0);
}

BOOST_AUTO_TEST_CASE(containers_of_every_kind) {
    agree([](auto const& x, auto const& y) {
              using formula = decltype(x * y);
              std::map<std::string, formula> m;
              m.emplace("a", x * y);
              m.emplace("b", x * x);
              std::list<formula> l{m.at("a"), m.at("b")};
              std::deque<formula> d(l.begin(), l.end());
              m.erase("a");
              d.pop_front();
              auto u = std::make_unique<formula>(l.front());
              auto s = std::make_shared<formula>(y * y);
              auto r = *u * *s * d.front();
              l.clear();
              s.reset();
              std::optional<formula> o;
              o.emplace(x * y);
              std::optional<formula> p = o;
              o.reset();
              std::variant<int, formula> v = *p;
              std::any any = *p;
              auto q = std::get<1>(v) * std::any_cast<formula&>(any);
              any.reset();
              return r + q;
          },
          [](double x, double y) { return x * y * y * y * x * x + x * y * x * y; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(members_die_in_any_order) {
    // an array lets its last element go first, a vector and a tuple their first
    agree([](auto const& x, auto const& y) {
              using formula = decltype(variable(x));
              auto a = x * y;
              formula chain[3] = {a * a, a * x, a * y};
              chain[2] = chain[1] * chain[0];
              chain[0] = chain[2] * chain[2];
              std::vector<formula> v(chain, chain + 3);
              for (int i = 1; i < 3; ++i) v[i] = v[i] * v[i - 1];
              for (int i = 1; i >= 0; --i) v[i] = v[i] + v[i + 1];
              std::tuple t{v[0] * v[1], v[1], v[2]};
              return std::get<0>(t) * std::get<2>(t);
          },
          [](double x, double y) {
              double a = x * y, c2 = a * x * a * a, c0 = c2 * c2, c1 = a * x;
              double v0 = c0, v1 = c1 * v0, v2 = c2 * v1;
              v1 += v2;
              v0 += v1;
              return v0 * v1 * v2;
          },
          a0, b0);
}

BOOST_AUTO_TEST_CASE(values_that_outlive_the_call) {
    auto plain = [](double x, double y) { return std::sin(x) * y; };
    auto f = [](auto const& x, auto const& y) { return sin(x) * y; };
    auto expect_refusal = [&](auto const& program, auto drop) {
        for (int i = 0; i < 2; ++i) {
            BOOST_CHECK_THROW(xgrad::gradient(program, a0, b0), std::logic_error);
            agree(f, plain, a0, b0);
            drop();
            agree(f, plain, a0, b0);
        }
        auto prepared = xgrad::prepare_gradient(program, a0, b0);
        BOOST_CHECK_THROW(prepared(a0, b0), std::logic_error);
        BOOST_CHECK_THROW(prepared(a0, b0), std::logic_error);
        drop();
    };
    {
        std::optional<xgrad::formula<xgrad::op::sin, xgrad::input<double, xgrad::rank_c<0>, xgrad::counted>>> keep;
        expect_refusal([&](auto const& x, auto const& y) { keep.emplace(sin(x)); return *keep * y; }, [&] { keep.reset(); });
    }
    {
        std::function<void()> keep;
        expect_refusal([&](auto const& x, auto const& y) { auto a = sin(x); keep = [a] {}; return a * y; }, [&] { keep = nullptr; });
    }
    {
        std::vector<variable<double>> keep;
        expect_refusal(
            [&](auto const& x, auto const& y) {
                keep.push_back(sin(x));
                variable s = keep.back() * y;
                keep.push_back(s);
                return s;
            },
            [&] { keep.clear(); });
    }
    {
        static variable<double> cache = 1.0;
        expect_refusal([](auto const& x, auto const& y) { cache = cache * 1.0; cache = sin(x); return cache * y; }, [] { cache = 1.0; });
    }
    {
        std::optional<variable<xt::xtensor<double, 1>>> keep;
        xt::xtensor<double, 1> const v{1, 2, 3};
        BOOST_CHECK_THROW(xgrad::gradient([&](auto const& x) { keep.emplace(sin(x)); return sum(*keep); }, v), std::logic_error);
        BOOST_CHECK_EQUAL(xgrad::primal(*keep)(0), std::sin(1.0));
    }
}

BOOST_AUTO_TEST_CASE(a_value_that_was_kept_does_not_enter_the_next_call) {
    std::optional<variable<double>> keep;
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const& x) { keep.emplace(sin(x)); return *keep; }, a0), std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const& x) { return *keep * x; }, a0), std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const&) { return *keep * 2.0; }, a0), std::logic_error);
    // kept only until the call ends
    agree([&](auto const& x) { keep.emplace(sin(x)); variable r = *keep * x; keep.reset(); return r; }, [](double x) { return std::sin(x) * x; }, a0);
}
