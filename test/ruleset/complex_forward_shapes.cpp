// Complex numbers in the forward mode: jvp, and hvp, of views, indices, shapes and choices, and arguments of several kinds of arrays.
#include <array>
#include <complex>
#include <cstddef>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#include "complex_directions.hpp"

using namespace along_complex_directions;

BOOST_AUTO_TEST_CASE(shapes_and_kinds_of_arrays) {
    matrix const a{{number(1, 2), number(0.3, -1), number(-0.2, 0.1)}, {number(0.5, 0.5), number(-1, 0.2), number(2, -0.3)}};
    line const b{number(0.1, 0.2), number(-0.4, 0.9), number(0.6, -0.5)};
    check(
        "views",
        [](auto const& u) {
            return both(u(0, 1) * u(1, 2)) + sum(abs(xgrad::view(u, xt::all(), xt::range(0, 3, 2)))) + sum(both(transpose(u) * 2.0)) +
                   sum(both(square(flatten(u))));
        },
        a);
    check<false>(
        "indices",
        [](auto const& u) {
            return sum(both(concatenate(xt::xtuple(u, u * u), 1))) + sum(abs(roll(u, 1, 0) * u)) + sum(abs(take(u, xt::xtensor<std::size_t, 1>{2, 0, 2}, 1)));
        },
        a);
    check(
        "choice", [](auto const& u, auto const& x) { return sum(both(where(abs(u) > 0.5, u * x, conj(u)) + where(abs(u) > 0.5, x, u))); }, b,
        reals{0.5, 1.5, 2.0});
    check<false>(
        "complex constants", [&](auto const& x) { return sum(abs(x * b)) + sum(norm_sq(xgrad::eval(exp(x * number(0, 1)) + b))); }, reals{0.5, 1.5, 2.0});
    check<false>(
        "places",
        [](auto const& u) {
            return sum(abs(xgrad::stack(xt::xtuple(u, u * u)))) + sum(norm_sq(xgrad::tile(u, {2}))) + sum(abs(xgrad::pad(u, 1))) +
                   both(xgrad::broadcast(u, {2, 3})(1, 1));
        },
        b);
    check<false>("fixed shape", [](auto const& u) { return sum(abs(u * u)); }, xt::xtensor_fixed<number, xt::xshape<2>>{number(0.7, -0.4), number(1, 2)});
    check<false>("dynamic rank", [](auto const& u) { return sum(abs(u * u + 1.0)); }, xt::xarray<number>(a));
    check<false>("columns first", [](auto const& u) { return sum(abs(u * u + 1.0)); }, xt::xtensor<number, 2, xt::layout_type::column_major>(a));
    check<false>("empty", [](auto const& u) { return sum(abs(u)) + both(sum(u)); }, line(std::array<std::size_t, 1>{0}));
    check<false>("one element", [](auto const& u) { return sum(abs(u)) + both(sum(u)); }, line{number(0.4, 0.6)});
    check<false>("beside", [](auto const& t, auto const& u) { return sum(abs(exp(number(0, 1) * t) - u)); }, reals{0.3, 1.2, 2.0}, b);
}
