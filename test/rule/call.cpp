// call(f, x...): rules of one's own among other active values.
#include "../programs/against_differences.hpp"
#include "rules.hpp"

#include <xgrad/linalg.hpp>

using namespace rules;
using xgrad::call;

namespace {

vector const v{0.3, -0.7, 1.1}, w{1.2, 0.4, -0.5};

// By every verb, against differences of the value.
template <class F, class... X>
void against_differences(F const& f, X const&... x) {
    programs::agree(f, [&](auto const&... plain) { return xgrad::value(f, plain...); }, x...);
}

}

BOOST_AUTO_TEST_CASE(numbers_and_arrays) {
    against_differences([](auto const& a, auto const& x) { return sum(call(scaled{}, a, x) * x); }, 1.5, v);
    // expressions, names used before and after, a result used twice and in part
    against_differences(
        [](auto const& a, auto const& x) {
            auto h = sin(x) * a;
            auto y = call(scaled{}, a * a, h);
            auto z = y * h;
            return sum(z) + sum(view(y, xt::range(0, 2))) + y(2) * a;
        },
        1.5, v);
    auto declared = [](auto const& a, auto const& x) -> xgrad::real {
        auto b = exp(a);
        auto y = call(scaled{}, b, x);
        return sum(y * y) * b;
    };
    against_differences(declared, 0.5, v);
    BOOST_TEST(xgrad::value(declared, 0.5, v) == std::exp(1.5) * xt::sum(v * v)(), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(views_and_plain_operands) {
    xt::xtensor<double, 2> const m{{1, 2, 3}, {4, 5, 6}};
    against_differences([](auto const& x) { return sum(square(call(scaled{}, x(0, 1), view(transpose(x), xt::all(), 1)))); }, m);
    against_differences([](auto const& x) { return sum(square(call(scaled{}, 2.0, x))); }, v);
    against_differences([](auto const& a) { return sum(square(call(scaled{}, a, v))); }, 2.0);
    against_differences([](auto const& x, auto const& k) { return sum(square(call(scaled{}, k, x))); }, v, xgrad::constant(3.0));
}

BOOST_AUTO_TEST_CASE(a_result_that_is_not_used_pulls_nothing) {
    against_differences(
        [](auto const& a, auto const& x) {
            auto unused = call(scaled{}, sqrt(a), x);
            (void)unused;
            return sum(x) * a;
        },
        1.0, v);
}

BOOST_AUTO_TEST_CASE(structs) {
    line const l{0.8, v, 3};
    against_differences(
        [](auto const& p, auto const& c) {
            auto [q, value] = call(steeper{}, p, c * 2.0);
            static_assert(std::is_same_v<decltype(q.slope), xgrad::variable<double>>);
            return sum(q.offsets * q.slope) * value * q.count;
        },
        l, 1.1);
    // one part of the result alone
    against_differences([](auto const& p, auto const& c) { return std::get<1>(call(steeper{}, p, c)); }, l, 1.1);
    against_differences([](auto const& p, auto const& c) { return sum(std::get<0>(call(steeper{}, p, c)).offsets); }, l, 1.1);
}

BOOST_AUTO_TEST_CASE(results_of_any_number_of_parts) {
    auto f = [](auto const& x) {
        xgrad::variable s = sum(x);
        for (auto const& y : call(positive_elements{}, x * 2.0)) s += y * y;
        return s * 1.0;
    };
    against_differences(f, v);
    against_differences(f, vector{-1.0, -2.0});
    against_differences(f, vector{1.0, 2.0});
}

BOOST_AUTO_TEST_CASE(a_changed_operand_is_changed_for_the_rule_alone) {
    auto f = [](auto const& x, auto const& y, auto const& z) {
        auto s = x * 2.0;
        auto a = call(multiply_in_place{}, x, y, z, s);
        return a * sum(z * s) + a;
    };
    against_differences(f, v, w, vector(v * w));
}

BOOST_AUTO_TEST_CASE(the_same_operand_twice) {
    vector s{0};
    vector z = v, y = w;
    double const plain = multiply_in_place{}(z, y, z, s);
    auto f = [](auto const& x, auto const& k) {
        auto h = x * 1.0;
        return call(multiply_in_place{}, h, k, h, xt::xtensor<double, 1>{0.0});
    };
    BOOST_TEST(xgrad::value(f, v, w) == plain);
    against_differences(f, v, w);
}

BOOST_AUTO_TEST_CASE(scalar_operations) {
    against_differences([](auto const& x) { return sum(call(xgrad::op::tanh{}, x * 2.0)); }, v);
    against_differences([](auto const& a, auto const& b) { return call(xgrad::op::pow{}, a, b); }, 1.3, 0.7);
}

BOOST_AUTO_TEST_CASE(without_active_operands_it_is_the_call) {
    BOOST_TEST(call(scaled{}, 2.0, v) == vector(2.0 * v));
    static_assert(std::is_same_v<decltype(call(scaled{}, 2.0, v)), vector>);
    // nor is there anything to differentiate in a count
    against_differences(
        [](auto const& x) {
            int const n = call(count_positive{}, x);
            return sum(x) * n;
        },
        v);
}

BOOST_AUTO_TEST_CASE(what_the_rule_throws) {
    vector const thirteen = xt::ones<double>({13});
    auto f = [](auto const& x) {
        auto h = x * 2.0;
        return sum(call(scaled{}, h(0), h));
    };
    BOOST_CHECK_THROW(xgrad::gradient(f, thirteen), std::domain_error);
    // caught inside, everything else stays right
    against_differences(
        [](auto const& x) {
            auto h = sin(x);
            try {
                return xgrad::variable(sum(call(scaled{}, h(0), h)));
            } catch (std::domain_error const&) {
                return xgrad::variable(sum(h));
            }
        },
        thirteen);
}

// The verbs use the rule of a function that has one.
BOOST_AUTO_TEST_CASE(at_the_door) {
    vector const z{1, 1, 2}, s{0, 0, 0};
    auto const [value, gradient] = xgrad::value_and_gradient(multiply_in_place{}, v, w, z, xgrad::constant(s));
    BOOST_TEST(value == xt::sum(v * w * z)(), boost::test_tools::tolerance(1e-15));
    BOOST_TEST(std::get<2>(gradient) == vector(v * w));
    auto prepared = xgrad::prepare_gradient(multiply_in_place{}, v, w, z, s);
    BOOST_TEST(std::get<0>(prepared(v, w, z, s).gradient) == vector(z * w));
}

BOOST_AUTO_TEST_CASE(in_a_loop) {
    against_differences(
        [](auto const& a, auto const& x) {
            xgrad::variable y = x * 1.0;
            for (int i = 0; i < 5; ++i) y = call(scaled{}, a, y) + x;
            return sum(y);
        },
        0.9, v);
}
