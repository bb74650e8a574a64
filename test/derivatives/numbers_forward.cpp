// Numbers of calls that never go backward are their values: as quick as plain ones or duals, with what variables, elements and structs of them can do.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::derivative;
using xgrad::number_like;
using vector = xt::xtensor<double, 1>;

struct spring {
    double position, speed;
    vector stiffness;
};
XGRAD_REFLECT(spring, position, speed, stiffness)

namespace {

// f of numbers: its value by every verb, and its derivatives by jvp, by gradient and by central differences.
template <class F, class... X>
void agree(F const& f, X... x) {
    double const y = xgrad::value(f, x...);
    auto const [v, g] = xgrad::value_and_gradient(f, x...);
    BOOST_CHECK_CLOSE_FRACTION(y, v, 1e-13);
    auto const gradient = std::apply([](auto... d) { return std::array{d...}; }, g);
    std::size_t i = 0;
    auto const along = [&](auto& one) {
        auto const keep = one;
        auto const dot = [&](auto const& a) { return &a == &one ? 1.0 : 0.0; };
        auto const r = xgrad::jvp(f, std::tuple(x...), std::tuple(dot(x)...));
        BOOST_CHECK_CLOSE_FRACTION(r.primal, y, 1e-13);
        BOOST_CHECK_SMALL(r.tangent - gradient[i], 1e-12 * (1 + std::abs(gradient[i])));
        double const h = 1e-6;
        one = keep + h;
        double const above = xgrad::value(f, x...);
        one = keep - h;
        double const below = xgrad::value(f, x...);
        one = keep;
        BOOST_CHECK_SMALL(r.tangent - (above - below) / (2 * h), 1e-6 * (1 + std::abs(r.tangent)));
        ++i;
    };
    (along(x), ...);
    xt::xarray<double> const j = xgrad::jacobian<xgrad::direction::forward>(f, x...);
    for (std::size_t k = 0; k < gradient.size(); ++k) BOOST_CHECK_SMALL(j.data()[k] - gradient[k], 1e-12 * (1 + std::abs(gradient[k])));
}

}

BOOST_AUTO_TEST_CASE(accumulators_and_names) {
    agree([](auto const& b, auto const& g) {
        number_like<decltype(b)> s = 0.99, i = 0.01, loss = 0.0;
        for (int t = 0; t < 20; ++t) {
            auto infected = b * s * i;
            auto const healed = g * i;
            s -= 0.1 * infected;
            i += 0.1 * (infected - healed);
            auto d = i - 0.01 * t;
            loss += d * d;
        }
        return loss;
    }, 0.4, 0.1);
    agree([](auto const& x, auto const& y) {
        xgrad::variable a = x * 1.0;
        xgrad::variable b = y;
        auto const before = a;
        for (int k = 0; k < 4; ++k) {
            std::swap(a, b);
            a *= b;
            b = a - b / 3;
            ++a;
            b--;
            a /= 2.0f;
            a -= 1;
        }
        return a * before + b;
    }, 0.7, 1.2);
    // branches, and what is neither of them
    agree([](auto const& x, auto const& y) {
        number_like<decltype(x)> best = std::numeric_limits<number_like<decltype(x)>>::max();
        for (double c : {3.0, 1.0, 2.0})
            if (auto const d = pow(x - c, 2) + y; d < best) best = d;
        auto const chosen = x > y ? best : number_like<decltype(x)>(x * y);
        return chosen + (x < y ? xgrad::variable(x) : xgrad::variable(y)) + max(x, y) + (xgrad::primal(x) > 1.0 ? x : y);
    }, 1.4, 0.3);
    agree([](auto const& x) { return 0.0 * xgrad::stop_gradient(x) + hypot(x, 2.0) + abs(-x) + where(x > 1.0, x, x * x); }, 1.5);
}

BOOST_AUTO_TEST_CASE(containers_and_elements) {
    agree([](auto const& x, auto const& y) {
        std::vector<number_like<decltype(x)>> v(3, y * 2.0);
        v[0] = 1.0;
        v.push_back(x);
        for (std::size_t i = 1; i < v.size(); ++i) v[i] = v[i - 1] * x + v[i];
        std::sort(v.begin(), v.end(), [](auto const& a, auto const& b) { return a > b; });
        std::map<int, number_like<decltype(x)>> m;
        m[2] += v[0];
        return m[2] * v[1] + sum(xgrad::stack(v));
    }, 0.8, 0.6);
    vector const k{0.5, -0.25, 2.0};
    agree([&](auto const& x, auto const& y) {
        auto const a = x * k;
        auto const total = sum(a * a);
        xgrad::variable u = a * y;
        u(1) = total * u(0);
        u(2) += a(2) + a.flat(0) + a[{1}];
        number_like<decltype(x)> s = total;
        for (auto const& e : a) s += e * e * y;
        for (auto&& e : u) s += e;
        return s + sum(u) * mean(a) + dot(a, k) + a.front() * a.back();
    }, 1.1, 0.4);
}

BOOST_AUTO_TEST_CASE(structs) {
    spring const m{0.4, -0.2, {1.5, 0.5}}, dm{1.0, 0.5, {0.25, -1.0}};
    auto const f = [](auto const& p) {
        auto now = variables(p);
        for (int k = 0; k < 5; ++k) {
            auto next = now;
            next.speed = now.speed - 0.1 * now.stiffness(0) * now.position;
            next.position += 0.1 * next.speed + 0.01 * p.stiffness(1);
            now = next;
        }
        return now.position * now.speed;
    };
    auto const [v, g] = xgrad::value_and_gradient(f, m);
    auto const& d = std::get<0>(g);
    BOOST_CHECK_CLOSE_FRACTION(xgrad::value(f, m), v, 1e-13);
    auto along = xgrad::zero_tangent(m);
    along.position = dm.position;
    along.speed = dm.speed;
    along.stiffness = dm.stiffness;
    auto const r = xgrad::jvp(f, m, along);
    BOOST_CHECK_CLOSE_FRACTION(r.primal, v, 1e-13);
    BOOST_CHECK_CLOSE_FRACTION(r.tangent, d.position * dm.position + d.speed * dm.speed + xt::sum(d.stiffness * dm.stiffness)(), 1e-12);
}

// A function with a declared result, numbers of other types, and no numbers at all.
BOOST_AUTO_TEST_CASE(results_and_types) {
    auto const declared = [](auto const& x, auto const& y) -> xgrad::real {
        auto const a = sin(x) * y;
        return a * a + x;
    };
    agree(declared, 0.3, 0.9);
    auto const f = [](auto const& x, auto const& y) { return x * y + 1; };
    auto const r = xgrad::jvp(f, std::tuple(2.0f, 3.0), std::tuple(1.0f, 0.5));
    BOOST_TEST(r.primal == 7.0);
    BOOST_TEST(r.tangent == 4.0);
    static_assert(std::is_same_v<decltype(xgrad::value([](auto const& x) { return x * x; }, 2.0f)), float>);
    BOOST_TEST(xgrad::value([](auto const&) { return 3.0; }, 1.0) == 3.0);
    auto const both = xgrad::jvp([](auto const& x, auto const& y) { return std::tuple(x * y, 2.0 * x, x); }, std::tuple(2.0, 3.0), std::tuple(1.0, 10.0));
    BOOST_TEST(std::get<0>(both.tangent) == 23.0);
    BOOST_TEST(std::get<1>(both.tangent) == 2.0);
    BOOST_TEST(std::get<2>(both.primal) == 2.0);
    using complex = std::complex<double>;
    auto const z = xgrad::jvp([](auto const& x) { return x * x * complex(0, 1); }, complex(1, 2), complex(1, 0));
    BOOST_TEST(z.tangent == complex(0, 1) * complex(2, 4));
}

// Nothing of a loop is in the workspace.
BOOST_AUTO_TEST_CASE(a_loop_takes_no_memory) {
    auto const f = [](auto const& x) {
        auto s = x * 1.0;
        xgrad::variable t = x;
        for (int i = 0; i < 1000; ++i) {
            s = s * 0.5 + x;
            t += s * x;
        }
        return t;
    };
    xgrad::workspace w;
    auto const one = [](auto const& x) { return x * x; };
    static_cast<void>(xgrad::call_for_value(f, w, 0.5));
    BOOST_TEST(w.get().memory.reached() <= 256u);
    static_cast<void>(xgrad::call_for_value(one, w, 0.5));
    BOOST_TEST(w.get().memory.reached() == 0u);
}

// What belongs to a call that goes backward is no value.
BOOST_AUTO_TEST_CASE(calls_that_meet) {
    auto const refused = [](auto const& f) {
        BOOST_CHECK_THROW(derivative([&](auto const& x) { return x * std::get<0>(xgrad::gradient([&](auto const& a) { return f(a, x); }, 3.0)); }, 2.0),
                          std::logic_error);
        BOOST_CHECK_THROW(xgrad::gradient([&](auto const& a) { return a * derivative([&](auto const& x) { return f(a, x); }, 2.0); }, 3.0), std::logic_error);
    };
    refused([](auto const& a, auto const& x) { return a * x; });
    refused([](auto const& a, auto const& x) { return x - sin(a); });
    refused([](auto const& a, auto const& x) { return where(x > 0.0, a, x); });
    refused([](auto const& a, auto const& x) {
        xgrad::variable t = a * a;
        auto const s = t * 2.0;
        return x * s + t;
    });
    vector const v{1.0, 2.0};
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) { return sum(a) * derivative([&](auto const& x) { return a(1) * x; }, 2.0); }, v), std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) { return sum(a) * derivative([&](auto const& x) { return sum(a * a) * x; }, 2.0); }, v),
                      std::logic_error);
    BOOST_CHECK_CLOSE_FRACTION(derivative([](auto const& x) { return exp(x); }, 0.0), 1.0, 1e-15);
}
