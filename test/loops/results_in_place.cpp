// What a body gives, computed where the next state is and pulled from where its cotangent lies: by every kind of root, beside the same loop written with
// variables.
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/loops/compare.hpp>
#include <test/ruleset/linalg/blas_calls.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

namespace {

constexpr std::size_t size = 7, steps = 5;
vector const start = xt::linspace(0.1, 0.9, size);
matrix const mixing = 0.5 * xt::eye<double>(size) + 0.1 * xt::ones<double>({size, size});

// body(u, a) keeps the shape of u.
template <class B, class U>
void agrees(B const& body, U const& u) {
    auto const by_hand = [&](auto const& u0, auto const& a) {
        xgrad::variable v = u0;
        for (std::size_t i = 0; i < steps; ++i) v = body(v, a);
        return sum(v * v);
    };
    auto const expected = xgrad::value_and_gradient(by_hand, u, mixing);
    auto const check = [&](auto policy) {
        auto g = xgrad::prepare_gradient([&](auto const& u0, auto const& a) { return sum(square(xgrad::iterate(steps, body, u0, a, policy))); }, u, mixing);
        for (int again = 0; again < 2; ++again) {
            auto const& found = g(u, mixing);
            BOOST_TEST(gap(found.value, expected.value) <= tight * (1 + std::abs(expected.value)));
            BOOST_TEST(gap(found.gradient, expected.gradient) <= tight * (1 + std::abs(expected.value)));
        }
    };
    check(xgrad::keep_states());
    check(xgrad::checkpoints(2));
}

}  // namespace

BOOST_AUTO_TEST_CASE(expressions) {
    agrees([](auto const& u, auto const& a) { return u + 0.1 * u * a(0, 1); }, start);  // linear: its value is not read
    agrees([](auto const& u, auto const& a) { return tanh(u * u + view(a, 2, xt::all())); }, start);
    agrees([](auto const& u, auto const& a) { return sin(a) / (1.0 + u * u); }, mixing);
}

BOOST_AUTO_TEST_CASE(operations_on_arrays) {
    agrees([](auto const& u, auto const& a) { return dot(a, u); }, start);
    agrees([](auto const& u, auto const& a) { return solve(a, u); }, start);
    agrees([](auto const& u, auto const& a) { return transpose(u * a); }, mixing);
    agrees([](auto const& u, auto const& a) { return roll(u * a(1, 1), 2); }, start);
}

// Their parts are computed in their places, with values that are read, and with values that are not.
BOOST_AUTO_TEST_CASE(arrays_beside_each_other) {
    agrees(
        [](auto const& u, auto const& a) {
            return concatenate(xt::xtuple(view(u, xt::range(0, 2)), exp(-view(u, xt::range(2, 5))) * a(0, 0), view(u, xt::range(5, 7))));
        },
        start);
    agrees(
        [](auto const& u, auto const& a) {
            auto inside = view(u, xt::range(1, 6)) + 0.1 * (view(u, xt::range(2, 7)) - view(u, xt::range(0, 5))) * a(0, 0);
            return concatenate(xt::xtuple(view(u, xt::range(0, 1)), std::move(inside), view(u, xt::range(6, 7))));
        },
        start);
}

BOOST_AUTO_TEST_CASE(several_parts_and_names) {
    auto const f = [](auto const& u, auto const& a) {
        auto const r = xgrad::iterate(
            steps,
            [](auto const& s, auto const& b) {
                auto const& [v, w] = s;
                auto p = v * w;
                return std::tuple(sin(p) + v, dot(b, p));
            },
            std::tuple(u, u), a, xgrad::keep_states());
        return sum(std::get<0>(r) * std::get<1>(r));
    };
    auto const by_hand = [](auto const& u, auto const& a) {
        xgrad::variable v = u, w = u;
        for (std::size_t i = 0; i < steps; ++i) {
            auto p = v * w;
            xgrad::variable next = sin(p) + v;
            w = dot(a, p);
            v = next;
        }
        return sum(v * w);
    };
    auto const found = xgrad::value_and_gradient(f, start, mixing), expected = xgrad::value_and_gradient(by_hand, start, mixing);
    BOOST_TEST(gap(found.value, expected.value) <= tight * std::abs(expected.value));
    BOOST_TEST(gap(found.gradient, expected.gradient) <= 1e-12 * std::abs(expected.value));
}

// A product that is given is computed forward, and once backward for the state: not again where a step is replayed.
BOOST_AUTO_TEST_CASE(a_replayed_product_is_left_out) {
    constexpr std::size_t n = 60;
    matrix const a = xt::eye<double>(n) + 0.01 * xt::ones<double>({n, n});
    vector const u = xt::linspace(0.1, 0.9, n);
    auto g = xgrad::prepare_gradient(
        [](auto const& v, auto const& b) {
            return sum(square(xgrad::iterate(steps, [](auto const& w, auto const& c) { return dot(c, w); }, v, b, xgrad::keep_states())));
        },
        u, a);
    g(u, a);
    auto const calls = xgrad::test::blas_calls_of([&] { g(u, a); });
    long const once_more = xgrad::detail::compares_replays;  // where replays are compared
    if (xgrad::test::counts_blas_calls) BOOST_TEST(calls.gemv == (2 + once_more) * static_cast<long>(steps));
}

BOOST_AUTO_TEST_CASE(shapes_that_change) {
    auto const shorter = [](auto const& u) { return view(u, xt::range(0, 3)) * 2.0; };
    BOOST_CHECK_EXCEPTION(xgrad::gradient([&](auto const& u) { return sum(xgrad::iterate(2, shorter, u, xgrad::keep_states())); }, start),
                          std::invalid_argument, says("xgrad[E251]"));
    auto const joined = [](auto const& u) { return concatenate(xt::xtuple(u, u)); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient([&](auto const& u) { return sum(xgrad::iterate(2, joined, u, xgrad::keep_states())); }, start),
                          std::invalid_argument, says("xgrad[E251]"));
}
