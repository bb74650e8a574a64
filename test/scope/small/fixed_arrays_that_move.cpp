// Small arrays of fixed shape that are named, copied and moved: of a scoped function they are on the stack.
#include <stdexcept>
#include <utility>
#include <vector>

#include "fixed_arrays.hpp"

BOOST_AUTO_TEST_CASE(of_names_that_move) {
    BOTH(auto y = a * b; auto z = y; auto moved = std::move(z); auto used = y + 1.0; auto also = std::move(used);
         return sum(y * moved * d) + sum(also * also););
    BOTH(auto y = inv(a); auto copy = y; auto z = xgrad::dot(y, a); auto moved = std::move(z); return sum(moved * copy) + sum(xgrad::dot(std::move(y), b)););
    // a helper's own locals are counted where the function is, or say that they are variables
    auto const counted = [](auto const& x, auto const& y) { auto h = x * y; return h + h * x; };
    auto const named = [](auto const& x, auto const& y) { variable h = x * y; return h + h * x; };
    as_of_any_shape([&](auto const& a, auto const& b, auto const& d) { auto y = counted(a, b); return sum(counted(y, y) * d); },
                    [&](auto const& a, auto const& b, auto const& d) -> xgrad::real { auto y = named(a, b); return sum(named(y, y) * d); });
    BOTH(variable y = a * b; variable s = sum(y) * 0.0; for (int i = 0; i < 3; ++i) { y = y * a + d; s = s + sum(y) * y(i, 0); } return s + 0.0;);
    // a vector of the function's own, and conditions, are on the heap
    as_of_any_shape(IN_BOTH_MODES(std::vector<variable<double>> s; for (int i = 0; i < 3; ++i) s.push_back(b(i) * a(i, 1)); auto unused = a * d;
                                  return s[0] * s[1] + s[2] * sum(b);),
                    false);
    as_of_any_shape(IN_BOTH_MODES(return sum(where(a > 0.0, a * b, d * d)) + sum(maximum(a, d));), false);
}
BOOST_AUTO_TEST_CASE(of_names_that_move_into_bigger_expressions) {
    BOTH(auto y = a * b; return sum(std::move(y)););
    BOTH(auto y = a * b; auto copy = y; return sum(std::move(y)) + sum(copy * d););
    BOTH(auto y = a * b; auto s = sum(y * d); auto z = y + 1.0; return sum(std::move(y) * 2.0 - a) * s + sum(std::move(z) * d - b););
    BOTH(auto y = a - b; auto z = -y; auto copy = z; auto w = 2.0 * (std::move(y) + std::move(z) * a); return sum(w * w) + sum(std::move(copy) - d););
    BOTH(auto y = b * b; auto s = sum(y); auto z = y; return sum(a + std::move(y) * 3.0) * s + sum(exp(std::move(z) * 0.1) * a););
    BOTH(auto y = a * b; { auto copy = y; (void)copy; } auto z = std::move(y) * d + 1.0; auto w = std::move(z) - a; return sum(std::move(w) * b););
#ifndef XGRAD_UNCHECKED_SCOPES  // where it may not leave its helper
    // a helper's name, as a temporary
    auto const helper = [](auto const& x) { auto r = x * x + 1.0; { auto copy = r; (void)copy; } return r; };
    as_of_any_shape(
        [&](auto const& a, auto const& b, auto const& d) {
            auto z = helper(a) * d - 1.0;
            return sum(z * helper(b)) + sum(helper(d));
        },
        [&](auto const& a, auto const& b, auto const& d) -> xgrad::real {
            auto z = helper(a) * d - 1.0;
            return sum(z * helper(b)) + sum(helper(d));
        });
#endif
    // unwound, and used again
    double factor = 0.0;
    auto g = xgrad::prepare_gradient(
        [&](auto const& a) -> xgrad::real {
            auto y = a * 3.0;
            {
                auto copy = y;
                (void)copy;
            }
            return sum((std::move(y) - 1.0) * inv(a * factor));
        },
        A);
    BOOST_CHECK_THROW(g(A), std::runtime_error);
    factor = 1.0;
    auto const expected = xgrad::value_and_gradient([](auto const& a) { return sum((a * 3.0 - 1.0) * inv(a)); }, matrix(A));
    BOOST_CHECK(same(g(A).value, expected.value));
    same_elements("after an exception", std::get<0>(g(A).gradient), std::get<0>(expected.gradient));
}
