// Defines check_executor: that an executor gives the bits of the serial one, and the first exception in the order of the items.
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/parallel/own_threads.hpp>

namespace {

template <xgrad::executor E>
void check_executor(E const& e) {
    vector const x{0.3, 0.7, -0.4};
    auto f = [](auto const& v) {
        return xgrad::parallel_sum(500, [](std::size_t i, auto const& u) -> xgrad::real { return exp(1e-3 * static_cast<double>(i) * u(1)) * u(0) * u(2); }, v);
    };
    auto throws = [](auto const& v) {
        return xgrad::parallel_sum(100, [](std::size_t i, auto const& u) {
            if (i >= 37) throw std::runtime_error(std::to_string(i));
            return u(0) * u(1);
        }, v);
    };
    auto const b = xgrad::value_and_gradient(f, x);
    BOOST_TEST(e.threads() >= 1u);
    xgrad::use_executor const scope(e);
    for (int i = 0; i < 50; ++i) {
        auto const a = xgrad::value_and_gradient(f, x);
        BOOST_TEST(a.value == b.value);
        BOOST_TEST((std::get<0>(a.gradient) == std::get<0>(b.gradient)));
    }
    BOOST_CHECK_EXCEPTION(xgrad::gradient(throws, x), std::runtime_error, [](auto const& error) { return std::string(error.what()) == "37"; });
}

}
