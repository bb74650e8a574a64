// What gdb.cmake stops in, to look at values with the installed printers.
#include <string>

#include <xgrad/xgrad.hpp>

struct line {
    xt::xtensor<double, 2> slope;
    double offset;
    std::string name;
    xt::xarray<double> bias;
};
XGRAD_REFLECT(line, slope, offset, name, bias)

// What is passed is there to be looked at.
__attribute__((noinline)) void stop() { asm volatile(""); }

auto loss = [](auto const& f, auto const& x, auto const& s) {
    auto product = f.slope * x;
    static_cast<void>(primal(product));  // it is asked for whole, and has an array
    auto total = sum(product) * f.offset;
    auto moved = total * 2.0;
    auto moved_to = std::move(moved);
    xgrad::variable running = total;
    auto row = view(f.slope, 0, xt::all());
    auto element = f.slope(1, 0);
    auto fused = f.offset * 2.0;
    {
        auto contributes = f.offset * 4.0 + sum(f.bias);
        running += contributes * 1.0;
    }
    running += sum(row) + s + element;
    stop();
    return running + fused + moved_to;
};

auto scoped = [](auto const& a, auto const& p) -> xgrad::real {
    auto b = a * a;
    auto c = b + b;
    auto q = p * p;
    auto r = q + p;
    auto t = sum(r);
    stop();
    return c * b + sum(q) * t;
};

int main() {
    line const f{{{1.0, 2.0}, {4.0, 5.0}}, 3.0, "first", {1.5, 2.5}};
    xt::xtensor<double, 1> const x{4.0, 5.0};
    auto [value, gradient] = xgrad::value_and_gradient(loss, f, x, 2.0);
    auto derivative = std::get<0>(xgrad::gradient(scoped, 2.0, xt::xtensor_fixed<double, xt::xshape<2, 1>>{{3.0}, {4.0}}));
    auto const& slopes = std::get<0>(gradient).slope;
    xt::xtensor<int, 3> const large = xt::ones<int>({4, 5, 6});
    xt::xtensor<double, 1, xt::layout_type::column_major> const empty;
    stop();
    return value > 0 && derivative > 0 && slopes.size() == 4 && large.size() == 120 && empty.size() == 0 ? 0 : 1;
}
