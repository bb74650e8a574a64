// What is stored where: states on disk, states that are stored while nobody knows the end; what explain says of a loop, and what a loop says on its way.
#include <cmath>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>

#include <test/count_allocations.hpp>
#include <test/ends.hpp>
#include <xgrad/explain.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
auto const step = [](auto const& s, auto const& w) { return sin(s) * w + 0.1 * s; };
std::size_t files_in(std::filesystem::path const& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}

BOOST_AUTO_TEST_CASE(states_on_disk) {
    auto const folder = std::filesystem::temp_directory_path() / ("xgrad-test-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    auto with = [&](auto... policy) { return [=](auto const& u, auto const& w) { return sum(xgrad::iterate(30, step, u, w, policy...)); }; };
    vector const u = xt::linspace(0.1, 0.9, 40);
    auto const expected = xgrad::value_and_gradient(with(), u, 0.9);
    auto check = [&](auto const& policy) {
        auto const found = xgrad::value_and_gradient(with(policy), u, 0.9);
        BOOST_TEST((std::get<0>(found.gradient) == std::get<0>(expected.gradient)));
        BOOST_TEST(files_in(folder) == 0u);
    };
    check(xgrad::on_disk(folder.string()));
    check(xgrad::on_disk(folder.string(), xgrad::checkpoints(4)));
    check(xgrad::on_disk(folder.string(), xgrad::checkpoints(7), xgrad::memory_budget{3 * 320}));
    check(xgrad::on_disk(folder.string(), xgrad::keep_states(), xgrad::memory_budget{1 << 20}));
    auto says = [](std::runtime_error const& e) { return std::string(e.what()).find("xgrad[E255]: on_disk(path, policy)") == 0; };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(with(xgrad::on_disk("/nowhere/at/all")), u, 0.9), std::runtime_error, says);
    // a full disk, and a body that throws
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit all{}, few{};
    getrlimit(RLIMIT_FSIZE, &all);
    few = all;
    few.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &few);
    BOOST_CHECK_EXCEPTION(xgrad::gradient(with(xgrad::on_disk(folder.string())), u, 0.9), std::runtime_error, says);
    setrlimit(RLIMIT_FSIZE, &all);
    int left = 20;
    auto throws = [&](auto const& x) {
        auto body = [&](auto const& s) {
            if (--left == 0) throw std::domain_error("step");
            return sin(s);
        };
        return sum(xgrad::iterate(30, body, x, xgrad::on_disk(folder.string())));
    };
    BOOST_CHECK_THROW(xgrad::gradient(throws, u), std::domain_error);
    BOOST_TEST(files_in(folder) == 0u);
    std::filesystem::remove_all(folder);
}

// Steps run forward once on the way; what runs again is compared with what is needed where the end is known from the start.
BOOST_AUTO_TEST_CASE(states_on_the_way) {
    std::size_t runs = 0, most = 0;
    auto gradient = [&](std::size_t n, auto policy) {
        runs = 0;
        auto f = [&](auto const& x) {
            auto body = [&](auto const& s) { ++runs; return std::tuple(std::get<0>(s) * 1.01 + 0.1 * sin(std::get<0>(s)), std::get<1>(s) + 1); };
            return std::get<0>(xgrad::while_loop([n](auto const& s) { return std::get<1>(s) < n; }, body, std::tuple(x, std::size_t(0)), policy));
        };
        return std::get<0>(xgrad::gradient(f, 0.5));
    };
    auto by_hand = [](std::size_t n) {
        double s = 0.5, slope = 1;
        for (std::size_t i = 0; i < n; ++i) {
            slope *= 1.01 + 0.1 * std::cos(s);
            s = s * 1.01 + 0.1 * std::sin(s);
        }
        return slope;
    };
    auto close = [&](double found, std::size_t n) { return std::abs(found / by_hand(n) - 1) < 1e-10; };
    for (std::size_t n : {0u, 1u, 2u, 3u, 10u, 33u, 100u}) {
        BOOST_TEST(close(gradient(n, xgrad::keep_states()), n));
        BOOST_TEST(runs == 2 * n);
        BOOST_TEST(close(gradient(n, xgrad::every(4)), n));
        BOOST_TEST(runs <= 3 * n);
        for (std::size_t c : {1u, 2u, 3u, 8u, 50u}) {
            BOOST_TEST(close(gradient(n, xgrad::checkpoints(c)), n));
            if (n > 1 && c > 1) most = std::max(most, 100 * (runs - n) / xgrad::forward_steps(n, c));
        }
    }
    BOOST_TEST(most <= 200u);
    BOOST_TEST_MESSAGE("steps forward, in percent of those with a known end, at most: " << most);
}

BOOST_AUTO_TEST_CASE(what_explain_says) {
    auto f = [](auto const& x) { return sum(xgrad::iterate(100, [](auto const& s) { return sin(s); }, x, xgrad::checkpoints(10))); };
    auto const said = xgrad::explain(f, vector{0.1, 0.2});
    std::string const text = said.text();
    std::size_t const again = xgrad::forward_steps(100, 10) - 99;
    BOOST_TEST_MESSAGE(text);
    BOOST_TEST(text.find("iterate(n, body, init, params...)    [100 steps; checkpoints: 10 states of 16 bytes; in the reverse pass " + std::to_string(again) +
                         " steps forward and 100 back") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_a_loop_says_on_its_way) {
    std::vector<std::size_t> seen;
    auto show = xgrad::on_progress(10, [&](xgrad::loop_progress p) {
        BOOST_TEST(p.of == 25u);
        seen.push_back(p.done + (p.backward ? 100 : 0));
    });
    auto f = [&](auto const& x) { return xgrad::iterate(25, [](auto const& s) { return sin(s); }, x, xgrad::checkpoints(3), show); };
    (void)xgrad::gradient(f, 0.5);
    BOOST_TEST((seen == std::vector<std::size_t>{10, 20, 110, 120}));
}

// All that a prepared gradient takes from the heap. It depends on the number of states, not on that of steps.
BOOST_AUTO_TEST_CASE(what_memory_checkpoints_take) {
    auto taken = [](auto const& f, auto const&... x) {
        xgrad::release_workspaces();
        std::size_t const before = allocated_bytes;
        auto g = xgrad::prepare_gradient(f, x...);
        (void)g(x...);
        return allocated_bytes - before;
    };
    std::size_t n = 1;
    auto logistic = [&n](auto const& x, auto const& r) {
        auto body = [](auto const& s, auto const& q) -> xgrad::real { return q * s * (1.0 - s); };
        return xgrad::iterate(n, body, x, r, xgrad::checkpoints(100));
    };
    std::size_t const one = taken(logistic, 0.3, 2.9);
    for (n = 1000; n <= 10000; n *= 10) BOOST_TEST(taken(logistic, 0.3, 2.9) <= one + 4096);
    // Burgers' equation for 1000 points
    auto burgers = [&n](auto const& x) {
        auto body = [](auto const& u) {
            auto const l = view(u, xt::range(0, 998)), c = view(u, xt::range(1, 999)), r = view(u, xt::range(2, 1000));
            auto inside = c + 0.1 * (r - 2.0 * c + l) - 0.05 * c * (r - l);
            return concatenate(xt::xtuple(view(u, xt::range(0, 1)), std::move(inside), view(u, xt::range(999, 1000))));
        };
        auto const u = xgrad::iterate(n, body, x, xgrad::checkpoints(50));
        return sum(u * u);
    };
    n = 200;
    std::size_t const all = taken(burgers, vector(xt::linspace<double>(0.0, 1.0, 1000)));
    BOOST_TEST_MESSAGE("Burgers' equation with 50 states of 8000 bytes: " << all << " bytes; one step of the logistic map: " << one);
    BOOST_TEST(all <= 1'000'000u);
}

#ifndef NDEBUG
BOOST_AUTO_TEST_CASE(a_body_that_does_something_else_when_it_runs_again) {
    int calls = 0;
    auto counts = [&](auto const& x) {
        auto body = [&](auto const& s) { return sin(s) * static_cast<double>(++calls); };
        return xgrad::iterate(5, body, x, xgrad::checkpoints(2));
    };
    BOOST_CHECK(ends("xgrad[E252]: iterate(n, body, init, params...) requires a body that does the same when it is run once more, but it has", counts, 0.3));
    auto throws = [&](auto const& x) {
        auto body = [&](auto const& s) {
            if (++calls > 5) throw std::runtime_error("sixth call");
            return sin(s);
        };
        return xgrad::iterate(5, body, x);
    };
    BOOST_CHECK(ends("but it has thrown an exception there (sixth call)", throws, 0.3));
}
#endif
