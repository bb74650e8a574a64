// The same bits on any number of threads, the first exception, memory, and pools of prepared gradients.
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <test/count_allocations.hpp>
#include <test/parallel/model_rows.hpp>
#include <test/parallel/own_threads.hpp>
#include <xgrad/loop.hpp>

BOOST_AUTO_TEST_CASE(the_same_bits_on_any_number_of_threads) {
    std::size_t const n = 1000;
    matrix const data = rows(n);
    model const m{{0.3, -0.2, 0.9}, 0.4};
    auto loss = [&](auto const& p, auto const& s) {
        auto y = xgrad::parallel_map(n, [](std::size_t i, auto const& q, auto const& t) { return sin(q.b * static_cast<double>(i)) * t; }, p, s);
        auto of_row = [](auto const& row, auto const& q, auto const& t) -> xgrad::real { return sin(sum(row * q.w) + q.b) * t; };
        return xgrad::parallel_sum(data, of_row, p, s) + sum(y * y);
    };
    auto const on = [&](std::size_t threads) {
        own_threads const e{threads};
        xgrad::use_executor const scope(e);
        return xgrad::value_and_gradient(loss, m, 1.1);
    };
    auto const first = xgrad::value_and_gradient(loss, m, 1.1);
    for (std::size_t threads : {1u, 2u, 3u, 8u, 64u})
        for (int again = 0; again < 3; ++again) {
            auto const r = on(threads);
            BOOST_TEST(r.value == first.value);
            BOOST_TEST((std::get<0>(r.gradient).w == std::get<0>(first.gradient).w));
            BOOST_TEST(std::get<0>(r.gradient).b == std::get<0>(first.gradient).b);
            BOOST_TEST(std::get<1>(r.gradient) == std::get<1>(first.gradient));
        }
}

BOOST_AUTO_TEST_CASE(the_first_exception_is_thrown_and_nothing_is_left) {
    std::atomic<int> runs = 0;
    auto f = [&](auto const& x) {
        return xgrad::parallel_sum(own_threads{4}, 640, [&](std::size_t i, auto const& y) {
            ++runs;
            if (i == 255 || i == 300 || i == 471) throw std::runtime_error(std::to_string(i));
            return y * y;
        }, x);
    };
    for (int again = 0; again < 20; ++again)
        BOOST_CHECK_EXCEPTION(xgrad::gradient(f, 1.0), std::runtime_error, [](auto const& e) { return std::string(e.what()) == "255"; });
    BOOST_TEST(std::get<0>(xgrad::gradient([](auto const& x) { return x * x; }, 3.0)) == 6.0);
    auto captures = [](auto const& x) { return xgrad::parallel_sum(own_threads{1}, 3, [&](std::size_t, auto const& y) { return y * x; }, x); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(captures, 1.0), std::logic_error, [](auto const& e) { return std::string(e.what()).starts_with("xgrad[E250]"); });
    // a parallel sum in another runs on the thread of that
    auto nested = [](auto const& x) {
        return xgrad::parallel_sum(own_threads{2}, 10, [](std::size_t, auto const& y) {
            auto const mine = std::this_thread::get_id();
            return xgrad::parallel_sum(own_threads{2}, 10, [mine](std::size_t, auto const& z) {
                if (std::this_thread::get_id() != mine) throw std::logic_error("another thread");
                return z * z;
            }, y);
        }, x);
    };
    BOOST_TEST(std::get<0>(xgrad::gradient(nested, 1.5)) == 300.0);
}

BOOST_AUTO_TEST_CASE(a_prepared_sum_allocates_nothing_and_needs_a_gradient_for_each_thread) {
    std::size_t const n = 1000, p = 20000;
    vector const theta = xt::linspace(0.0, 1.0, p);
    auto loss = [&](auto const& t) {
        return xgrad::parallel_sum(n, [](std::size_t i, auto const& u) -> xgrad::real { return u(i) * u(i + 7) * u(p - 1 - i); }, t);
    };
    auto g = xgrad::prepare_gradient(loss, theta);
    auto const first = g(theta);
    {
        std::size_t const before = allocations;
        g(theta);
        BOOST_TEST(allocations == before);
    }
    BOOST_TEST(g.workspace_bytes() < 3 * p * sizeof(double));
    for (std::size_t threads : {2u, 4u, 8u, 64u}) {
        own_threads const e{threads};
        xgrad::use_executor const scope(e);
        auto h = xgrad::prepare_gradient(loss, theta);
        auto const& r = h(theta);
        BOOST_TEST((std::get<0>(r.gradient) == std::get<0>(first.gradient)));
        BOOST_TEST(h.workspace_bytes() < (threads + 2) * p * sizeof(double));
        std::size_t const bytes = h.workspace_bytes();
        for (int again = 0; again < 3; ++again) h(theta);
        BOOST_TEST(h.workspace_bytes() == bytes);
    }
}

BOOST_AUTO_TEST_CASE(a_pool_serves_several_threads_at_once) {
    auto loss = [](auto const& x, auto const& c) { return sum(sin(x) * c); };
    vector const x = xt::linspace(0.0, 1.0, 50), c = xt::linspace(1.0, 2.0, 50);
    auto const pool = xgrad::make_gradient_pool(loss, x, xgrad::constant(c));
    auto const expected = xgrad::value_and_gradient(loss, x, xgrad::constant(c));
    std::atomic<int> wrong = 0;
    auto work = [&] {
        for (int i = 0; i < 200; ++i) {
            if (pool(x, xgrad::constant(c)).value != expected.value) ++wrong;
            pool.call([&](auto const& r) { wrong += std::get<0>(r.gradient) != std::get<0>(expected.gradient); }, x, xgrad::constant(c));
        }
    };
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i) all.emplace_back(work);
    for (auto& t : all) t.join();
    BOOST_TEST(wrong == 0);
    BOOST_TEST((pool.size() >= 1 && pool.size() <= 4));
    pool.release_workspaces();
    BOOST_TEST(pool(x, xgrad::constant(c)).value == expected.value);
}

BOOST_AUTO_TEST_CASE(sums_in_loops_and_beside_each_other) {
    vector const x{0.3, 0.7};
    auto body = [](auto const& s, auto const& u) {
        auto each = [](std::size_t i, auto const& a, auto const& b) { return sin(a + b(0) * static_cast<double>(i)); };
        auto y = xgrad::parallel_map(own_threads{2}, 5, each, s, u);
        return xgrad::parallel_sum(own_threads{2}, y, [](auto const& e, auto const& b) { return e * b(1) * 0.2; }, u);
    };
    auto serial = [](auto const& s, auto const& u) {
        auto y = sin(s + u(0) * xt::arange<double>(5));
        return sum(y) * u(1) * 0.2;
    };
    auto looped = [](auto step) {
        return [step](auto const& u) { return xgrad::iterate(6, step, u(0) * 0.5, u, xgrad::checkpoints(2)); };
    };
    auto const a = xgrad::value_and_gradient(looped(body), x), b = xgrad::value_and_gradient(looped(serial), x);
    BOOST_TEST(gap(a.value, b.value) < tight);
    BOOST_TEST(gap(std::get<0>(a.gradient), std::get<0>(b.gradient)) < tight);
}

BOOST_AUTO_TEST_CASE(blas_has_one_thread_inside_and_its_own_afterwards) {
    if (!openblas_set_num_threads) return;
    int const before = openblas_get_num_threads();
    openblas_set_num_threads(2);
    std::atomic<int> wrong = 0;
    auto f = [&](auto const& x, std::size_t threads) {
        return xgrad::parallel_sum(own_threads{threads}, 10, [&](std::size_t, auto const& y) {
            wrong += openblas_get_num_threads() != 1;
            return y * y;
        }, x);
    };
    for (std::size_t threads : {1u, 2u}) xgrad::gradient([&](auto const& x) { return f(x, threads); }, 1.0);
    BOOST_TEST(wrong == 0);
    BOOST_TEST(openblas_get_num_threads() == 2);
    openblas_set_num_threads(before);
}
