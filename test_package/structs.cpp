// The package differentiates a struct: a reflected one of an array, a number and a name, by the fields that have a derivative.
#include <cstdio>
#include <string>

#include <xgrad/xgrad.hpp>

struct line {
    xt::xtensor<double, 1> slope;
    double offset;
    std::string name;
};
XGRAD_REFLECT(line, slope, offset, name)

auto loss = [](auto const& f, auto const& x) { return square(sum(f.slope * x) + f.offset); };

int main() {
    line const f{{1.0, 2.0}, 3.0, "first"};
    xt::xtensor<double, 1> const x{4.0, 5.0};
    auto [value, gradient] = xgrad::value_and_gradient(loss, f, xgrad::constant(x));
    auto const& df = std::get<0>(gradient);
    std::printf("structs: value %g, by the slope (%g, %g), by the offset %g\n", value, df.slope(0), df.slope(1), df.offset);
    return value == 289 && df.slope(0) == 136 && df.slope(1) == 170 && df.offset == 34 ? 0 : 1;
}
