// map(f, a...) of structs: structs of arrays, containers of structs and of arrays, structs that all items share; beside the same in a plain loop.
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <test/count_allocations.hpp>
#include <xgrad/flatten.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::each, xgrad::pick;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using fixed = xt::xtensor_fixed<double, xt::xshape<3>>;

namespace {

struct rates {
    double fast, slow;
};
XGRAD_REFLECT(rates, fast, slow)
struct particles {
    vector mass;
    matrix at;
    rates rate;
    xt::xtensor<int, 1> kind;
};
XGRAD_REFLECT(particles, mass, at, rate, kind)
struct camera {
    fixed at;
    std::array<double, 2> center;
    double focus;
    int kind;
};
XGRAD_REFLECT(camera, at, center, focus, kind)

template <class A, class B>
bool same(A const& a, B const& b) {
    auto const x = xgrad::flattened(a), y = xgrad::flattened(b);
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(x(i) - y(i)) <= 1e-13 * std::max(1.0, std::abs(y(i))))) return false;
    return true;
}
// Value and gradient by map and by a loop.
template <class F, class G, class... X>
void agree(F const& f, G const& g, X const&... x) {
    auto const a = xgrad::value_and_gradient(f, x...);
    auto const b = xgrad::value_and_gradient(g, x...);
    BOOST_TEST(std::abs(a.value - b.value) <= 1e-13 * std::max(1.0, std::abs(b.value)));
    BOOST_TEST(same(a.gradient, b.gradient));
}
// The product with a Hessian beside a difference of gradients.
template <class F, class X, class Y>
void second_order_agrees(F const& f, X const& x, Y const& y) {
    auto g = xgrad::prepare_gradient(f, x, y);
    auto const d = g(x, y).gradient;
    auto const h = xgrad::hvp(f, std::tuple(x, y), d);
    auto at = [&](double step) {
        return xgrad::flattened(
            g(xgrad::add_to_primal(x, xgrad::scale(step, std::get<0>(d))), xgrad::add_to_primal(y, xgrad::scale(step, std::get<1>(d)))).gradient);
    };
    auto const exact = xgrad::flattened(h.product), above = at(1e-6), below = at(-1e-6);
    for (std::size_t i = 0; i < exact.size(); ++i) BOOST_TEST(std::abs(exact(i) - (above(i) - below(i)) / 2e-6) < 1e-6 * std::max(1.0, std::abs(exact(i))));
}

particles some_particles(std::size_t n) {
    particles p{vector::from_shape({n}), matrix::from_shape({n, 2}), {0.3, 1.7}, xt::xtensor<int, 1>::from_shape({n})};
    for (std::size_t i = 0; i < n; ++i) {
        double const t = static_cast<double>(i);
        p.mass(i) = 1 + 0.5 * std::sin(t);
        p.at(i, 0) = std::cos(1.3 * t);
        p.at(i, 1) = std::sin(0.7 * t);
        p.kind(i) = static_cast<int>(i / 3 % 2);
    }
    return p;
}
std::vector<camera> some_cameras(std::size_t n) {
    std::vector<camera> v(n);
    for (std::size_t i = 0; i < n; ++i) {
        double const t = static_cast<double>(i);
        v[i] = {{std::sin(t), std::cos(t), 0.3}, {0.1 * t, 0.2}, 1 + 0.1 * t, static_cast<int>(i % 2)};
    }
    return v;
}

auto const energy = [](auto const& p, auto const& s) -> xgrad::real {
    auto u = p.mass * p.rate.fast + s.slow;
    auto e = exp(-sum(p.at * p.at)) * u + p.at(1) * s.fast;
    if (p.kind == 1) return e * e + p.rate.slow;
    return e;
};
auto const look = [](auto const& c, auto const& q) -> xgrad::real {
    auto d = c.at - q;
    auto w = c.focus * (c.center[0] + c.center[1] * c.at(2));
    return sqrt(sum(d * d) + 1.0) * w + (c.kind == 0 ? 1.0 : 2.0) * c.focus;
};

}

BOOST_AUTO_TEST_CASE(structs_of_arrays) {
    for (std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(13)}) {
        particles const p = some_particles(n);
        rates const r{0.4, 0.9};
        auto const by_map = [](auto const& all, auto const& s) { return sum(xgrad::map(energy, each(all), s)); };
        auto const by_loop = [n](auto const& all, auto const& s) {
            xgrad::variable t = 0.0 * s.slow;
            for (std::size_t i = 0; i < n; ++i) {
                auto u = all.mass(i) * all.rate.fast + s.slow;
                auto e = exp(-(all.at(i, 0) * all.at(i, 0) + all.at(i, 1) * all.at(i, 1))) * u + all.at(i, 1) * s.fast;
                if (all.kind(i) == 1) t += e * e + all.rate.slow;
                else t += e;
            }
            return t;
        };
        agree(by_map, by_loop, p, r);
        vector const plain = xgrad::map(energy, each(p), r);
        BOOST_TEST((plain.size() == n && std::abs(xt::sum(plain)() - xgrad::value(by_map, p, r)) < 1e-12));
    }
}

BOOST_AUTO_TEST_CASE(picked_structs_and_tuples) {
    particles const p = some_particles(4);
    std::vector<int> const who{3, 0, 0, 1, 2, 0, 3, 3, 1, 0, 0};
    vector const w = xt::linspace(0.1, 1.1, 11);
    auto const f = [](auto const& a, auto const& b) -> xgrad::real {
        auto const& [weight, other] = b;
        return a.mass * weight + a.at(0) * a.at(1) * other + (a.kind == 1 ? 1.0 : -1.0) * a.rate.slow;
    };
    auto const by_map = [&](auto const& all, auto const& pair) {
        auto r = xgrad::map(f, pick(all, who), each(pair));
        return sum(r * r);
    };
    auto const by_loop = [&](auto const& all, auto const& pair) {
        xgrad::variable t = 0.0 * all.rate.slow;
        for (std::size_t i = 0; i < 11; ++i) {
            int const k = who[i];
            auto y = all.mass(k) * std::get<0>(pair)(i) + all.at(k, 0) * all.at(k, 1) * std::get<1>(pair)(i) + (all.kind(k) == 1 ? 1.0 : -1.0) * all.rate.slow;
            t += y * y;
        }
        return t;
    };
    agree(by_map, by_loop, p, std::pair(w, vector(2.0 * w)));
}

BOOST_AUTO_TEST_CASE(containers_of_structs) {
    for (std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(5), std::size_t(11)}) {
        auto const cameras = some_cameras(n);
        std::vector<std::size_t> who;
        for (std::size_t i = 0; n != 0 && i < 9; ++i) who.push_back(i * i % n);
        matrix points = matrix::from_shape({who.size(), 3});
        for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = std::cos(static_cast<double>(i));
        auto const by_map = [&](auto const& c, auto const& q) { return sum(xgrad::map(look, pick(c, who), each<3>(q))) + xgrad::sum(q); };
        auto const by_loop = [&](auto const& c, auto const& q) {
            xgrad::variable t = xgrad::sum(q);
            for (std::size_t i = 0; i < who.size(); ++i) {
                auto const& one = c[who[i]];
                auto s = one.at(0) - q(i, 0), u = one.at(1) - q(i, 1), v = one.at(2) - q(i, 2);
                t += sqrt(s * s + u * u + v * v + 1.0) * (one.focus * (one.center[0] + one.center[1] * one.at(2)))
                     + (one.kind == 0 ? 1.0 : 2.0) * one.focus;
            }
            return t;
        };
        agree(by_map, by_loop, cameras, points);
        // of constants, copied and not
        auto const [c, q] = xgrad::gradient(by_loop, cameras, points);
        auto const [q1] = xgrad::gradient([&](auto const& a) { return by_map(cameras, a); }, points);
        auto const of_cref = [&](auto const& a) { return sum(xgrad::map(look, pick(std::cref(cameras), who), each<3>(a))) + xgrad::sum(a); };
        auto const [q2] = xgrad::gradient(of_cref, points);
        BOOST_TEST((same(q, q1) && same(q, q2)));
        if (n == 11) second_order_agrees(by_map, cameras, points);
        vector const plain = xgrad::map(look, pick(cameras, who), each<3>(points));
        BOOST_TEST(std::abs(xt::sum(plain)() + xt::sum(points)() - xgrad::value(by_map, cameras, points)) < 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(containers_of_numbers_and_arrays) {
    std::vector<double> const x{0.3, 0.1, 0.7, 1.1, 0.2, 0.9};
    std::vector<fixed> const v{{1, 2, 3}, {0.5, 0.2, 0.1}, {1, 1, 0}, {0, 1, 0.5}, {0.3, 0.3, 0.3}, {2, 0, 1}};
    std::vector<vector> const rows{{1, 2}, {0.5, 0.2}, {1, 0}, {0, 0.5}, {0.3, 0.3}, {2, 1}};
    std::deque<std::pair<int, double>> const marks{{0, 0.5}, {1, 0.25}, {1, 2.0}, {0, 1.0}, {1, 1.0}, {0, 0.5}};
    auto const f = [](auto const& a, auto const& p, auto const& r, auto const& m) -> xgrad::real {
        return a * p(0) + p(1) * p(2) * (m.first == 1 ? 2.0 : 1.0) + sum(r * r) * m.second;
    };
    auto const by_map = [&](auto const& a, auto const& p, auto const& r) { return sum(xgrad::map(f, each(a), each(p), each(r), each(marks))); };
    auto const by_loop = [&](auto const& a, auto const& p, auto const& r) {
        xgrad::variable t = 0.0 * a[0];
        for (std::size_t i = 0; i < 6; ++i)
            t += a[i] * p[i](0) + p[i](1) * p[i](2) * (marks[i].first == 1 ? 2.0 : 1.0) + sum(r[i] * r[i]) * marks[i].second;
        return t;
    };
    agree(by_map, by_loop, x, v, rows);
    // numbers and structs that the function has made, which are gone when the map is still there
    auto const made = [&](auto const& a, auto const& p, auto const& r) {
        auto const inner = [&] {
            std::vector<xgrad::number_like<decltype(a)>> twice;
            for (auto const& one : a) twice.push_back(2.0 * one);
            return xgrad::map(f, each(twice), each(p), each(r), each(marks));
        };
        auto y = inner();
        return sum(y * y);
    };
    auto const made_loop = [&](auto const& a, auto const& p, auto const& r) {
        xgrad::variable t = 0.0 * a[0];
        for (std::size_t i = 0; i < 6; ++i) {
            auto y = 2.0 * a[i] * p[i](0) + p[i](1) * p[i](2) * (marks[i].first == 1 ? 2.0 : 1.0) + sum(r[i] * r[i]) * marks[i].second;
            t += y * y;
        }
        return t;
    };
    agree(made, made_loop, x, v, rows);
    auto unequal = rows;
    unequal[2] = {1, 2, 3};
    auto says = [](char const* id) { return [id](std::exception const& e) { return std::string(e.what()).find(id) != std::string::npos; }; };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(by_map, x, v, unequal), std::invalid_argument, says("E243"));
    BOOST_CHECK_EXCEPTION(xgrad::gradient([&](auto const& a) { return by_map(a, v, unequal); }, x), std::invalid_argument, says("E243"));
}

// Rows of any length and rank, whole.
BOOST_AUTO_TEST_CASE(rows_of_any_shape) {
    std::size_t const n = 9;
    xt::xtensor<double, 3> x = xt::xtensor<double, 3>::from_shape({n, 2, 3});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(0.3 * static_cast<double>(i));
    matrix const w{{0.5, 1.0, 1.5}, {2.0, 0.2, 0.1}};
    auto const f = [](auto const& a, auto const& b) -> xgrad::real { return sum(a * a * b) + a(1, 2) * b(0, 1); };
    auto const by_map = [&](auto const& a, auto const& b) {
        auto y = xgrad::map(f, each(a), b);
        return sum(y * y);
    };
    auto const by_loop = [&](auto const& a, auto const& b) {
        xgrad::variable t = 0.0 * b(0, 0);
        for (std::size_t i = 0; i < n; ++i) {
            xgrad::variable y = a(i, 1, 2) * b(0, 1);
            for (std::size_t j = 0; j < 2; ++j)
                for (std::size_t k = 0; k < 3; ++k) y += a(i, j, k) * a(i, j, k) * b(j, k);
            t += y * y;
        }
        return t;
    };
    agree(by_map, by_loop, x, w);
    vector const plain = xgrad::map(f, each(x), w);
    BOOST_TEST(std::abs(xt::sum(plain * plain)() - xgrad::value(by_map, x, w)) < 1e-12);
}

// Of the sum, whose cotangents have memory of their own, which an earlier call has left: rows that nothing comes back for, and rows without numbers.
BOOST_AUTO_TEST_CASE(rows_that_are_not_used) {
    auto const f = [](auto const& a, auto const&, auto const& none) -> xgrad::real { return sum(a * a * a) + sum(none); };
    auto const total = [&](auto const& a, auto const& b, auto const& c) { return sum(xgrad::map(f, each(a), each(b), each(c))); };
    for (std::size_t const n : {std::size_t{1}, std::size_t{8}, std::size_t{29}}) {
        xt::xtensor<double, 3> x = xt::xtensor<double, 3>::from_shape({n, 3, 3});
        for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(0.3 * static_cast<double>(i));
        matrix const unused = xt::ones<double>({n, std::size_t{7}}), none = xt::ones<double>({n, std::size_t{0}});
        for (int k = 0; k < 2; ++k) {
            auto const [a, b, c] = xgrad::gradient(total, x, unused, none);
            BOOST_TEST(xt::amax(xt::abs(a - 3.0 * x * x))() < 1e-14);
            BOOST_TEST((b == 0.0 * unused));
            BOOST_TEST((c.shape() == none.shape()));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_prepared_gradient_allocates_nothing) {
    auto const cameras = some_cameras(12);
    particles const p = some_particles(12);
    matrix const q = xt::ones<double>({12, 3});
    auto const f = [](auto const& c, auto const& all, auto const& points, auto const& s) {
        auto r = xgrad::map(look, each(c), each<3>(points));
        return sum(r * r) + sum(xgrad::map(energy, each(all), s));
    };
    rates const s{0.1, 0.2};
    auto g = xgrad::prepare_gradient(f, cameras, p, q, s);
    g(cameras, p, q, s);
    auto const before = allocations;
    auto const packs = xgrad::packs_of_maps();
    g(cameras, p, q, s);
    BOOST_TEST(allocations == before);
    BOOST_TEST(xgrad::packs_of_maps().run > packs.run);
}
