// Forces are minus the gradient of an energy: structs in a vector, with names and counts in them that have no derivative.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <xgrad/xgrad.hpp>

namespace sky {

struct point { double x = 0, y = 0; };
XGRAD_REFLECT(point, x, y)
struct body { std::string name; point position; double mass = 0; };
XGRAD_REFLECT(body, name, position, mass)

// Newton's potential energy of every pair, G = 1.
auto energy = [](auto const& bodies) {
    xgrad::sum_result total;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            auto dx = bodies[i].position.x - bodies[j].position.x;
            auto dy = bodies[i].position.y - bodies[j].position.y;
            total += -bodies[i].mass * bodies[j].mass / sqrt(dx * dx + dy * dy);
        }
    return total;
};

}

int main() {
    std::vector<sky::body> const bodies{{"sun", {0, 0}, 1000}, {"earth", {1, 0}, 1}, {"moon", {1, 0.1}, 0.01}};
    auto [value, grad] = xgrad::value_and_gradient(sky::energy, bodies);
    auto& [dbodies] = grad;  // a std::vector of xgrad::tangent<sky::body>

    double x = 0, y = 0;
    std::printf("energy %.3f\n", value);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        auto const& d = dbodies[i];
        std::printf("%-6s force (%9.3f, %9.3f), energy by mass %9.3f\n", bodies[i].name.c_str(), -d.position.x, -d.position.y, d.mass);
        x += d.position.x;
        y += d.position.y;
    }
    std::printf("the forces add up to (%g, %g)\n", x, y);
    return std::abs(x) + std::abs(y) < 1e-9 ? 0 : 1;
}
