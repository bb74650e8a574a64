// Lays a curved sheet of triangles flat with as little distortion as it takes: a function of one triangle, over all of them, a SIMD register at a time.
// The energy of a triangle is the symmetric Dirichlet energy, |J|^2 + |J^-1|^2 of the map J from its own plane, times its area: 4 where nothing is distorted,
// infinite where it is flat (Smith and Schaefer, ACM Trans. Graph. 34(4), 2015).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

#include "support/mesh_picture.hpp"
#include "support/progress.hpp"

using matrix = xt::xtensor<double, 2>;
using indices = xt::xtensor<std::size_t, 1>;

// A triangle as it is in space, laid into a plane of its own: the inverse of its two edges, and its area.
struct rest_shape {
    double xx, xy, yx, yy, area;
};
XGRAD_REFLECT(rest_shape, xx, xy, yx, yy, area)

auto distortion = [](auto const& a, auto const& b, auto const& c, auto const& rest) -> xgrad::real {
    auto ux = b(0) - a(0), uy = b(1) - a(1), vx = c(0) - a(0), vy = c(1) - a(1);
    auto jxx = ux * rest.xx + vx * rest.yx, jxy = ux * rest.xy + vx * rest.yy;
    auto jyx = uy * rest.xx + vy * rest.yx, jyy = uy * rest.xy + vy * rest.yy;
    auto squares = jxx * jxx + jxy * jxy + jyx * jyx + jyy * jyy;
    auto det = jxx * jyy - jxy * jyx;
    return rest.area * (squares + squares / (det * det));
};

struct mesh {
    matrix in_space;                                   // a row for each point
    std::vector<std::array<std::size_t, 3>> corners;   // of each triangle
    std::array<indices, 3> corner;                     // the same, one array for each corner
    std::vector<rest_shape> rest;
    double area = 0;
};

// A sheet with two hills and a valley.
mesh sheet(std::size_t n) {
    mesh m;
    m.in_space = matrix::from_shape({n * n, 3});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double const x = 2.0 * double(i) / double(n - 1) - 1.0, y = 2.0 * double(j) / double(n - 1) - 1.0;
            auto hill = [&](double px, double py, double width) { return std::exp(-(std::pow(x - px, 2) + std::pow(y - py, 2)) / (width * width)); };
            double const z = 0.9 * hill(-0.35, -0.3, 0.38) + 0.6 * hill(0.45, 0.4, 0.3) - 0.4 * hill(0.45, -0.5, 0.35);
            for (std::size_t k = 0; double const v : {x, y, z}) m.in_space(i * n + j, k++) = v;
        }
    for (std::size_t i = 0; i + 1 < n; ++i)
        for (std::size_t j = 0; j + 1 < n; ++j) {
            std::size_t const p = i * n + j, q = p + n;
            m.corners.push_back({p, q, q + 1});
            m.corners.push_back({p, q + 1, p + 1});
        }
    for (std::size_t k = 0; k < 3; ++k) {
        m.corner[k] = indices::from_shape({m.corners.size()});
        for (std::size_t t = 0; t < m.corners.size(); ++t) m.corner[k](t) = m.corners[t][k];
    }
    for (auto const& [a, b, c] : m.corners) {
        std::array<double, 3> u, v;
        double uu = 0, uv = 0, vv = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            u[k] = m.in_space(b, k) - m.in_space(a, k);
            v[k] = m.in_space(c, k) - m.in_space(a, k);
            uu += u[k] * u[k], uv += u[k] * v[k], vv += v[k] * v[k];
        }
        // the edges are (length, 0) and (along, height)
        double const length = std::sqrt(uu), along = uv / length, height = std::sqrt(vv - along * along);
        m.rest.push_back({1 / length, -along / (length * height), 0, 1 / height, 0.5 * length * height});
        m.area += m.rest.back().area;
    }
    return m;
}

// Whether no triangle is turned over.
bool is_upright(matrix const& p, mesh const& m) {
    return std::all_of(m.corners.begin(), m.corners.end(), [&](auto const& t) {
        auto const [a, b, c] = t;
        return (p(b, 0) - p(a, 0)) * (p(c, 1) - p(a, 1)) - (p(b, 1) - p(a, 1)) * (p(c, 0) - p(a, 0)) > 0;
    });
}
// The energy of each triangle. Of plain points it is plain: the same map serves for looking and for differentiating.
auto energies = [](auto const& points, auto const& a, auto const& b, auto const& c, auto const& rest) {
    using xgrad::each, xgrad::pick;
    return xgrad::map(distortion, pick<2>(points, a), pick<2>(points, b), pick<2>(points, c), each(rest));
};
// How much each triangle is distorted: 0 where it is not.
std::vector<double> distortions(matrix const& p, mesh const& m) {
    auto const e = energies(p, m.corner[0], m.corner[1], m.corner[2], m.rest);
    std::vector<double> d;
    for (std::size_t t = 0; t < m.rest.size(); ++t) d.push_back(e(t) / m.rest[t].area - 4.0);
    return d;
}

int main() {
    mesh const m = sheet(33);
    // seen from above
    matrix flat = xt::view(m.in_space, xt::all(), xt::range(0, 2));
    auto energy = [&](auto const& p, auto const&... shape) { return sum(energies(p, shape...)) / m.area; };
    auto gradient = xgrad::prepare_gradient(energy, flat, xgrad::constant(m.corner[0]), xgrad::constant(m.corner[1]), xgrad::constant(m.corner[2]),
                                            xgrad::constant(m.rest));
    auto at = [&](matrix const& p) -> auto const& {
        return gradient(p, xgrad::constant(m.corner[0]), xgrad::constant(m.corner[1]), xgrad::constant(m.corner[2]), xgrad::constant(m.rest));
    };
    matrix const from_above = flat;
    // Steps of Barzilai and Borwein (IMA J. Numer. Anal. 8, 1988), shorter where a triangle would turn over, or the energy grow much.
    double value = at(flat).value, rate = 1e-3;
    matrix slope = std::get<0>(at(flat).gradient);
    std::printf("%zu triangles; seen from above their energy is %.4f\n", m.corners.size(), value);
    int const rounds = 2000;
    progress show(rounds);
    for (int round = 1; round <= rounds; ++round) {
        matrix next = flat - rate * slope;
        while (!is_upright(next, m) || at(next).value > value + 0.02) {
            rate /= 2;
            next = flat - rate * slope;
        }
        auto const& r = at(next);
        matrix const moved = next - flat, turned = std::get<0>(r.gradient) - slope;
        double const bend = xt::sum(moved * turned)();
        flat = next;
        slope = std::get<0>(r.gradient);
        value = r.value;
        if (bend > 0) rate = xt::sum(moved * moved)() / bend;
        char text[80];
        std::snprintf(text, sizeof text, "energy %.4f  largest slope %.1e", value, xt::amax(xt::abs(slope))());
        show(round, text);
    }
    auto const before = distortions(from_above, m), after = distortions(flat, m);
    std::printf("most distorted triangle: %.2f before, %.2f after\n", *std::max_element(before.begin(), before.end()),
                *std::max_element(after.begin(), after.end()));
    std::vector<mesh_panel> const panels{{"a sheet in space", m.in_space, before}, {"seen from above", from_above, before}, {"laid flat", flat, after}};
    draw_meshes("flatten_mesh.png", panels, m.corners, 4.0);
    return value < 4.4 ? 0 : 1;
}
