// Active values of two gradient calls, or of two threads: refused with a sentence, in every mode, wherever they meet.
#include <optional>
#include <stdexcept>
#include <thread>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

using xgrad::real;
using xgrad::variable;

namespace {

// The derivative of inner(a)(x) at x = 2, in a function of a scoped a.
template <class F>
double derivative_inside(F inner) {
    auto const outer = [&](auto const& a) -> real {
        double const v = std::get<0>(xgrad::gradient(inner(a), 2.0));
        return a * v;
    };
    return std::get<0>(xgrad::gradient(outer, 3.0));
}
template <class F>
void refused(F inner) {
    BOOST_CHECK_THROW(derivative_inside(inner), std::logic_error);
}

}

BOOST_AUTO_TEST_CASE(operands_of_two_calls) {
    refused([](auto const& a) { return [&](auto const& x) -> real { return x * a; }; });
    refused([](auto const& a) { return [&](auto const& x) -> real { return x * exp(a); }; });
    refused([](auto const& a) { return [&](auto const& x) { return x * exp(a); }; });
}

BOOST_AUTO_TEST_CASE(names_of_values_of_the_outer_call_alone) {
    refused([](auto const& a) {
        return [&](auto const& x) -> real {
            auto e = exp(a);
            return x * e;
        };
    });
    refused([](auto const& a) {
        return [&](auto const& x) -> real {
            auto e = 2.0 * a;
            return x * e;
        };
    });
    refused([](auto const& a) {
        return [&](auto const&) -> real {
            auto e = a * a;
            return e;
        };
    });
}

BOOST_AUTO_TEST_CASE(plain_values_meet_nobody) {
    auto const by_primal = [](auto const& a) {
        return [p = xgrad::primal(a)](auto const& x) -> real {
            auto e = exp(x * p);
            return e;
        };
    };
    BOOST_TEST(derivative_inside(by_primal) == 3.0 * std::exp(6.0), boost::test_tools::tolerance(1e-14));
    auto const constant = [](auto const& a) -> real {
        variable<double> v = 2.0;
        auto c = a * v;
        auto d = exp(c);
        return d * v;
    };
    BOOST_TEST(std::get<0>(xgrad::gradient(constant, 0.5)) == 4.0 * std::exp(1.0), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(the_result_of_the_call_before) {
    std::optional<real> kept;
    auto f = [&](auto const& x) -> real {
        if (!kept) kept.emplace(x * x);
        return *kept;
    };
    auto g = xgrad::prepare_gradient(f, 3.0);
    BOOST_CHECK_EQUAL(std::get<0>(g(3.0).gradient), 6.0);
    BOOST_CHECK_THROW(g(3.0), std::logic_error);
}

#ifndef NDEBUG
BOOST_AUTO_TEST_CASE(another_thread) {
    bool caught = false;
    auto const f = [&](auto const& x) {
        auto h = sin(x);
        std::thread([&] {
            try {
                auto k = h * x;
                (void)xgrad::primal(k);
            } catch (std::logic_error const&) {
                caught = true;
            }
        }).join();
        return h;
    };
    BOOST_TEST(std::get<0>(xgrad::gradient(f, 1.0)) == std::cos(1.0), boost::test_tools::tolerance(1e-14));
    BOOST_TEST(caught);
}
#endif
