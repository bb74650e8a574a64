// iterate(n, body, init, params...): values and derivatives by every verb and with every schedule, beside the same loop written with variables.
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/count_allocations.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct particle {
    vector place;
    double speed;
    int age;
};
XGRAD_REFLECT(particle, place, speed, age)

namespace {

using xgrad::checkpoints, xgrad::every, xgrad::iterate, xgrad::keep_states;

vector numbers(std::size_t n, double from) {
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = from + 0.3 * std::sin(1.0 + 2.3 * static_cast<double>(i));
    return x;
}
template <class A, class B>
double gap(A const& a, B const& b) {
    if constexpr (std::is_arithmetic_v<A>) return std::abs(a - b) / std::max(1.0, std::abs(static_cast<double>(b)));
    else {
        double d = a.size() == b.size() ? 0 : 1;
        for (std::size_t i = 0; i < a.size() && d < 1; ++i) {
            double const p = a.flat(i), q = b.flat(i);
            d = std::max(d, std::abs(p - q) / std::max(1.0, std::abs(q)));
        }
        return d;
    }
}
template <class... A, class... B>
double gap(std::tuple<A...> const& a, std::tuple<B...> const& b) {
    return std::apply([&](auto const&... s) { return std::apply([&](auto const&... t) { return std::max({0.0, gap(s, t)...}); }, b); }, a);
}

constexpr double tight = 1e-13;

// The same program with a loop by iterate and with a loop by hand: f(loop, x...) calls loop(n, body, init, params...).
template <class F, class... X>
void agree(F const& f, X const&... x) {
    auto by_hand = [&f](auto const&... h) {
        return f([](std::size_t n, auto const& body, auto const& init, auto const&... p) {
            xgrad::variable s = init;
            for (std::size_t i = 0; i < n; ++i) s = body(s, p...);
            return s;
        }, h...);
    };
    auto const expected = xgrad::value_and_gradient(by_hand, x...);
    std::size_t c = 1000;
    auto g = [&](auto const&... h) {
        return f([&](std::size_t n, auto const& body, auto const& init, auto const&... p) { return iterate(n, body, init, p..., checkpoints(c)); }, h...);
    };
    for (std::size_t count : {1u, 3u, 1000u}) {
        c = count;
        auto const found = xgrad::value_and_gradient(g, x...);
        BOOST_TEST(gap(found.value, expected.value) < tight);
        BOOST_TEST(gap(found.gradient, expected.gradient) < tight);
    }
    c = 2;
    BOOST_TEST(gap(xgrad::value(g, x...), expected.value) < tight);
    if constexpr (sizeof...(X) == 1) {
        // forward and second order
        auto direction = [](auto t) {
            if constexpr (std::is_arithmetic_v<decltype(t)>) return t + 0.7;
            else {
                t.fill(0.7);
                return t;
            }
        };
        std::tuple const along(direction(xgrad::zero_tangent(x))...);
        auto const jf = xgrad::jvp(g, std::tuple(x...), along), jh = xgrad::jvp(by_hand, std::tuple(x...), along);
        BOOST_TEST(gap(jf.tangent, jh.tangent) < tight);
        // pulled twice
        auto r = xgrad::vjp(g, x...);
        BOOST_TEST(gap(r.value, expected.value) < tight);
        BOOST_TEST(gap(r.pullback(1.0), expected.gradient) < tight);
        BOOST_TEST(gap(r.pullback(1.0), expected.gradient) < tight);
        auto second = [&](auto const& fn) { return xgrad::hvp(fn, x..., std::get<0>(along)); };
        auto const a = second(g), b = second(by_hand);
        BOOST_TEST(gap(a.product, b.product) < tight);
        BOOST_TEST(gap(a.gradient, b.gradient) < tight);
    }
}

}

BOOST_AUTO_TEST_CASE(a_number) {
    auto logistic = [](auto const& s, auto const& c) { return c * s * (1.0 - s); };
    for (std::size_t n : {0u, 1u, 2u, 3u, 17u}) {
        agree([&](auto const& loop, auto const& x) { return exp(loop(n, logistic, x * x, 3.1 + 0.1 * x)); }, 0.3);
        agree([&](auto const& loop, auto const& x, auto const& c) { return loop(n, logistic, x, c) * c; }, 0.3, 3.1);
    }
}

BOOST_AUTO_TEST_CASE(an_array) {
    auto step = [](auto const& u, auto const& nu) {
        auto flux = 0.5 * u * u;
        return u - 0.1 * (flux - roll(flux, 1)) + nu * sum(u) * sin(u);
    };
    for (std::size_t n : {0u, 1u, 9u})
        agree([&](auto const& loop, auto const& u) { auto y = loop(n, step, u, 0.01); return sum(y * y * u); }, numbers(7, 0.5));
    agree([&](auto const& loop, auto const& u, auto const& nu) { return sum(loop(6, step, exp(u), nu)); }, numbers(7, 0.5), 0.02);
    // products, and a parameter that is an array; one that is plain, and captured
    matrix const a{{0.1, 0.5, 0.2}, {0.3, -0.2, 0.1}, {0.0, 0.4, 0.6}};
    agree([&](auto const& loop, auto const& w, auto const& u) {
        return sum(loop(5, [&](auto const& s, auto const& m, auto const& b) { return tanh(sum(m * s, {1}) + b) + sum(a * s, {1}); }, u, w, u));
    }, matrix(0.5 * a), numbers(3, 0.2));
}

// A state of parts: what has no derivative is carried along; parts may come from anywhere.
BOOST_AUTO_TEST_CASE(a_state_of_parts) {
    auto step = [](auto const& s, auto const& k) {
        auto const& [place, speed, age] = s;
        auto push = exp(-0.1 * age) * k;
        auto faster = 0.9 * speed + 0.1 * push * sum(sin(place));
        return std::tuple(place + 0.1 * faster, faster, age + 1);
    };
    auto by_loop = [&](auto... schedule) {
        return [=](auto const& x, auto const& v, auto const& k) {
            auto const [place, speed, age] = iterate(8, step, std::tuple(x, v, 2), k, schedule...);
            static_assert(std::is_same_v<decltype(age), int const>);
            return sum(place * place) * speed + static_cast<double>(age);
        };
    };
    auto by_struct = [&](auto const& x, auto const& v, auto const& k) {
        auto step_of_particle = [&](auto const& s, auto const& push) {
            auto faster = 0.9 * s.speed + 0.1 * exp(-0.1 * s.age) * push * sum(sin(s.place));
            return std::tuple(s.place + 0.1 * faster, faster, s.age + 1);
        };
        (void)v;
        auto const last = iterate(8, step_of_particle, particle{numbers(3, 0.1), 0.4, 2}, k, checkpoints(2));
        return sum(last.place * last.place) * last.speed + static_cast<double>(last.age) + 0.0 * sum(x);
    };
    auto by_hand = [&](auto const& x, auto const& v, auto const& k) {
        xgrad::variable place = x;
        xgrad::variable speed = v;
        int age = 2;
        for (int i = 0; i < 8; ++i, ++age) {
            xgrad::variable faster = 0.9 * speed + 0.1 * (exp(-0.1 * age) * k) * sum(sin(place));
            place = place + 0.1 * faster;
            speed = faster;
        }
        return sum(place * place) * speed + static_cast<double>(age);
    };
    vector const x = numbers(3, 0.1);
    auto const expected = xgrad::value_and_gradient(by_hand, x, 0.4, 1.3);
    auto check = [&](auto const& f) {
        auto const found = xgrad::value_and_gradient(f, x, 0.4, 1.3);
        BOOST_TEST(gap(found.value, expected.value) < tight);
        BOOST_TEST(gap(found.gradient, expected.gradient) < tight);
    };
    check(by_loop());
    check(by_loop(checkpoints(2)));
    auto const found = xgrad::value_and_gradient(by_struct, x, 0.4, 1.3);
    BOOST_TEST(gap(found.value, expected.value) < tight);
    BOOST_TEST(gap(std::get<2>(found.gradient), std::get<2>(expected.gradient)) < tight);
    // the struct as an argument, and its variables as the next state
    auto of_struct = [](auto const& p, auto const& k) {
        auto step_of_variables = [](auto const& s, auto const& push) {
            auto next = xgrad::variables(s);
            next.speed = 0.9 * s.speed + 0.1 * exp(-0.1 * s.age) * push * sum(sin(s.place));
            next.place = s.place + 0.1 * next.speed;
            return std::tuple(next.place, next.speed, s.age + 1);
        };
        auto const last = iterate(8, step_of_variables, p, k, every(3));
        return sum(last.place * last.place) * last.speed + static_cast<double>(last.age);
    };
    auto const of = xgrad::value_and_gradient(of_struct, particle{x, 0.4, 2}, 1.3);
    BOOST_TEST(gap(of.value, expected.value) < tight);
    BOOST_TEST(gap(std::get<0>(of.gradient).place, std::get<0>(expected.gradient)) < tight);
    BOOST_TEST(gap(std::get<1>(of.gradient), std::get<2>(expected.gradient)) < tight);
    // plain values alone: a plain loop
    auto const plain = iterate(8, [](auto const& s, double k) {
        double const faster = 0.9 * s.speed + 0.1 * std::exp(-0.1 * s.age) * k * xt::sum(xt::sin(s.place))();
        return std::tuple(s.place + 0.1 * faster, faster, s.age + 1);
    }, particle{x, 0.4, 2}, 1.3);
    static_assert(std::is_same_v<decltype(plain), particle const>);
    BOOST_TEST(gap(xt::sum(plain.place * plain.place)() * plain.speed + plain.age, expected.value) < tight);
    BOOST_TEST(iterate(3, [](double s) { return 2 * s; }, 1.0) == 8.0);
}

// A random engine is part of the state, by value: steps that run again draw the same numbers.
BOOST_AUTO_TEST_CASE(a_random_engine_in_the_state) {
    auto draw = [](std::uint64_t r) { return static_cast<double>(r >> 40) / 16777216.0; };
    auto walk = [draw](auto const& s, auto const& sigma) {
        auto const& [x, seed] = s;
        std::uint64_t const next = seed * 6364136223846793005u + 1442695040888963407u;
        return std::tuple(x * exp(sigma * (draw(next) - 0.5)), next);
    };
    auto f = [&](auto... schedule) {
        return [=](auto const& x, auto const& sigma) { return std::get<0>(iterate(50, walk, std::tuple(x, std::uint64_t(7)), sigma, schedule...)); };
    };
    auto const a = xgrad::value_and_gradient(f(), 1.5, 0.3), b = xgrad::value_and_gradient(f(checkpoints(3)), 1.5, 0.3);
    BOOST_TEST(gap(a.gradient, b.gradient) == 0.0);
    BOOST_TEST(std::get<0>(a.gradient) == a.value / 1.5, boost::test_tools::tolerance(1e-12));
}

// What comes back where nothing came, where a body gives constants, or a parameter as the next state.
BOOST_AUTO_TEST_CASE(states_that_depend_on_little) {
    auto unused = [](auto const& x) {
        auto const y = iterate(3, [](auto const& s, auto const& r) { return std::tuple(std::get<0>(s) * 2.0, std::get<1>(s) + r); }, std::tuple(x, x), sqrt(x));
        return std::get<0>(y);
    };
    BOOST_TEST(std::get<0>(xgrad::gradient(unused, 0.0)) == 8.0);
    auto constant = [](auto const& x) { return iterate(3, [](auto const&) { return 2.0; }, x) * x; };
    BOOST_TEST(std::get<0>(xgrad::gradient(constant, 5.0)) == 2.0);
    auto parameter = [](auto const& x, auto const& p) { return sum(iterate(3, [](auto const&, auto const& q) { return q; }, x, p) * p); };
    auto const g = xgrad::gradient(parameter, vector{1.0, 2.0}, vector{3.0, 4.0});
    BOOST_TEST(gap(std::get<0>(g), vector{0.0, 0.0}) == 0.0);
    BOOST_TEST(gap(std::get<1>(g), vector{6.0, 8.0}) == 0.0);
    auto plain_array = [](auto const& x) { return sum(iterate(2, [](auto const&) { return vector{1.0, 2.0}; }, x) * x); };
    BOOST_TEST(gap(std::get<0>(xgrad::gradient(plain_array, vector{3.0, 4.0})), vector{1.0, 2.0}) == 0.0);
    auto left = [](auto const& x) { auto y = iterate(3, [](auto const& s) { return s * s; }, x); (void)y; return x * x; };
    BOOST_TEST(std::get<0>(xgrad::gradient(left, 3.0)) == 6.0);
    auto empty = [](auto const& x) { return sum(iterate(3, [](auto const& s) { return s * s; }, x)); };
    BOOST_TEST(std::get<0>(xgrad::gradient(empty, vector())).size() == 0u);
}

// Rows of a matrix, transposed arrays, arrays of dynamic rank and of fixed shape, complex numbers, floats.
BOOST_AUTO_TEST_CASE(kinds_of_states) {
    matrix const m{{0.3, 0.1, 0.7}, {0.2, 0.9, 0.4}};
    auto double_step = [](auto const& s, auto const& p) { return sin(s) * p + s; };
    agree([&](auto const& loop, auto const& x) { return sum(loop(4, double_step, view(x, xt::all(), 1), view(x, xt::all(), 2))); }, m);
    auto difference = [&](auto const& x) {
        auto f = [&](auto const& y) { return sum(iterate(4, double_step, y, y, checkpoints(2))); };
        auto g = [&](auto const& y) { xgrad::variable s = y; for (int i = 0; i < 4; ++i) s = double_step(s, y); return sum(s); };
        return gap(std::get<0>(xgrad::gradient(f, x)), std::get<0>(xgrad::gradient(g, x)));
    };
    BOOST_TEST(difference(xt::xarray<double>(m)) < tight);
    BOOST_TEST(difference(xt::xtensor_fixed<double, xt::xshape<2, 2>>{{0.1, 0.2}, {0.3, 0.4}}) < tight);
    BOOST_TEST(difference(xt::xtensor<double, 2, xt::layout_type::column_major>(m)) < tight);
    BOOST_TEST(difference(xt::xtensor<float, 1>{0.1f, 0.7f}) < 1e-6);
    auto turn = [](auto const& z) { return real(iterate(5, [](auto const& s, auto const& t) { return s * s * t + t; }, z, z, checkpoints(2))); };
    auto turn_by_hand = [](auto const& z) { xgrad::variable s = z; for (int i = 0; i < 5; ++i) s = s * s * z + z; return real(s); };
    std::complex<double> const z(0.3, 0.4);
    BOOST_TEST(std::abs(std::get<0>(xgrad::gradient(turn, z)) - std::get<0>(xgrad::gradient(turn_by_hand, z))) < tight);
}

BOOST_AUTO_TEST_CASE(loops_in_loops) {
    auto inner = [](auto const& s, auto const& c) { return s + 0.1 * sin(c * s); };
    agree([&](auto const& loop, auto const& x) {
        auto outer = [=](auto const& s, auto const& c) { return loop(3, inner, s * c, c); };  // it runs when this function has returned
        return loop(4, outer, x, x * x);
    }, 0.7);
    auto derivative_inside = [&](auto const& s) { return xgrad::value_and_gradient([&](auto const& x) { return iterate(3, inner, x, x); }, s); };
    BOOST_TEST(std::isfinite(derivative_inside(0.3).value));
}

BOOST_AUTO_TEST_CASE(a_prepared_gradient_allocates_nothing) {
    auto step = [](auto const& u, auto const& nu) { auto v = u * u; return u - 0.1 * (v - roll(v, 1)) + nu * sin(u) * sum(v); };
    auto with = [&](auto... schedule) {
        auto g = xgrad::prepare_gradient([=](auto const& u, auto const& nu) { return sum(iterate(40, step, u, nu, schedule...)); }, numbers(50, 0.3), 0.01);
        vector const u = numbers(50, 0.3);
        g(u, 0.01);
        g(u, 0.01);
        std::size_t const before = allocations;
        g(u, 0.01);
        return allocations - before;
    };
    BOOST_TEST(with() == 0u);
    BOOST_TEST(with(checkpoints(4)) == 0u);
    BOOST_TEST(with(every(6)) == 0u);
    BOOST_TEST(with(xgrad::memory_budget{4000}) == 0u);
}

// What the body computes again is counted: it runs n times forward, as often as the schedule says, and n times in reverse.
BOOST_AUTO_TEST_CASE(how_often_the_body_runs) {
    std::size_t runs = 0;
    auto f = [&](std::size_t n, std::size_t c) {
        runs = 0;
        (void)xgrad::gradient([&](auto const& x) { return iterate(n, [&](auto const& s) { ++runs; return sin(s); }, x, checkpoints(c)); }, 0.5);
        return runs;
    };
    for (std::size_t n : {1u, 2u, 10u, 100u})
        for (std::size_t c : {1u, 2u, 5u, 200u}) BOOST_TEST(f(n, c) == xgrad::forward_steps(n, c) + n + 1);
}

BOOST_AUTO_TEST_CASE(what_is_refused_when_it_runs) {
    auto says = [](std::string const& id) { return [id](std::exception const& e) { return std::string(e.what()).find(id) != std::string::npos; }; };
    auto captured = [](auto const& x, auto const& w) { return iterate(3, [&](auto const& s) { return s * w; }, x); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(captured, 0.5, 2.0), std::logic_error, says("xgrad[E250]"));
    auto only_captured = [](auto const& x, auto const& w) { return iterate(3, [&](auto const&) { return w; }, x); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(only_captured, 0.5, 2.0), std::logic_error, says("xgrad[E250]"));
    auto captured_arrays = [](auto const& x, auto const& w) { return sum(iterate(3, [&](auto const& s) { auto e = exp(w); return s * e; }, x)); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(captured_arrays, vector{0.5}, vector{2.0}), std::logic_error, says("xgrad[E250]"));
    auto grows = [](auto const& x) { return sum(iterate(3, [](auto const& s) { return concatenate(xt::xtuple(s, s)); }, x)); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(grows, vector{0.5}), std::invalid_argument, says("xgrad[E251]"));
    auto kept = [](auto const& x) {
        std::vector<xgrad::variable<vector>> all;
        return sum(iterate(3, [&](auto const& s) { all.push_back(s); return s * s; }, x));
    };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(kept, vector{0.5}), std::logic_error, says("xgrad[E213]"));
    // a body that throws at some step leaves nothing behind
    int left = 0;
    auto throws = [&](auto const& x) {
        return sum(iterate(10, [&](auto const& s) {
            auto y = s * s;
            if (--left == 0) throw std::runtime_error("step");
            return y + s;
        }, x, checkpoints(2)));
    };
    auto g = xgrad::prepare_gradient(throws, vector{0.01, 0.02});
    auto const expected = std::get<0>(g(vector{0.01, 0.02}).gradient);
    for (int k = 1; k <= 10; ++k) {
        left = k;
        BOOST_CHECK_THROW(g(vector{0.01, 0.02}), std::runtime_error);
        BOOST_TEST(gap(std::get<0>(g(vector{0.01, 0.02}).gradient), expected) == 0.0);
    }
}

BOOST_AUTO_TEST_CASE(a_declared_result) {
    auto logistic = [](auto const& s, auto const& c) -> xgrad::real { return c * s * (1.0 - s); };
    auto in_general = [](auto const& s, auto const& c) { return c * s * (1.0 - s); };
    auto agrees = [&](std::size_t n, auto... schedule) {
        auto f = [=](auto const& x, auto const& c) { return iterate(n, logistic, x * x, c, schedule...) * c; };
        auto g = [=](auto const& x, auto const& c) { return iterate(n, in_general, x * x, c) * c; };
        auto const a = xgrad::value_and_gradient(f, 0.6, 3.1), b = xgrad::value_and_gradient(g, 0.6, 3.1);
        BOOST_TEST(gap(a.value, b.value) < tight);
        BOOST_TEST(gap(a.gradient, b.gradient) < tight);
        auto of_one = [&](auto const& x) { return f(x, 2.0 + x); };
        auto of_one_by_hand = [&](auto const& x) { return g(x, 2.0 + x); };
        bends(std::get<0>(xgrad::hvp(of_one, 0.6, 1.0).product), of_one_by_hand, 0.6, 1.0);
        BOOST_TEST(gap(xgrad::derivative(of_one, 0.6), xgrad::derivative(of_one_by_hand, 0.6)) < tight);
        auto p = xgrad::vjp(f, 0.6, 3.1);
        BOOST_TEST(gap(p.pullback(1.0), b.gradient) < tight);
        BOOST_TEST(gap(p.pullback(1.0), b.gradient) < tight);
    };
    for (std::size_t n : {0u, 1u, 20u}) {
        agrees(n);
        agrees(n, checkpoints(2));
    }
    // with an array, and inside a function with a declared result
    auto of_array = [](auto const& x, auto const& a) -> xgrad::real {
        return iterate(5, [](auto const& s, auto const& w) -> xgrad::real { return sin(s) + 0.1 * sum(w * w) * s; }, x, a);
    };
    auto of_array_by_hand = [](auto const& x, auto const& w) {
        xgrad::variable s = x;
        for (int i = 0; i < 5; ++i) s = sin(s) + 0.1 * sum(w * w) * s;
        return s;
    };
    auto const a = xgrad::value_and_gradient(of_array, 0.6, numbers(4, 0.2)), b = xgrad::value_and_gradient(of_array_by_hand, 0.6, numbers(4, 0.2));
    BOOST_TEST(gap(a.value, b.value) < tight);
    BOOST_TEST(gap(a.gradient, b.gradient) < tight);
    auto captured = [](auto const& x, auto const& w) { return iterate(3, [&](auto const& s) -> xgrad::real { return s * w; }, x); };
    BOOST_CHECK_THROW(xgrad::gradient(captured, 0.5, 2.0), std::logic_error);
    auto only_captured = [](auto const& x, auto const& w) { return iterate(3, [&](auto const&) -> xgrad::real { return w; }, x); };
    BOOST_CHECK_THROW(xgrad::gradient(only_captured, 0.5, 2.0), std::logic_error);
}
