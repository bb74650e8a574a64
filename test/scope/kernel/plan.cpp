// How a kernel goes through its iteration space: tiles cover it, and each array is met at the elements that broadcasting says.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/scope/kernel/step.hpp>

namespace {

using xgrad::extents;
using xgrad::strides;

struct step {
    static constexpr std::size_t width = 1, size = 4;
};

// What a kernel of steps of four elements reads of an array of numbers, in row-major order, and how many tiles it takes.
template <int S, int R>
std::vector<int> elements(extents<S> const& space, extents<R> const& shape, strides<R> const& stride, std::ptrdiff_t at, std::vector<int> const& data,
                          int& tiles) {
    constexpr std::size_t unit = step::size;
    std::size_t const count = xgrad::element_count(space);
    std::vector<int> found(count, 0), places(count);
    std::iota(places.begin(), places.end(), 0);
    xgrad::offsets arrays[2];
    xgrad::seen_arrays seen(space, count, (count + unit - 1) / unit, nullptr);
    xgrad::offsets const *all = nullptr, *o = nullptr;
    seen.see(shape, xgrad::is_contiguous(shape, stride));
    xgrad::plan p(seen, unit, arrays);
    if (!p.is_flat()) {
        p.begin_entering();
        all = p.enter_all();
        o = p.enter(shape, stride);
    }
    std::size_t const whole = p.start_flat(8 * unit), first = p.size;
    BOOST_REQUIRE(whole + p.rest == first && whole % unit == 0);
    for (std::size_t i = 0; i < first; ++i) found[i] = data[static_cast<std::size_t>(at) + i];
    tiles = first != 0;
    if (first == count) return found;
    p.start();
    do {
        ++tiles;
        BOOST_REQUIRE(p.size != 0);
        BOOST_REQUIRE(p.partial ? p.size < unit && p.rest == 0 : p.size >= unit);
        BOOST_REQUIRE(p.partial || (p.size - p.rest) % unit == 0);
        BOOST_REQUIRE(p.rest < unit);
        auto const read = [&](xgrad::offsets const* of, int const* from) {
            std::vector<int> room(xgrad::staged_tile, -1);
            if (p.in_place(of)) std::copy_n(from + p.offset(of), p.size, room.begin());
            else xgrad::stage_in<int, step>(p, of, from, room.data(), false);
            return room;
        };
        auto const room = read(o, data.data() + at), where = read(all, places.data());
        if (!p.in_place(o)) {
            // adding it to where it belongs, in a copy of its own
            std::vector<int> to(data.size(), 0);
            xgrad::stage_out<int, step>(p, o, room.data(), to.data() + at, true);
            auto const end = room.begin() + static_cast<std::ptrdiff_t>(p.size);
            BOOST_REQUIRE_EQUAL(std::accumulate(to.begin(), to.end(), 0), std::accumulate(room.begin(), end, 0));
        }
        for (std::size_t i = 0; i < p.size; ++i) {
            int& y = found[static_cast<std::size_t>(where[i])];
            BOOST_REQUIRE_EQUAL(y, 0);  // each comes once
            y = room[i];
        }
    } while (p.next());
    return found;
}

// The same by indices.
template <int S, int R>
std::vector<int> expected(extents<S> const& space, extents<R> const& shape, strides<R> const& stride, std::ptrdiff_t at, std::vector<int> const& data) {
    std::vector<int> y;
    for (std::size_t k = 0; k < xgrad::element_count(space); ++k) {
        std::size_t rest = k;
        std::ptrdiff_t place = at;
        for (int d = S - 1; d >= 0; --d) {
            std::size_t const i = rest % space[d];
            rest /= space[d];
            int const e = d - (S - R);
            if (e >= 0 && shape[e] != 1) place += static_cast<std::ptrdiff_t>(i) * stride[e];
        }
        y.push_back(data[static_cast<std::size_t>(place)]);
    }
    return y;
}

template <int S, int R>
int check(extents<S> const& space, extents<R> const& shape, strides<R> const& stride, std::ptrdiff_t at = 0) {
    std::vector<int> data(20000);
    std::iota(data.begin(), data.end(), 1);
    int tiles = 0;
    auto const found = elements(space, shape, stride, at, data, tiles);
    auto const by_index = expected(space, shape, stride, at, data);
    BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), by_index.begin(), by_index.end());
    return tiles;
}

}

BOOST_AUTO_TEST_CASE(flat) {
    for (std::size_t n : {1u, 3u, 4u, 5u, 31u, 32u, 33u, 200u}) check(extents<1>{{n}}, extents<1>{{n}}, strides<1>{{n == 1 ? 0 : 1}});
    extents<2> const s{{3, 8}};
    BOOST_CHECK_EQUAL(check(s, s, xgrad::row_major_strides(s)), 1);
    extents<3> const t{{5, 1, 7}};
    check(t, t, xgrad::row_major_strides(t));
}
BOOST_AUTO_TEST_CASE(strided) {
    for (std::size_t n : {1u, 3u, 4u, 127u, 128u, 129u, 400u}) {
        check(extents<1>{{n}}, extents<1>{{n}}, strides<1>{{3}});
        check(extents<1>{{n}}, extents<1>{{n}}, strides<1>{{-2}}, 1000);
        check(extents<1>{{n}}, extents<1>{{n}}, strides<1>{{0}}, 5);
    }
}
BOOST_AUTO_TEST_CASE(broadcast) {
    for (std::size_t n : {1u, 2u, 3u, 4u, 16u, 17u, 64u, 130u, 520u})
        for (std::size_t m : {1u, 2u, 5u}) {
            extents<2> const space{{m, n}};
            check(space, extents<1>{{n}}, strides<1>{{n == 1 ? 0 : 1}});
            check(space, extents<2>{{m, 1}}, strides<2>{{m == 1 ? 0 : 1, 0}});
            check(space, extents<2>{{1, n}}, strides<2>{{0, 2}});
            check(space, extents<2>{{m, n}}, strides<2>{{1, static_cast<std::ptrdiff_t>(m)}});
            check(space, extents<0>{}, strides<0>{}, 7);
        }
}
BOOST_AUTO_TEST_CASE(of_more_axes) {
    extents<4> const space{{3, 2, 5, 4}};
    check(space, extents<4>{{3, 1, 5, 1}}, strides<4>{{5, 0, 1, 0}});
    check(space, extents<3>{{2, 1, 4}}, strides<3>{{4, 0, 1}});
    check(space, extents<4>{{3, 2, 5, 4}}, strides<4>{{80, 40, 8, 2}});
    extents<4> const rows{{3, 2, 5, 32}};
    check(rows, extents<4>{{3, 1, 5, 32}}, strides<4>{{160, 0, 32, 1}});
    check(rows, extents<2>{{5, 1}}, strides<2>{{1, 0}});
    check(rows, extents<4>{{3, 2, 5, 32}}, strides<4>{{-320, 160, -32, 1}}, 800);
}
BOOST_AUTO_TEST_CASE(of_short_rows_in_pieces) {
    // a long axis is in rows, and very long ones go in blocks
    for (std::size_t n : {3u, 15u, 16u, 17u, 50u, 1023u, 2047u, 2049u, 3075u, 5001u}) {
        auto const far = static_cast<std::ptrdiff_t>(n);
        extents<2> const space{{n, 3}};
        check(space, extents<2>{{n, 1}}, strides<2>{{1, 0}});
        check(space, space, strides<2>{{-3, 1}}, 3 * far);
        extents<3> const more{{n, 2, 3}};
        check(more, extents<3>{{n, 1, 3}}, strides<3>{{3, 0, 1}});
        check(more, extents<3>{{n, 2, 1}}, strides<3>{{2, 1, 0}});
        check(more, extents<2>{{2, 3}}, strides<2>{{1, 2}});
        extents<3> const between{{2, n, 3}};
        check(between, extents<3>{{2, n, 1}}, strides<3>{{far, 1, 0}});
    }
}
BOOST_AUTO_TEST_CASE(neighbours_that_go_on_are_one_axis) {
    // one row of 30 · 64 elements, in tiles of 32, though the first axis is broadcast
    BOOST_CHECK_EQUAL(check(extents<3>{{2, 5, 64}}, extents<2>{{5, 64}}, strides<2>{{64, 1}}), 2 * 5 * 64 / 32);
}
