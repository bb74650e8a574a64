// Chains of a million assignments (fewer under the sanitizers) on a small stack.
#include <cmath>
#include <exception>
#include <functional>

#include <pthread.h>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

// Calls f on a thread whose stack is 256 KiB.
void on_a_small_stack(std::function<void()> f) {
    struct work {
        std::function<void()> f;
        std::exception_ptr error;
    } w{std::move(f), nullptr};
    pthread_attr_t attributes;
    BOOST_REQUIRE_EQUAL(pthread_attr_init(&attributes), 0);
    BOOST_REQUIRE_EQUAL(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    pthread_t thread;
    auto run = [](void* p) -> void* {
        auto& mine = *static_cast<work*>(p);
        try {
            mine.f();
        } catch (...) {
            mine.error = std::current_exception();
        }
        return nullptr;
    };
    BOOST_REQUIRE_EQUAL(pthread_create(&thread, &attributes, run, &w), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    if (w.error) std::rethrow_exception(w.error);
}

// Sanitized, a step takes some thirty times as long, and a frame more of the stack.
#ifdef XGRAD_DETAIL_ADDRESS_SANITIZER
constexpr int steps = 100'000;
#else
constexpr int steps = 1'000'000;
#endif

}

BOOST_AUTO_TEST_CASE(a_chain_of_a_million_scalars) {
    // an odd number of times: y / x in the end, and every step counts
    auto f = [](auto const& x, auto const& y) { variable s = x; for (int i = 0; i < steps - 1; ++i) s = y / s; return s; };
    auto scoped = [](auto const& x, auto const& y) -> xgrad::real { variable s = x; for (int i = 0; i < steps - 1; ++i) s = y / s; return s; };
    auto plain = [](double x, double y) { return y / x; };
    on_a_small_stack([&] { agree(f, plain, 0.7, 1.3); });
    on_a_small_stack([&] { agree(scoped, plain, 0.7, 1.3); });
}

BOOST_AUTO_TEST_CASE(a_chain_that_nobody_uses) {
    on_a_small_stack([] {
        agree(
            XGRAD_BOTH_MODES((auto const& x, auto const& y),
                             {
                                 variable s = x;
                                 for (int i = 0; i < steps; ++i) s = s * 0.999999;
                             } return x *
                                 y;),
            [](double x, double y) { return x * y; }, 0.7, 1.3);
    });
}

BOOST_AUTO_TEST_CASE(a_chain_that_an_exception_ends) {
    auto f = [](auto const& x) {
        variable s = x;
        for (int i = 0; i < steps; ++i) {
            s = s * 0.999999;
            if (i == steps - 1) throw std::runtime_error("user");
        }
        return s;
    };
    on_a_small_stack([&] { BOOST_CHECK_THROW(xgrad::gradient(f, 0.7), std::runtime_error); });
}

BOOST_AUTO_TEST_CASE(a_chain_of_numbers_that_belong_to_no_call) {
    on_a_small_stack([] {
        agree(
            [](auto const& x) {
                variable s = 0.0;
                for (int i = 0; i < steps; ++i) s = s + 1.0 / steps;
                return s * x;
            },
            [](double x) {
                double s = 0;
                for (int i = 0; i < steps; ++i) s += 1.0 / steps;
                return s * x;
            },
            0.7);
    });
}

BOOST_AUTO_TEST_CASE(a_chain_of_arrays) {
    using vector = xt::xtensor<double, 1>;
    vector const v{0.1, 0.2, 0.3};
    on_a_small_stack([&] {
        agree([](auto const& x) { variable<vector> s = x; for (int i = 0; i < steps / 10; ++i) s = s * 0.99999 + x * 1e-5; return sum(s * s); },
              [](vector const& x) { vector s = x; for (int i = 0; i < steps / 10; ++i) s = vector(s * 0.99999 + x * 1e-5); return xt::sum(s * s)(); }, v);
    });
}
