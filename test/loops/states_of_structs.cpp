// A struct as a state that is made of active and plain parts: variables<S>(parts...).
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <boost/test/unit_test.hpp>
#include <xgrad/hessian.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

namespace struct_states {
using vector = xt::xtensor<double, 1>;
struct flow {
    vector z;
    double cost;
    int steps;
};
struct weather {
    flow inner;
    float scale;
};
XGRAD_REFLECT(flow, z, cost, steps)
XGRAD_REFLECT(weather, inner, scale)

constexpr auto step = [](auto const& s, auto const& k) {
    auto f = tanh(k * s.z);
    return std::tuple(s.z + 0.1 * f, s.cost + sum(f * f), s.steps + 1);
};
constexpr auto by_struct = [](auto const& z0, auto const& k) {
    auto const end = xgrad::iterate(5, step, xgrad::variables<flow>(2.0 * z0, 0, 0), k);
    return sum(end.z * end.z) + end.cost * end.steps;
};

BOOST_AUTO_TEST_CASE(a_struct_of_active_and_plain_parts_is_a_state) {
    vector const z{0.3, -0.7, 1.1};
    auto const of_k = [&z](auto const& k) { return by_struct(z, k); };
    auto const [y, g] = xgrad::value_and_gradient(by_struct, z, 0.4);
    double const e = 1e-5;
    auto const value = [](vector const& at, double k) { return xgrad::value(by_struct, at, k); };
    BOOST_TEST(value(z, 0.4) == y);
    for (std::size_t i = 0; i < z.size(); ++i) {
        vector up = z, down = z;
        up(i) += e;
        down(i) -= e;
        BOOST_TEST(std::abs(std::get<0>(g)(i) - (value(up, 0.4) - value(down, 0.4)) / (2.0 * e)) < 1e-7);
    }
    double const slope = std::get<1>(g), above = value(z, 0.4 + e), below = value(z, 0.4 - e);
    BOOST_TEST(std::abs(slope - (above - below) / (2.0 * e)) < 1e-7);
    auto const [same, forward] = xgrad::jvp(of_k, 0.4, 1.0);
    BOOST_TEST(same == y);
    BOOST_TEST(std::abs(forward - slope) < 1e-12 * std::abs(slope));
    BOOST_TEST(std::abs(xgrad::hessian(of_k, 0.4) - (above - 2.0 * y + below) / (e * e)) < 1e-3);
}

BOOST_AUTO_TEST_CASE(a_struct_in_it_is_given_as_one) {
    auto const f = [](auto const& z0, auto const& k) {
        auto state = xgrad::variables<weather>(xgrad::variables<flow>(z0, k * k, 3), 2.0f);
        state.inner.cost += k;
        auto const grow = [](auto const& s) { return std::tuple(std::tuple(1.5 * s.inner.z, s.inner.cost * s.scale, s.inner.steps), s.scale); };
        auto const end = xgrad::iterate(3, grow, state);
        return sum(end.inner.z) + end.inner.cost * end.inner.steps;
    };
    auto const [gz, gk] = xgrad::gradient(f, vector{1.0, 2.0}, 0.5);
    BOOST_TEST(gz(0) == 3.375);
    BOOST_TEST(gz(1) == 3.375);
    BOOST_TEST(std::abs(gk - 3.0 * 8.0 * 2.0) < 1e-12);
}

BOOST_AUTO_TEST_CASE(plain_parts_make_the_struct) {
    auto const s = xgrad::variables<flow>(vector{1.0}, 2.0, 3);
    static_assert(std::is_same_v<decltype(s), flow const>);
    BOOST_TEST(s.steps == 3);
}

}
