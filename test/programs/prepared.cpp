// Prepared gradients where they could go wrong: called inside themselves, on two threads, after a failed allocation, moved, copied, with other constants; and
// what their memory does.
#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <valarray>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace {
using vector = xt::xtensor<double, 1>;

bool says(std::logic_error const& e, char const* id) { return std::string(e.what()).find(id) != std::string::npos; }
auto const says_second = [](std::logic_error const& e) { return says(e, "E222"); };
auto const says_moved = [](std::logic_error const& e) { return says(e, "E212"); };
auto const says_kept = [](std::logic_error const& e) { return says(e, "E213"); };
}

BOOST_AUTO_TEST_CASE(a_call_inside_itself_is_refused) {
    std::function<double(double)> again;
    auto g = prepare_gradient([&](auto const& x) { auto y = x * x; return y * (again ? again(2.0) : 1.0); }, 3.0);
    again = [&](double x) { return g(x).value; };
    BOOST_CHECK_EXCEPTION(g(3.0), std::logic_error, says_second);
    again = nullptr;
    BOOST_TEST(g(3.0).value == 9.0);
    BOOST_TEST(std::get<0>(g(3.0).gradient) == 6.0);
}

BOOST_AUTO_TEST_CASE(a_call_on_another_thread_is_refused_while_one_runs) {
    std::atomic<int> stage = 0;
    auto g = prepare_gradient(
        [&](auto const& x) {
            if (stage == 0) {
                stage = 1;
                while (stage == 1) std::this_thread::yield();
            }
            return x * x;
        },
        3.0);
    std::thread first([&] { BOOST_TEST(g(3.0).value == 9.0); });
    while (stage == 0) std::this_thread::yield();
    bool refused = false;
    try {
        g(2.0);
    } catch (std::logic_error const& e) { refused = says_second(e); }
    stage = 2;
    first.join();
    BOOST_TEST(refused);
    BOOST_TEST(g(2.0).value == 4.0);
}

BOOST_AUTO_TEST_CASE(moved_and_copied) {
    auto g = prepare_gradient([](auto const& x) { return sum(x * x); }, vector{1, 2});
    BOOST_TEST(g(vector{1, 2}).value == 5.0);
    auto h = std::move(g);
    BOOST_TEST(h(vector{1, 3}).value == 10.0);
    BOOST_CHECK_EXCEPTION(g(vector{1, 2}), std::logic_error, says_moved);
    BOOST_TEST(g.workspace_bytes() == 0u);
    auto copy = h;
    BOOST_TEST(&copy(vector{1, 2}) != &h(vector{1, 3}));
    BOOST_TEST(copy(vector{1, 2}).value == 5.0);
    g = std::move(copy);
    BOOST_TEST(std::get<0>(g(vector{1, 2}).gradient) == (vector{2, 4}));
    std::function<double(vector const&)> const f = [h](vector const& x) mutable { return h(x).value; };
    BOOST_TEST(f(vector{1, 2}) == 5.0);
}

BOOST_AUTO_TEST_CASE(constants_however_they_are_spelled) {
    auto const f = [](auto const& x, auto const& k) { return sum(x * k); };
    vector const x{1, 2}, named{3, 4};
    vector changeable{5, 6};
    auto by_temporary = prepare_gradient(f, x, constant(vector{1, 1}));
    auto by_name = prepare_gradient(f, x, constant(named));
    auto by_changeable = prepare_gradient(f, x, constant(changeable));
    auto const check = [&](auto& g) {
        BOOST_TEST(g(x, constant(named)).value == 11.0);
        BOOST_TEST(g(x, constant(changeable)).value == 17.0);
        BOOST_TEST(g(x, constant(vector{1, 1})).value == 3.0);
        BOOST_TEST(std::get<0>(g(x, constant(std::as_const(changeable))).gradient) == changeable);
    };
    check(by_temporary);
    check(by_name);
    check(by_changeable);
}

BOOST_AUTO_TEST_CASE(arguments_that_are_kept_outside) {
    std::optional<variable<vector>> kept;
    vector x{1, 2};
    BOOST_CHECK_EXCEPTION(gradient([&](auto const& a) { kept = a; return sum(a * a); }, x), std::logic_error, says_kept);
    kept.reset();
    auto const [dx] = gradient([](auto const& a) { return sum(a * a); }, x);
    BOOST_TEST(dx == (vector{2, 4}));
}

#if !defined(NDEBUG) && !defined(XGRAD_DETAIL_ADDRESS_SANITIZER)
// A number's handle counts nothing: a debug build knows of which call it is. The address sanitizer finds by itself that its slot is gone.
BOOST_AUTO_TEST_CASE(handles_that_are_kept_outside) {
    auto const keeps = [](auto const& x) {
        static auto const first = x;
        return x * first;
    };
    auto g = xgrad::prepare_gradient(keeps, 1.0);
    BOOST_TEST(g(3.0).value == 9.0);
    BOOST_CHECK_EXCEPTION(g(5.0), std::logic_error, says_kept);
    auto const keeps_another = [](auto const& x) {
        static auto const first = x;
        return x * first;
    };
    BOOST_TEST(xgrad::value_and_gradient(keeps_another, 3.0).value == 9.0);
    BOOST_CHECK_EXCEPTION(xgrad::value_and_gradient(keeps_another, 5.0), std::logic_error, says_kept);
}
#endif

BOOST_AUTO_TEST_CASE(variables_that_have_no_array_yet) {
    std::vector<variable<vector>> states(2);
    auto copies = states;
    BOOST_CHECK_EXCEPTION(sum(copies[0]), std::logic_error, says_moved);
    auto const [dx] = gradient(
        [](auto const& a) {
            std::vector<variable<vector>> s(2);
            auto t = s;
            t[0] = a * 2.0;
            s = t;
            return sum(s[0] * a);
        },
        vector{1, 2});
    BOOST_TEST(dx == (vector{4, 8}));
}

BOOST_AUTO_TEST_CASE(variables_of_another_thread_are_read) {
    variable<double> const half = 0.5;
    variable<vector> const line = vector{1, 2};
    std::atomic<int> wrong = 0;
    auto const work = [&] {
        for (int i = 0; i < 200; ++i) {
            auto const [d] = gradient(
                [&](auto const& x) {
                    variable<double> s = x;
                    for (int k = 0; k < 30; ++k) s = s * half + x;
                    auto const copy = half;
                    return s + copy + sum(line * x) + line(1);
                },
                0.1);
            wrong += std::abs(d - 5.0) > 1e-6;
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(work);
    work();
    for (auto& t : threads) t.join();
    BOOST_TEST(wrong == 0);
    BOOST_TEST(primal(half) == 0.5);
}

BOOST_AUTO_TEST_CASE(memory_that_is_not_needed_is_given_back) {
    // a sum that is not the result needs all of y
    auto g = prepare_gradient([](auto const& x) { auto y = exp(x); auto s = sum(y); return sum(y * y) + 0.0 * s; }, vector{1});
    vector const big = xt::zeros<double>({200000}), small{1, 2};
    g(small);
    auto const little = g.workspace_bytes();
    g(big);
    BOOST_TEST(g.workspace_bytes() > 1600000u);
    for (int i = 0; i < 300; ++i) g(small);
    BOOST_TEST(g.workspace_bytes() <= little + 20000);
    BOOST_TEST(g(big).value == 200000.0);
    g.release_workspace();
    BOOST_TEST(g.workspace_bytes() == 0u);
    BOOST_TEST(g(small).value == std::exp(2.0) + std::exp(4.0), boost::test_tools::tolerance(1e-14));
    // those of the thread, outside of a call and inside
    BOOST_TEST(std::get<0>(gradient([](auto const& x) { auto y = x * x; release_workspaces(); return sum(y); }, small)) == (vector{2, 4}));
    release_workspaces();
    BOOST_TEST(std::get<0>(gradient([](auto const& x) { auto y = x * x; return sum(y); }, small)) == (vector{2, 4}));
}
