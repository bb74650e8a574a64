// What argument<P, M, L> owes a call (scope/arguments/bind_context.hpp): bind, handle, finish and rearm, on a call of the test's own.
#include <boost/test/unit_test.hpp>

#include <array>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace {

using vector = xt::xtensor<double, 1>;

// A call that goes backward; sum of squares of every number in an argument is its function.
template <class P>
struct test_call {
    context call;
    argument<P, counted> a;

    void bind(P const& x, tangent_type_t<P>* dx, gradient_memory memory) {
        call.begin(true);
        a.bind(x, dx, bind_context{.call = call, .memory = memory, .objects = nullptr});
    }
    template <class F>
    void pull(F f) {
        auto const h = a.handle();
        auto y = f(h);
        (void)y.deliver(1.0, true);
    }
};

// The gradient of f at x in own memory; twice, by rearm, and added to what the caller has.
template <class P, class F>
void check(P const& x, F f, tangent_type_t<P> const& expected) {
    test_call<P> c;
    tangent_type_t<P> dx{};
    c.bind(x, &dx, gradient_memory::own);
    c.pull(f);
    c.a.finish(&dx, gradient_memory::own);
    BOOST_TEST((dx == expected));
    c.a.rearm();
    c.pull(f);
    c.a.finish(&dx, gradient_memory::own);
    BOOST_TEST((dx == expected));

    tangent_type_t<P> total = zero_tangent(x);
    for (int i = 0; i < 2; ++i) {
        c.bind(x, &total, gradient_memory::add);
        c.pull(f);
        c.a.finish(&total, gradient_memory::add);
    }
    tangent_type_t<P> twice = expected;
    accumulate(twice, expected);
    BOOST_TEST((total == twice));
    BOOST_TEST(c.call.live == 0u);
}

}

BOOST_AUTO_TEST_CASE(numbers) {
    check(3.0, [](auto const& x) { return x * x; }, 6.0);
}

BOOST_AUTO_TEST_CASE(arrays) {
    check(vector{1, 2}, [](auto const& x) { return sum(x * x); }, vector{2, 4});
    check(vector::from_shape({0}), [](auto const& x) { return sum(x * x); }, vector::from_shape({0}));
}

BOOST_AUTO_TEST_CASE(tuples_and_optionals) {
    using pair = std::tuple<double, vector>;
    check(pair{3, {1, 2}}, [](auto const& x) { return std::get<0>(x) * sum(std::get<1>(x)); }, pair{3, {3, 3}});
    check(std::array<double, 2>{1, 2}, [](auto const& x) { return x[0] * x[1]; }, {2, 1});
    check(std::optional<double>{2}, [](auto const& x) { return *x * *x; }, 4.0);
}

BOOST_AUTO_TEST_CASE(sequences) {
    check(std::vector<double>{1, 2, 3}, [](auto const& x) { return x[0] * x[2]; }, {3, 0, 1});
    check(std::vector<vector>{{1, 2}, {3}}, [](auto const& x) { return sum(x[0]) * x[1](0); }, {{3, 3}, {3}});
}

BOOST_AUTO_TEST_CASE(gradients_of_another_form_are_refused_and_kept) {
    test_call<vector> c;
    vector dx{1, 2, 3};
    BOOST_CHECK_THROW(c.bind(vector{1, 2}, &dx, gradient_memory::add), std::invalid_argument);
    BOOST_TEST((dx == vector{1, 2, 3}));
    test_call<std::vector<double>> s;
    std::vector<double> ds{1};
    BOOST_CHECK_THROW(s.bind({1, 2}, &ds, gradient_memory::add), std::invalid_argument);
    BOOST_TEST(ds == std::vector<double>{1}, boost::test_tools::per_element());
}
