// Blocks of elements that are moved (ruleset/move.hpp), beside loops over their places; and functions that move them, on arrays of three dimensions.
#include <boost/test/unit_test.hpp>

#include <xtensor/xpad.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace {

// Moves an array of this shape between memory of these strides, and does the same place by place.
template <int R>
void check_move(extents<R> const& shape, strides<R> const& y_stride, strides<R> const& x_stride) {
    std::size_t const room = 4000, middle = room / 2;
    std::vector<double> x(room), y(room, 0.5);
    std::iota(x.begin(), x.end(), 1.0);
    for (bool const add : {false, true}) {
        auto expected = y, moved = y;
        extents<R> at{};
        at.set_rank(shape.rank());
        for (std::size_t k = 0, n = element_count(shape); k < n; ++k) {
            std::size_t rest = k;
            std::ptrdiff_t i = middle, j = middle;
            for (int d = shape.rank(); d-- > 0; rest /= shape[d]) {
                auto const place = static_cast<std::ptrdiff_t>(rest % shape[d]);
                i += place * x_stride[d];
                j += place * y_stride[d];
            }
            auto& e = expected[static_cast<std::size_t>(j)];
            e = (add ? e : 0.0) + x[static_cast<std::size_t>(i)];
        }
        detail::move_elements<double, double>(shape, moved.data() + middle, y_stride, x.data() + middle, x_stride, add);
        BOOST_TEST((moved == expected), "shape " << to_string(shape) << ", strides " << to_string(y_stride) << " and " << to_string(x_stride));
    }
}

using box = xt::xtensor<double, 3>;
box numbered(std::array<std::size_t, 3> const& shape) {
    box x(shape);
    std::iota(x.begin(), x.end(), 1.0);
    return x;
}

// f moves elements as g does, and its pullback brings w to where they came from: <w, f(x)> = <pullback of w, x>, as f is linear (with fill 0).
template <class F, class G>
void check_moved(F f, G g, box const& x) {
    box const expected = g(x);
    auto const [y, ydot] = jvp(f, std::tuple(x), std::tuple(x));
    BOOST_TEST((y == expected));
    BOOST_TEST((ydot == expected));
    std::mt19937 random(1);
    box w(expected.shape());
    for (auto& e : w) e = std::uniform_int_distribution<>(1, 9)(random);
    auto const [xbar] = gradient([&](auto const& a) { return sum(f(a) * w); }, x);
    BOOST_TEST(xt::sum(xbar * x)() == xt::sum(w * expected)());
    // each element alone
    for (std::size_t k = 0; k < x.size(); k += 5) {
        box one = xt::zeros_like(x);
        one.flat(k) = 1;
        box const of_one = g(one);
        BOOST_TEST(xbar.flat(k) == xt::sum(w * of_one)());
    }
}

}

BOOST_AUTO_TEST_CASE(lines_are_joined) {
    check_move(extents<1>{{7}}, strides<1>{{1}}, strides<1>{{1}});
    check_move(extents<1>{{7}}, strides<1>{{1}}, strides<1>{{0}});
    check_move(extents<1>{{7}}, strides<1>{{2}}, strides<1>{{-3}});
    check_move(extents<2>{{3, 5}}, strides<2>{{5, 1}}, strides<2>{{5, 1}});
    check_move(extents<2>{{3, 5}}, strides<2>{{1, 3}}, strides<2>{{5, 1}});
    check_move(extents<2>{{3, 5}}, strides<2>{{6, 1}}, strides<2>{{5, 1}});
    check_move(extents<2>{{3, 5}}, strides<2>{{5, 1}}, strides<2>{{0, 1}});
    check_move(extents<2>{{1, 5}}, strides<2>{{0, 1}}, strides<2>{{99, 1}});
    check_move(extents<3>{{2, 3, 4}}, strides<3>{{12, 4, 1}}, strides<3>{{40, 4, 1}});
    check_move(extents<3>{{2, 3, 4}}, strides<3>{{20, -4, 1}}, strides<3>{{-12, 4, 1}});
    check_move(extents<3>{{2, 0, 4}}, strides<3>{{12, 4, 1}}, strides<3>{{12, 4, 1}});
    extents<dynamic_rank> shape;
    strides<dynamic_rank> stride;
    check_move(shape, stride, stride);
    shape.set_rank(4);
    stride.set_rank(4);
    for (int d = 0; d < 4; ++d) shape[d] = static_cast<std::size_t>(d + 1);
    check_move(shape, row_major_strides(shape), row_major_strides(shape));
}

BOOST_AUTO_TEST_CASE(moved_along_one_axis_of_three) {
    for (auto const& x : {numbered({2, 3, 4}), numbered({4, 1, 3}), numbered({1, 2, 1})})
        for (std::size_t axis = 0; axis < 3; ++axis) {
            auto const a = static_cast<std::ptrdiff_t>(axis);
            check_moved([=](auto const& e) { return roll(e, -1, a); }, [=](box const& e) { return box(xt::roll(e, -1, a)); }, x);
            check_moved([=](auto const& e) { return repeat(e, 3, axis); }, [=](box const& e) { return box(xt::repeat(e, 3, axis)); }, x);
        }
}

BOOST_AUTO_TEST_CASE(surrounded_and_tiled_along_all_axes) {
    std::vector<std::vector<std::size_t>> const widths{{1, 2}, {0, 1}, {2, 0}};
    box const x = numbered({3, 4, 3});
    for (auto const mode : {xt::pad_mode::constant, xt::pad_mode::symmetric, xt::pad_mode::reflect, xt::pad_mode::wrap, xt::pad_mode::periodic})
        check_moved([&](auto const& e) { return pad(e, widths, mode); }, [&](box const& e) { return box(xt::pad(e, widths, mode)); }, x);
    check_moved([](auto const& e) { return tile(e, {2, 1, 3}); }, [](box const& e) { return box(xt::tile(e, {2, 1, 3})); }, x);
}

BOOST_AUTO_TEST_CASE(joined_and_taken) {
    box const x = numbered({3, 4, 3});
    for (std::size_t axis = 0; axis < 3; ++axis)
        check_moved([=](auto const& e) { return concatenate(xt::xtuple(e, e), axis); },
                    [=](box const& e) { return box(xt::concatenate(xt::xtuple(e, e), axis)); }, x);
    for (std::ptrdiff_t axis = 0; axis < 3; ++axis)
        check_moved([=](auto const& e) { return take(e, {2, 0, 0, -1}, axis); },
                    [=](box const& e) {
                        if (axis == 0) return box(xt::view(e, xt::keep(2, 0, 0, 2), xt::all(), xt::all()));
                        if (axis == 1) return box(xt::view(e, xt::all(), xt::keep(2, 0, 0, 3), xt::all()));
                        return box(xt::view(e, xt::all(), xt::all(), xt::keep(2, 0, 0, 2)));
                    },
                    x);
}

BOOST_AUTO_TEST_CASE(results_that_no_memory_has_room_for) {
    auto const refuses = [](auto f) { BOOST_CHECK_THROW(value([&](auto const& a) { return sum(f(a)); }, xt::xtensor<double, 1>{1, 2}), std::length_error); };
    std::size_t const much = std::size_t{1} << 62;
    refuses([&](auto const& a) { return broadcast(view(a, xt::range(0, 1)), std::array<std::size_t, 2>{much, 1}); });
    refuses([&](auto const& a) { return broadcast(a, std::array<std::size_t, 3>{std::size_t{1} << 33, std::size_t{1} << 31, 2}); });
    refuses([&](auto const& a) { return tile(a, std::vector<std::size_t>{much}); });
    refuses([&](auto const& a) { return repeat(a, much, 0); });
    refuses([&](auto const& a) { return pad(a, much); });
}
