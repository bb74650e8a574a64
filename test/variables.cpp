// One spelling of accumulators, results and elements of containers that serves every verb: number_like<A>, and variables(m) of a struct.
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <xgrad/frozen.hpp>
#include <xgrad/xgrad.hpp>

struct line { double a; xt::xtensor<double, 1> w; std::vector<double> c; };
XGRAD_REFLECT(line, a, w, c)

template <class T>
struct point {
    T x, y;
    auto dot(point const& o) const { return x * o.x + y * o.y; }
    T length() const { return sqrt(dot(*this)); }
    friend point operator+(point const& a, point const& b) { return {a.x + b.x, a.y + b.y}; }
};
XGRAD_REFLECT_TEMPLATE((class T), (point<T>), x, y)
template <class T>
struct body {
    point<T> at;
    std::array<point<T>, 2> ends;
    std::vector<T> weights;
    int n;
    XGRAD_REFLECT_INSIDE(body, at, ends, weights, n)
    T energy() const {
        T e = at.dot(at);
        for (auto const& d : ends) e += (d + at).length() * weights[static_cast<std::size_t>(n)];
        return e;
    }
};

struct chain { double x; std::unique_ptr<chain> next; };
XGRAD_REFLECT(chain, x, next)
struct floats { float a; xgrad::frozen<double> b; std::string name; };
XGRAD_REFLECT(floats, a, b, name)
struct outer { floats f; std::vector<float> v; };
XGRAD_REFLECT(outer, f, v)

// A container of one's own, without a value_type.
template <class T>
struct three { T at[3]; };
template <class T>
struct xgrad::parts<three<T>> {
    using types = type_list<T>;
    template <class Fn>
    using rebind = three<typename Fn::template type<T>>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    template <class F, class X, class... Rest>
    static void each(F&& f, X&& x, Rest&&... rest) {
        for (std::size_t i = 0; i < 3; ++i) f(x.at[i], rest.at[i]...);
    }
    template <class M, class F, class X, class... Rest>
    static M make(F&& f, X&& x, Rest&&... rest) {
        return M{{f(x.at[0], rest.at[0]...), f(x.at[1], rest.at[1]...), f(x.at[2], rest.at[2]...)}};
    }
};

namespace {

// Σ x³ by an accumulator, by a helper with a declared result, by a container and by an algorithm.
auto sum_of_cubes = [](auto const& x) {
    xgrad::number_like<decltype(x)> s = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) s += x(i) * x(i) * x(i);
    return s;
};
auto by_helper = [](auto const& x) {
    auto const cube = [](auto const& v) -> xgrad::number_like<decltype(v)> {
        if (v == 0.0) return 0.0;
        return v * v * v;
    };
    xgrad::number_like<decltype(x)> s = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) s = s + cube(x(i));
    return s;
};
auto by_container = [](auto const& x) {
    std::vector<xgrad::number_like<decltype(x)>> v(x.size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) v[i] = x(i) * x(i) * x(i);
    return std::accumulate(v.begin(), v.end(), xgrad::number_like<decltype(x)>(0.0), [](auto const& s, auto const& t) {
        return xgrad::number_like<decltype(s)>(s + t);
    });
};

template <class A, class N>
inline constexpr bool has_numbers = std::is_same_v<xgrad::number_like<A>, N>;
static_assert(has_numbers<chain, double> && has_numbers<floats, float> && has_numbers<outer, float> && has_numbers<std::map<std::string, float>, float>);
static_assert(has_numbers<std::variant<int, std::complex<double>>, std::complex<double>> && has_numbers<three<three<float>>, float>);
static_assert(has_numbers<std::tuple<xgrad::variable<double>, double, int>, xgrad::variable<double>> && has_numbers<xgrad::frozen<double>, double>);
static_assert(has_numbers<std::vector<xgrad::frozen<double>>, double>);

BOOST_AUTO_TEST_CASE(of_containers_and_structs) {
    auto const cubes = [](auto const& x) {
        xgrad::number_like<decltype(x)> s = 0.0;
        for (auto const& v : x.at) s += v * v * v;
        return s;
    };
    three<double> const x{{1.0, -2.0, 0.5}}, xdot{{1.0, 0.5, -1.0}};
    BOOST_TEST(cubes(x) == -6.875);
    BOOST_TEST(std::get<0>(xgrad::gradient(cubes, x)).at[1] == 12.0);
    BOOST_TEST(xgrad::jvp(cubes, x, xdot).tangent == 3.0 * (1.0 + 2.0 - 0.25));
    BOOST_TEST(std::get<0>(xgrad::hvp(cubes, x, xdot).product).at[2] == -3.0);
    auto const scaled = [](auto const& m) {
        xgrad::number_like<decltype(m)> s = 0.0f;
        for (auto const& v : m.v) s += v * v * v;
        s *= m.f.a;
        return s;
    };
    outer const m{{2.0f, 1.0, "m"}, {1.0f, 2.0f}};
    auto const [dm] = xgrad::gradient(scaled, m);
    BOOST_TEST((dm.f.a == 9.0f && dm.v[1] == 24.0f));
    BOOST_TEST(xgrad::hvp(scaled, m, dm).value == 18.0f);
    auto const squares = [](auto const& c) {
        xgrad::number_like<decltype(c)> s = 0.0;
        for (auto const* p = &c; p; p = p->next ? &*p->next : nullptr) s += p->x * p->x;
        return s;
    };
    chain const c{3.0, std::make_unique<chain>(chain{4.0, nullptr})};
    BOOST_TEST(std::get<0>(xgrad::gradient(squares, c)).next->x == 8.0);
}

BOOST_AUTO_TEST_CASE(one_spelling_serves_every_verb) {
    xt::xtensor<double, 1> const x{1.0, -2.0, 0.5}, xdot{1.0, 0.5, -1.0};
    double const y = 1.0 - 8.0 + 0.125, along = 3.0 * (1.0 + 2.0 - 0.25);
    auto const check = [&](auto const& f) {
        BOOST_TEST(double(f(x)) == y);
        BOOST_TEST(xgrad::value(f, x) == y);
        auto const [g] = xgrad::gradient(f, x);
        BOOST_TEST(double(g(1)) == 12.0);
        BOOST_TEST(xgrad::jvp(f, std::tuple(x), std::tuple(xdot)).tangent == along);
        auto const h = xgrad::hessian(f, x);
        BOOST_TEST((h == xt::xtensor<double, 2>{{6.0, 0.0, 0.0}, {0.0, -12.0, 0.0}, {0.0, 0.0, 3.0}}));
        auto const r = xgrad::hvp(f, x, xdot);
        BOOST_TEST(std::get<0>(r.product)(2) == -3.0);
    };
    check(sum_of_cubes);
    check(by_helper);
    check(by_container);
    auto const power = [](auto const& v) {
        xgrad::number_like<decltype(v)> s = 1.0;
        for (int i = 0; i < 3; ++i) s = s * v;
        return s;
    };
    BOOST_TEST(xgrad::derivative(power, 2.0) == 12.0);
    BOOST_TEST(xgrad::derivative([&](auto const& v) { return xgrad::derivative(power, v); }, 2.0) == 12.0);
    BOOST_TEST(power(2.0) == 8.0);
}

// Member functions and operators of a class template, in every verb and of plain values.
BOOST_AUTO_TEST_CASE(a_struct_with_its_member_functions) {
    auto const f = [](auto const& b) { return xgrad::rebind<body>(b).energy(); };
    body<double> const b{{1.0, 2.0}, {{{0.5, 1.0}, {2.0, -1.0}}}, {0.3, 0.7}, 1};
    BOOST_TEST(f(b) == b.energy());
    BOOST_TEST(xgrad::value(f, b) == b.energy());
    auto const [g] = xgrad::gradient(f, b);
    double const first = std::hypot(1.5, 3.0), second = std::hypot(3.0, 1.0);
    BOOST_TEST(std::abs(g.at.x - (2.0 + 0.7 * (1.5 / first + 3.0 / second))) < 1e-14);
    BOOST_TEST(std::abs(g.ends[1].y - 0.7 * 1.0 / second) < 1e-14);
    BOOST_TEST(g.weights[0] == 0.0);
    BOOST_TEST(std::abs(g.weights[1] - (first + second)) < 1e-14);
    auto const h = xgrad::hessian([](auto const& p) { auto const q = xgrad::rebind<point>(p); return (q + q).dot(q) * q.x; }, point<double>{1.0, 2.0});
    BOOST_TEST((h == xt::xtensor<double, 2>{{12.0, 8.0}, {8.0, 4.0}}));
    auto const declared = [](auto const& p) -> xgrad::real { return xgrad::rebind<point>(p).length(); };
    BOOST_TEST(std::abs(std::get<0>(xgrad::gradient(declared, point<double>{3.0, 4.0})).y - 0.8) < 1e-15);
}

// A step of a loop that changes a struct: m as variables, in first and second derivatives.
BOOST_AUTO_TEST_CASE(a_struct_of_variables_is_assigned_to) {
    auto const f = [](auto const& m) {
        auto next = xgrad::variables(m);
        for (int i = 0; i < 2; ++i) {
            next.a = next.a * m.a + sum(next.w);
            next.w = next.w * m.a;
            next.c[0] = next.c[0] * next.c[1];
        }
        return next.a + next.c[0];
    };
    // ((a² + W) a + a W) + c₀ c₁²
    line const m{2.0, {1.0, 3.0}, {0.5, 4.0}};
    auto const [value, g] = xgrad::value_and_gradient(f, m);
    auto const& dm = std::get<0>(g);
    BOOST_TEST(value == 8.0 + 2.0 * 2.0 * 4.0 + 8.0);
    BOOST_TEST(dm.a == 3.0 * 4.0 + 2.0 * 4.0);
    BOOST_TEST(double(dm.w(1)) == 4.0);
    BOOST_TEST(dm.c[0] == 16.0);
    BOOST_TEST(dm.c[1] == 4.0);
    auto mdot = xgrad::zero_tangent(m);
    mdot.a = 1.0;
    BOOST_TEST(std::get<0>(xgrad::hvp(f, m, mdot).product).a == 12.0);
}

struct pair_of_points {
    std::pair<std::array<double, 2>, point<double>> f;
    std::optional<point<double>> o;
    double each;
};
XGRAD_REFLECT(pair_of_points, f, o, each)
struct longer : point<double> { double z; };
XGRAD_REFLECT_DERIVED(longer, (point<double>), z)
// What is in pairs, optional values and base classes is assigned with it.
BOOST_AUTO_TEST_CASE(structs_in_structs_are_assigned_as_a_whole) {
    auto const f = [](auto const& m, auto const& d) {
        auto now = xgrad::variables(m);
        auto next = xgrad::variables(d);
        next.x *= 2.0;
        now.f.first[1] *= next.x;
        now.each = now.f.first[1];
        auto const r = now.each * next.z;
        now = m;
        next = d;
        return r * now.f.first[1] * now.f.second.y * next.x + now.o->x * now.each + next.z;
    };
    pair_of_points const m{{{1.0, 2.0}, {3.0, 4.0}}, point<double>{5.0, 6.0}, 7.0};
    longer d;
    d.x = 2.0, d.y = 3.0, d.z = 0.5;
    auto const [value, g] = xgrad::value_and_gradient(f, m, d);
    auto const& [dm, dd] = g;
    // 2 a² x² z y + o.x each + z, of which a is f.first[1], and x and z are those of d
    BOOST_TEST(value == 64.0 + 35.0 + 0.5);
    BOOST_TEST((dm.f.first[1] == 64.0 && dm.f.second.y == 16.0 && dm.o->x == 7.0 && dm.each == 5.0 && dd.x == 64.0 && dd.z == 129.0));
}

// A struct of variables that goes through a function again and again keeps its type, and may be assigned what it was made of, or a plain struct.
BOOST_AUTO_TEST_CASE(a_struct_of_variables_is_assigned_as_a_whole) {
    auto const step = [](auto const& m, double rate) {
        auto next = variables(m);
        next.w -= rate * m.w * m.w;
        next.a = m.a - rate * m.c[0];
        return next;
    };
    auto const f = [&](auto const& m) {
        auto now = variables(m);
        for (int i = 0; i < 3; ++i) now = step(now, 0.1);
        static_assert(std::is_same_v<decltype(now), decltype(variables(variables(now)))>);
        auto const kept = step(step(now, 0.2), 0.2);
        now = m;
        auto r = sum(kept.w) * kept.a + now.a * now.w(1) * now.c[1];
        now = line{3.0, {1.0}, {2.0}};
        return r * now.a * sum(now.w) * now.c[0];
    };
    line const m{2.0, {1.0, 3.0}, {0.5, 4.0}};
    auto const [value, g] = xgrad::value_and_gradient(f, m);
    auto const& dm = std::get<0>(g);
    auto moved = [&](double h) {
        line at = m;
        at.a += h * dm.a;
        at.w += h * dm.w;
        for (std::size_t i = 0; i < 2; ++i) at.c[i] += h * dm.c[i];
        return xgrad::value(f, at);
    };
    double const slope = dm.a * dm.a + xt::sum(dm.w * dm.w)() + dm.c[0] * dm.c[0] + dm.c[1] * dm.c[1];
    BOOST_TEST((std::abs((moved(1e-7) - moved(-1e-7)) / 2e-7 - slope) < 1e-5 * slope && value == moved(0.0)));
    BOOST_TEST(std::abs(xgrad::jvp(f, m, dm).tangent - slope) < 1e-12 * slope);
}

struct in_containers {
    std::array<double, 2> a;
    std::pair<double, xt::xtensor<double, 1>> p;
    std::map<std::string, double> m;
    int n;
};
XGRAD_REFLECT(in_containers, a, p, m, n)
BOOST_AUTO_TEST_CASE(containers_of_variables_are_assigned_to) {
    auto of_struct = [](auto const& s) {
        auto q = xgrad::variables(s);
        q.a[0] = q.m.at("x");
        q.m.at("x") *= 2.0;
        q = s;
        q.a[0] *= q.a[1];
        q.p.second(0) = q.a[0];
        q.m.at("x") -= q.p.first;
        return sum(q.p.second) * q.m.at("x") * q.n;
    };
    in_containers const x{{2, 3}, {1, {4, 5}}, {{"x", 7}}, 2};
    auto const [value, gradient] = xgrad::value_and_gradient(of_struct, x);
    auto const& [g] = gradient;
    BOOST_TEST(value == 132.0);
    BOOST_TEST(g.a[0] == 36.0);
    BOOST_TEST(g.a[1] == 24.0);
    BOOST_TEST(g.p.first == -22.0);
    BOOST_TEST(g.p.second(0) == 0.0);
    BOOST_TEST(g.p.second(1) == 12.0);
    BOOST_TEST(g.m.at("x") == 22.0);
    BOOST_TEST(xgrad::jvp(of_struct, x, g).tangent == 36.0 * 36 + 24 * 24 + 22 * 22 + 12 * 12 + 22 * 22);
    auto of_array = [](auto const& a) { auto b = xgrad::variables(a); b[1] += b[0]; return b[0] * b[1]; };
    BOOST_TEST(std::get<0>(xgrad::gradient(of_array, std::array<double, 3>{2, 3, 4}))[0] == 7.0);
    auto of_map = [](auto const& m) { auto q = xgrad::variables(m); q.at(1) += q.at(0); return q.at(1) * q.at(1); };
    BOOST_TEST(std::get<0>(xgrad::gradient(of_map, std::unordered_map<int, double>{{0, 1.0}, {1, 2.0}})).at(0) == 6.0);
    auto of_optional = [](auto const& o) { auto q = xgrad::variables(o); *q *= *q; return *q; };
    BOOST_TEST(*std::get<0>(xgrad::gradient(of_optional, std::optional<double>(3.0))) == 6.0);
    // what is shared stays shared
    auto of_pointers = [](auto const& p) { auto q = xgrad::variables(p); return q.first * *q.second; };
    auto const shared = std::pair(3.0, std::make_shared<double>(2.0));
    BOOST_TEST(std::get<0>(xgrad::gradient(of_pointers, shared)).first == 2.0);
    // in a tuple what has no derivative is a copy
    auto of_tuple = [](auto const& t) { auto q = xgrad::variables(t); std::get<0>(q) += std::get<1>(q).first; return std::get<0>(q) * std::get<2>(q); };
    BOOST_TEST(std::get<0>(std::get<0>(xgrad::gradient(of_tuple, std::tuple(1.0, std::pair(2.0, 3), 4)))) == 4.0);
}

// What xtensor gives without saying how many dimensions it has is asked when it is there.
BOOST_AUTO_TEST_CASE(arrays_of_a_dynamic_number_of_dimensions) {
    using matrix = xt::xtensor<double, 2>;
    auto const f = [](auto const& x) {
        xgrad::variable<matrix> p = xt::eye<double>(2);
        xgrad::variable<xt::xarray<double>> q = matrix{{1.0, 2.0}, {3.0, 4.0}};
        p = p + x;
        return sum(p * p * q);
    };
    auto const [g] = xgrad::gradient(f, matrix{{1.0, 2.0}, {3.0, 4.0}});
    BOOST_TEST((g == matrix{{4.0, 8.0}, {18.0, 40.0}}));
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return sum(x) + sum(xgrad::variable<matrix>(xt::xarray<double>(xt::zeros<double>({2})))); }, 1.0),
                      std::invalid_argument);
}

// And what an expression gives so.
BOOST_AUTO_TEST_CASE(expressions_of_a_dynamic_number_of_dimensions) {
    using matrix = xt::xtensor<double, 2>;
    auto const f = [](auto const& x) {
        xgrad::array_like<decltype(x), 2> m = x;
        m(0, 0) *= 2.0;
        xgrad::array_like<decltype(x), 1> u = xgrad::diagonal(m), w = xgrad::squeeze(xgrad::view(x, xt::range(0, 1)));
        u(1) *= 3.0;
        w = xgrad::diagonal(x);
        return sum(u * u) + w(0) * w(1);
    };
    matrix const x{{1.0, 2.0}, {3.0, 4.0}};
    auto const [g] = xgrad::gradient(f, x);
    BOOST_TEST((g == matrix{{8.0 + 4.0, 0.0}, {0.0, 72.0 + 1.0}}));
    auto const h = xgrad::hvp(f, x, x);
    BOOST_TEST((std::get<0>(h.product) == g));
    // a number, too
    auto const of_numbers = [](auto const& z) {
        xt::xarray<double> const eye = xt::eye<double>(2), two = xt::sum(eye);
        auto s = xgrad::variable(sum(z * z * z * eye, {0, 1}));  // of a dynamic number of dimensions, which is 0
        xgrad::number_like<decltype(z)> t = two;
        t += sum(z * z * z * eye, {0, 1});
        t = t + two;
        return t * t + sum(s);
    };
    auto const [of_t, dt] = xgrad::value_and_gradient(of_numbers, x);  // t = 4 + 1 + 64
    BOOST_TEST(of_t == 69.0 * 69.0 + 65.0);
    BOOST_TEST((std::get<0>(dt) == matrix{{139.0 * 3.0, 0.0}, {0.0, 139.0 * 48.0}}));
    BOOST_TEST((std::get<0>(xgrad::hvp(of_numbers, x, x).product)(1, 1) == (2.0 * 195.0 + 2.0 * 139.0) * 48.0));
    auto const of_array = [](auto const& z) {
        xgrad::variable t = 0.0;
        t += z * xt::xarray<double>(xt::eye<double>(2));
        return t;
    };
    BOOST_CHECK_THROW(xgrad::gradient(of_array, x), std::invalid_argument);
    // and the other way round
    auto const reshaped = [](auto const& a) {
        xgrad::variable u = a;
        u = reshape(u * 2.0, {4, 1});
        xgrad::variable v = a;
        v = xgrad::diagonal(u * u);
        v = sum(u * u, {1});
        u = view(u * v(0), xt::all(), 0);
        return sum(u * v) + u(3);
    };
    xt::xarray<double> const y = x;
    auto const [dy] = xgrad::gradient(reshaped, y);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
            xt::xarray<double> above = y, below = y;
            above(i, j) += 1e-6;
            below(i, j) -= 1e-6;
            BOOST_TEST(std::abs(dy(i, j) - (xgrad::value(reshaped, above) - xgrad::value(reshaped, below)) / 2e-6) < 1e-4 * (1 + std::abs(dy(i, j))));
        }
    BOOST_TEST(std::abs(xgrad::jvp(reshaped, y, dy).tangent - xt::sum(dy * dy)()) < 1e-9 * xt::sum(dy * dy)());
    auto const wrong = [](auto const& a) {
        xgrad::array_like<decltype(a), 2> u = xgrad::diagonal(a);
        return sum(u);
    };
    BOOST_CHECK_THROW(xgrad::gradient(wrong, x), std::invalid_argument);
}

}

BOOST_AUTO_TEST_CASE(elements_of_a_variable_that_is_const) {
    auto f = [](auto const& x) {
        auto const v = xgrad::variable(x * x);
        return v(0) * v(1) + v[0];
    };
    xt::xtensor<double, 1> const x{0.5, 2.0}, d{1.0, -1.0};
    auto const g = std::get<0>(xgrad::gradient(f, x));
    BOOST_TEST(std::abs(g(0) - 5.0) < 1e-14);
    BOOST_TEST(std::abs(g(1) - 1.0) < 1e-14);
    BOOST_TEST(std::abs(std::get<0>(xgrad::hvp(f, x, d).product)(0) - 6.0) < 1e-13);
}
