// Variables of small arrays of fixed shape: their shape is in their type, whatever they are assigned, and they are as exact as any others.
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xtensor/xfixed.hpp>
#include <xtensor/xview.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

namespace {

template <std::size_t... N>
using fixed = xt::xtensor_fixed<double, xt::xshape<N...>>;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// The same program of fixed and of dynamic arrays: value and gradients.
template <class F, class... X>
auto agree_in_reverse(F const& f, X const&... x) {
    auto const dynamic = [](auto const& a) { return xt::xtensor<double, xgrad::rank_of<std::remove_cvref_t<decltype(a)>>>(a); };
    auto const found = xgrad::value_and_gradient(f, x...);
    auto const expected = xgrad::value_and_gradient(f, dynamic(x)...);
    BOOST_CHECK_CLOSE(static_cast<double>(found.value), static_cast<double>(expected.value), 1e-11);
    auto const near = [](auto const& a, auto const& b) { BOOST_TEST(xt::allclose(a, b, 1e-12, 1e-12)); };
    std::apply([&](auto const&... a) { std::apply([&](auto const&... b) { (near(a, b), ...); }, expected.gradient); }, found.gradient);
    return found;
}
// And in forward mode, where variables find their types.
template <class F, class... X>
void agree(F const& f, X const&... x) {
    auto const found = agree_in_reverse(f, x...);
    auto const [value, slope] = xgrad::jvp(f, std::tuple(x...), std::tuple(x...));
    double sum = 0;
    std::apply([&](auto const&... g) { ((sum += xt::sum(g * x)()), ...); }, found.gradient);
    BOOST_CHECK_CLOSE(static_cast<double>(slope), sum, 1e-10);
}
fixed<3> const start{0.3, -0.8, 1.1};
fixed<3, 3> const turn{{0.5, -0.2, 0.1}, {0.3, 0.7, -0.4}, {-0.6, 0.2, 0.9}};

// Σ over steps of a state that is replaced, added to, read by elements and written to.
constexpr auto program = [](auto const& a, auto const& x) {
    xgrad::variable u = x, w = dot(a, x);
    xgrad::variable total = sum(u * w);
    for (int i = 0; i < 5; ++i) {
        u = sin(dot(a, u)) + 0.1 * w;
        w += u * u(1);
        auto before = u;
        u(0) = u(0) * u(2);
        u *= 0.5;
        total += sum(before * u) + w(0);
        if (i == 2) std::swap(u, w);
    }
    view(u, xt::range(1, 3)) += view(w, xt::range(0, 2));
    return total + sum(square(u)) + sum(w);
};

}

BOOST_AUTO_TEST_CASE(know_their_shape) {
    xgrad::gradient([](auto const& a, auto const& x) {
        xgrad::variable u = x;
        xgrad::variable m = dot(a, a);
        xgrad::variable d = vector{1.0, 2.0, 3.0};
        static_assert(std::is_same_v<decltype(u), xgrad::variable<fixed<3>>>);
        static_assert(std::is_same_v<decltype(m), xgrad::variable<fixed<3, 3>>>);
        static_assert(std::is_same_v<decltype(d), xgrad::variable<vector>>);
        static_assert(xgrad::has_static_shape<decltype(u)> && xgrad::has_static_shape<decltype(u * 2.0)> && xgrad::has_static_shape<decltype(dot(m, u))>);
        xgrad::variable<vector> v = u;  // of any shape
        v = xgrad::concatenate(xt::xtuple(u, v));
        BOOST_TEST(v.size() == 6);
        return sum(v);
    }, turn, start);
    xgrad::variable plain = start;
    static_assert(std::is_same_v<decltype(plain), xgrad::variable<fixed<3>>>);
}
BOOST_AUTO_TEST_CASE(compute_what_others_do) {
    agree(program, turn, start);
    agree([](auto const& a, auto const& x) -> xgrad::real { return program(a, x); }, turn, start);
    // of an array that only run time knows, and back
    agree_in_reverse([](auto const& a, auto const& x) {
        xgrad::variable u = x;
        xgrad::variable<vector> v = x;
        for (int i = 0; i < 3; ++i) {
            v = dot(a, v) + u;
            u = view(a, i) * v;
        }
        xgrad::variable m = a;
        m = transpose(m) + xgrad::outer(u, v);
        return sum(m * a) + sum(u);
    }, turn, start);
    // of one that lies in columns
    agree_in_reverse([](auto const& a, auto const& x) {
        auto t = transpose(a);
        xgrad::variable<fixed<3, 3>> m = t;
        m = dot(m, t);
        return sum(dot(m, x) * x);
    }, turn, start);
    xt::xtensor<double, 2, xt::layout_type::column_major> const columns = turn;
    auto const f = [](auto const& a) {
        xgrad::variable<fixed<3, 3>> m = a;
        m = dot(m, a);
        return sum(m * a);
    };
    BOOST_TEST(xt::allclose(std::get<0>(xgrad::gradient(f, columns)), std::get<0>(xgrad::gradient(f, turn)), 1e-13));
}
// Names of a loop's body that are made of a variable go on in it, in a function that declares its result, too.
BOOST_AUTO_TEST_CASE(take_names_of_a_loop) {
    constexpr auto steps = [](auto const& a, auto const& x) {
        xgrad::variable u = x;
        for (int i = 0; i < 5; ++i) {
            auto k1 = dot(a, u);
            auto half = u + 0.05 * k1;
            auto k2 = dot(a, half);
            auto k3 = sin(k2) * x;
            u = u + 0.1 * (k1 + k2 + k3);
        }
        return sum(u * u);
    };
    agree(steps, turn, start);
    agree([=](auto const& a, auto const& x) -> xgrad::real { return steps(a, x); }, turn, start);
}
BOOST_AUTO_TEST_CASE(are_parts_of_what_a_program_has) {
    agree_in_reverse([](auto const& a, auto const& x) {
        std::vector<xgrad::variable<fixed<3>>> all;
        for (int i = 0; i < 4; ++i) all.push_back(i == 0 ? xgrad::variable<fixed<3>>(x) : xgrad::variable<fixed<3>>(dot(a, all.back())));
        auto s = xgrad::stack(all);
        xgrad::variable<fixed<3>> none;
        none = all[1] * all[3];
        auto last = std::move(all[2]);
        return sum(s * s) + sum(none) + sum(last * x);
    }, turn, start);
    // second derivatives: of Σ (a x)³
    auto const f = [&](auto const& x) {
        xgrad::variable u = x;
        u = dot(turn, u);
        return sum(u * u * u);
    };
    auto const h = xgrad::hessian(f, start);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            double expected = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                double const y = turn(k, 0) * start(0) + turn(k, 1) * start(1) + turn(k, 2) * start(2);
                expected += 6 * y * turn(k, i) * turn(k, j);
            }
            BOOST_CHECK_SMALL(h(i, j) - expected, 1e-12);
        }
}
BOOST_AUTO_TEST_CASE(refuse_another_shape) {
    auto const refused = [](auto f) {
        BOOST_CHECK_EXCEPTION(xgrad::gradient(f, vector{1.0, 2.0, 3.0, 4.0}), std::invalid_argument, [](auto const& e) {
            return std::string(e.what()) == "xgrad[E201]: variable<P> requires an array of P's shape, which is fixed, found the shape (4,) and (3,): "
                                            "reshape it, or declare a variable of an xt::xtensor";
        });
    };
    refused([](auto const& x) {
        xgrad::variable<fixed<3>> u = x;
        return sum(u);
    });
    refused([](auto const& x) {
        xgrad::variable<fixed<3>> u = view(x, xt::range(0, 3));
        u = x * 2.0;
        return sum(u);
    });
    refused([](auto const& x) {
        xgrad::variable<fixed<3>> u = vector{1.0, 2.0, 3.0, 4.0};
        return sum(u) + sum(x);
    });
    refused([](auto const& x) {
        xgrad::variable<fixed<3>> u = xt::xarray<double>{1.0, 2.0, 3.0, 4.0};
        return sum(u) + sum(x);
    });
}
