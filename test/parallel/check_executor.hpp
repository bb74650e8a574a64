// Defines check_executor: every parallel program again and again, whose numbers have the bits of the serial executor each time.
#pragma once

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <test/parallel/model_rows.hpp>
#include <xgrad/loop.hpp>

namespace {

// XGRAD_TEST_REPETITIONS=10000 runs them so many times.
int repetitions() {
    char const* const n = std::getenv("XGRAD_TEST_REPETITIONS");
    return n ? std::max(1, std::atoi(n)) : 4;
}

struct parallel_program {
    char const* name;
    std::function<vector()> run;
};

// What programs do on several threads, on the executor of the thread that runs them.
std::vector<parallel_program> parallel_programs() {
    using xgrad::each, xgrad::pick;
    static matrix const data = rows(150);
    static model const m{{0.3, -0.2, 0.9}, 0.4};
    static vector const x = xt::linspace(0.1, 1.0, 130), y = xt::linspace(-1.0, 1.0, 130);
    static xt::xtensor<int, 1> const places = [] {
        xt::xtensor<int, 1> p = xt::zeros<int>({130});
        for (std::size_t i = 0; i < 130; ++i) p(i) = static_cast<int>(i * 7 % 3);
        return p;
    }();
    static auto const of_row = [](auto const& row, auto const& p) -> xgrad::real { return sin(sum(row * p.w) + p.b); };
    static auto const rows_and_map = [](auto const& p, auto const& u) {
        auto z = xgrad::parallel_map(u, [](auto const& e, auto const& q) { return sin(q.b * e) * q.w(1); }, p);
        return xgrad::parallel_sum(data, of_row, p) + sum(z * z);
    };
    static auto const of_slices = xgrad::data_parallel([](auto const& t, auto const& a, auto const& b) { return sum(log(1.0 + exp(sum(a * t, {1}))) * b); });
    static auto const bump = [](auto const& p, auto const& q, auto const& t, auto const& c) -> xgrad::real { return exp(-c * p * p) * q * t; };
    static auto const mapped = [](auto const& p, auto const& q, auto const& t) {
        auto const e = xgrad::current_executor();
        auto z = xgrad::map(e, bump, each(p), each(q), pick(t, places), xgrad::eval(t(0)));
        return sum(z * z) + sum(xgrad::map(e, bump, each(p), each(q), pick(t, places), 0.7));
    };
    static auto const nested = [](auto const& t) {
        auto outer = [](std::size_t i, auto const& u) {
            return xgrad::parallel_sum(3, [i](std::size_t k, auto const& v) { return sin(v * static_cast<double>(i + k)); }, u);
        };
        return xgrad::parallel_sum(70, outer, t);
    };
    static auto const looped = [](auto const& u) {
        auto step = [](auto const& s, auto const& v) {
            return xgrad::parallel_sum(66, [](std::size_t i, auto const& a, auto const& b) { return sin(a + b(i % 3)) * 0.02; }, s, v);
        };
        return xgrad::iterate(4, step, u(0), u, xgrad::checkpoints(2));
    };
    static auto const throws = [](auto const& t) {
        return xgrad::parallel_sum(100, [](std::size_t i, auto const& u) {
            if (i == 37 || i == 38 || i > 70) throw std::runtime_error(std::to_string(i));
            return u * u;
        }, t);
    };
    // what chunks do not hold side by side
    static vector const wide = xt::linspace(0.1, 1.0, 2000);
    static auto const of_wide = [](auto const& u) {
        auto part = [](std::size_t i, auto const& v) -> xgrad::real { return v(i) * sin(v(1999 - i)); };
        auto z = xgrad::parallel_map(70, [](std::size_t i, auto const& v) { return v(i) * v(7 * i); }, u);
        return xgrad::parallel_sum(70, part, u) + sum(z * z);
    };
    static auto const pool = xgrad::make_gradient_pool(rows_and_map, m, x);
    return {
        {"rows and a map", [] {
             auto const r = xgrad::value_and_gradient(rows_and_map, m, x);
             return xgrad::flattened(std::tuple(r.value, r.gradient));
         }},
        {"slices", [] {
             vector const b = xt::linspace(0.5, 1.5, 150);
             auto const r = xgrad::value_and_gradient(of_slices, m.w, data, xgrad::constant(b));
             return xgrad::flattened(std::tuple(r.value, r.gradient));
         }},
        {"maps", [] {
             auto const r = xgrad::value_and_gradient(mapped, x, y, m.w);
             return xgrad::flattened(std::tuple(r.value, r.gradient));
         }},
        {"many shared numbers", [] {
             auto const r = xgrad::value_and_gradient(of_wide, wide);
             return xgrad::flattened(std::tuple(r.value, r.gradient));
         }},
        {"sums in sums", [] { return xgrad::flattened(xgrad::gradient(nested, 0.4)); }},
        {"sums in loops", [] { return xgrad::flattened(xgrad::gradient(looped, m.w)); }},
        {"second derivatives", [] { return xgrad::flattened(xgrad::hvp(mapped, std::tuple(x, y, m.w), std::tuple(y, x, m.w)).product); }},
        {"pullbacks", [] {
             auto pulled = xgrad::vjp(rows_and_map, m, x);
             auto const first = xgrad::flattened(pulled.pullback(1.0)), second = xgrad::flattened(pulled.pullback(1.0));
             BOOST_TEST((first == second));
             return first;
         }},
        {"values", [] {
             auto const plain = [](auto const& row, auto const& p) { return std::sin(row(0) * p.b); };
             return vector{xgrad::value(rows_and_map, m, x), xgrad::parallel_sum(data, plain, m)};
         }},
        {"exceptions", [] {
             try {
                 xgrad::gradient(throws, 1.0);
             } catch (std::runtime_error const& e) {
                 return vector{std::stod(e.what())};
             }
             return vector{-1.0};
         }},
        {"a pool", [] {
             vector mine, other;
             auto serve = [](vector& to) { pool.call([&](auto const& r) { to = xgrad::flattened(std::tuple(r.value, r.gradient)); }, m, x); };
             std::thread t([&] { serve(other); });
             serve(mine);
             t.join();
             BOOST_TEST((mine == other));
             return mine;
         }},
    };
}

template <xgrad::executor E>
void check_executor(E const& e, int times = repetitions()) {
    static auto const programs = parallel_programs();
    static auto const expected = [] {
        std::vector<vector> all;
        for (auto const& p : programs) all.push_back(p.run());
        return all;
    }();
    BOOST_TEST(e.threads() >= 1u);
    xgrad::use_executor const scope(e);
    std::size_t wrong = 0;
    for (int i = 0; i < times; ++i)
        for (std::size_t k = 0; k < programs.size(); ++k)
            if (programs[k].run() != expected[k] && ++wrong < 5) BOOST_ERROR(programs[k].name << " gives other bits in run " << i);
    BOOST_TEST(wrong == 0u);
    BOOST_TEST((expected[9] == vector{37.0}));
}

}
