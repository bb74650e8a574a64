// map_jacobian and map_hessian beside the derivatives of each item by itself.
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/map_jacobian.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::constant, xgrad::each, xgrad::pick;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

namespace {

struct camera {
    double focus;
    xt::xtensor_fixed<double, xt::xshape<2>> at;
    int kind;
};
XGRAD_REFLECT(camera, focus, at, kind)

auto const project = [](auto const& c, auto const& p, auto const& w, auto const& s) -> xgrad::result<std::array<double, 2>> {
    auto u = c.focus * (p(0) - c.at(0)) / p(2);
    auto v = c.focus * (p(1) - c.at(1)) / p(2) + (c.kind == 1 ? 0.1 : 0.2) * u;
    return std::tuple(w * u * s, v * w);
};
auto const energy = [](auto const& p, auto const& q, auto const& s) -> xgrad::real {
    auto d = p - q;
    auto r = sqrt(sum(d * d) + 0.1);
    if (r < s) return r * r * s;
    return exp(-r) + s * p(0) * q(1);
};

}

BOOST_AUTO_TEST_CASE(jacobians) {
    std::vector<camera> const cameras{{1.1, {0.1, 0.2}, 0}, {0.9, {-0.1, 0.3}, 1}, {1.3, {0.2, -0.2}, 1}};
    std::size_t const n = 11;
    std::vector<int> who, what;
    for (std::size_t i = 0; i < n; ++i) who.push_back(static_cast<int>(i / 9)), what.push_back(static_cast<int>(i * i % 4));
    matrix const points{{0.3, 0.1, 1.0}, {-0.4, 0.2, 1.5}, {0.2, 0.6, 2.0}, {0.5, -0.5, 1.2}};
    vector const w = xt::linspace(0.5, 1.5, n);
    double const s = 0.8;
    auto const before = xgrad::packs_of_maps();
    auto const j = xgrad::map_jacobian(project, pick(cameras, who), pick<3>(points, what), each(constant(w)), s);
    BOOST_TEST(xgrad::packs_of_maps().run > before.run);
    BOOST_TEST((j.shape(0) == n && j.shape(1) == 2 && j.shape(2) == 7));
    for (std::size_t i = 0; i < n; ++i) {
        auto const& c = cameras[static_cast<std::size_t>(who[i])];
        double const* const p = &points(what[i], 0);
        double const u = c.focus * (p[0] - c.at(0)) / p[2], k = c.kind == 1 ? 0.1 : 0.2;
        double const expected[2][7] = {
            {w(i) * s * u / c.focus, -w(i) * s * c.focus / p[2], 0, w(i) * s * c.focus / p[2], 0, -w(i) * s * u / p[2], w(i) * u},
            {w(i) * ((p[1] - c.at(1)) / p[2] + k * u / c.focus), -w(i) * k * c.focus / p[2], -w(i) * c.focus / p[2], w(i) * k * c.focus / p[2],
             w(i) * c.focus / p[2], -w(i) * (c.focus * (p[1] - c.at(1)) / p[2] + k * u) / p[2], 0}};
        for (std::size_t r = 0; r < 2; ++r)
            for (std::size_t m = 0; m < 7; ++m) BOOST_TEST(std::abs(j(i, r, m) - expected[r][m]) < 1e-14);
    }
    // more results than inputs: by the forward mode; not declared
    auto const several = [](auto const& a) { return std::tuple(sin(a), a * a, exp(a)); };
    auto const declared = [](auto const& a) -> xgrad::result<std::tuple<double, double, double>> { return std::tuple(sin(a), a * a, exp(a)); };
    auto const j1 = xgrad::map_jacobian(several, each(w)), j2 = xgrad::map_jacobian(declared, each(w));
    for (std::size_t i = 0; i < n; ++i) {
        BOOST_TEST((std::abs(j1(i, 0, 0) - std::cos(w(i))) < 1e-15 && j1(i, 1, 0) == 2 * w(i) && std::abs(j1(i, 2, 0) - std::exp(w(i))) < 1e-14));
        for (std::size_t r = 0; r < 3; ++r) BOOST_TEST(std::abs(j1(i, r, 0) - j2(i, r, 0)) < 1e-14);
    }
    BOOST_TEST(xgrad::map_jacobian(several, each(vector())).size() == 0u);
}

BOOST_AUTO_TEST_CASE(hessians) {
    std::size_t const n = 13;
    matrix p = matrix::from_shape({n, 3}), q = p;
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.data()[i] = std::sin(static_cast<double>(i));
        q.data()[i] = 0.5 * std::cos(static_cast<double>(i / 3));
    }
    double const s = 0.9;
    auto const h = xgrad::map_hessian(energy, each<3>(p), each<3>(q), s);
    auto const g = xgrad::map_jacobian(energy, each<3>(p), each<3>(q), s);
    BOOST_TEST((h.shape(0) == n && h.shape(1) == 7 && h.shape(2) == 7 && g.shape(1) == 1));
    for (std::size_t m = 0; m < 7; ++m) {
        auto at = [&](double step) {
            matrix a = p, b = q;
            if (m < 3) xt::view(a, xt::all(), m) += step;
            else if (m < 6) xt::view(b, xt::all(), m - 3) += step;
            return xgrad::map_jacobian(energy, each<3>(a), each<3>(b), m == 6 ? s + step : s);
        };
        auto const above = at(1e-6), below = at(-1e-6);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < 7; ++k) BOOST_TEST(std::abs(h(i, k, m) - (above(i, 0, k) - below(i, 0, k)) / 2e-6) < 1e-7);
    }
    auto const only_p = xgrad::map_hessian(energy, each<3>(p), each<3>(constant(q)), constant(s));
    BOOST_TEST((only_p.shape(1) == 3 && std::abs(only_p(5, 1, 2) - h(5, 1, 2)) < 1e-14));
}
