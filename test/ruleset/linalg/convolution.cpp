// convolve, conv1d, conv2d and conv3d: against loops over every index, in NumPy's modes, with steps, padding, dilation and groups, second derivatives against
// differences, layouts, bad input, and what is called.
#include <array>
#include <cmath>
#include <limits>

#include "../../count_allocations.hpp"
#include "blas_calls.hpp"
#include "orders.hpp"

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

using images = xt::xtensor<double, 4>;
using sizes = std::array<std::size_t, 4>;

vector convolved(vector const& a, vector const& b, char mode) {
    std::size_t const n = a.size(), m = b.size(), longer = std::max(n, m), shorter = std::min(n, m);
    vector y = xt::zeros<double>({n + m - 1});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) y(i + j) += a(i) * b(j);
    if (mode == 'f') return y;
    std::size_t const first = mode == 's' ? (shorter - 1) / 2 : shorter - 1, count = mode == 's' ? longer : longer - shorter + 1;
    return vector(xt::view(y, xt::range(first, first + count)));
}
template <std::size_t D>
using lattice = xt::xtensor<double, D + 2>;
// Of x with 3 - D extents of one before those that a filter moves along.
template <std::size_t D>
lattice<3> as_volumes(lattice<D> const& x) {
    std::array<std::size_t, 5> s{x.shape(0), x.shape(1), 1, 1, 1};
    for (std::size_t d = 0; d < D; ++d) s[5 - D + d] = x.shape(d + 2);
    return lattice<3>(xt::reshape_view(x, s));
}
template <std::size_t D>
lattice<D> seen(lattice<D> const& plain_x, lattice<D> const& plain_w, xg::conv_options<D> const& o = {}) {
    lattice<3> const x = as_volumes<D>(plain_x), w = as_volumes<D>(plain_w);
    std::array<std::ptrdiff_t, 3> step{1, 1, 1}, gap{1, 1, 1}, before{0, 0, 0};
    std::array<std::size_t, 5> shape{x.shape(0), w.shape(0), 1, 1, 1};
    std::array<std::size_t, D + 2> result{x.shape(0), w.shape(0)};
    for (std::size_t d = 0; d < D; ++d) {
        std::size_t const e = d + 3 - D, n = x.shape(e + 2), reach = (w.shape(e + 2) - 1) * o.dilation[d] + 1;
        step[e] = static_cast<std::ptrdiff_t>(o.stride[d]), gap[e] = static_cast<std::ptrdiff_t>(o.dilation[d]);
        std::size_t const places = o.same ? (n + o.stride[d] - 1) / o.stride[d] : (n + 2 * o.padding[d] - reach) / o.stride[d] + 1;
        before[e] = static_cast<std::ptrdiff_t>(o.padding[d]);
        if (o.same && (places - 1) * o.stride[d] + reach > n) before[e] = static_cast<std::ptrdiff_t>(((places - 1) * o.stride[d] + reach - n) / 2);
        shape[e + 2] = result[d + 2] = places;
    }
    lattice<3> y = xt::zeros<double>(shape);
    auto const in_group = [&](std::size_t f) { return f / (w.shape(0) / o.groups) * w.shape(1); };
    auto const at = [](auto i) { return static_cast<std::size_t>(i); };
    auto y_at = y.begin();
    for (std::size_t n = 0; n < shape[0]; ++n)
        for (std::size_t f = 0; f < shape[1]; ++f)
            for (std::size_t p = 0; p < shape[2]; ++p)
                for (std::size_t q = 0; q < shape[3]; ++q)
                    for (std::size_t r = 0; r < shape[4]; ++r, ++y_at)
                        for (std::size_t c = 0; c < w.shape(1); ++c)
                            for (std::size_t k = 0; k < w.shape(2); ++k)
                                for (std::size_t l = 0; l < w.shape(3); ++l)
                                    for (std::size_t m = 0; m < w.shape(4); ++m) {
                                        std::array<std::size_t, 3> const place{p, q, r}, number{k, l, m};
                                        std::array<std::ptrdiff_t, 3> i{};
                                        bool inside = true;
                                        for (std::size_t d = 0; d < 3; ++d) {
                                            i[d] =
                                                static_cast<std::ptrdiff_t>(place[d]) * step[d] + static_cast<std::ptrdiff_t>(number[d]) * gap[d] - before[d];
                                            inside = inside && i[d] >= 0 && at(i[d]) < x.shape(d + 2);
                                        }
                                        if (inside) *y_at += x(n, in_group(f) + c, at(i[0]), at(i[1]), at(i[2])) * w(f, c, k, l, m);
                                    }
    return lattice<D>(xt::reshape_view(y, result));
}
images seen(images const& x, images const& w, xg::conv2d_options const& o = {}) { return seen<2>(x, w, o); }

}

BOOST_AUTO_TEST_CASE(lines) {
    using namespace xg::convolve_mode;
    auto const all = [](auto const& a, auto const& b) {
        return weighed_active(square(convolve(a, b))) + weighed_active(square(xg::convolve(a, b, same{}))) + weighed_active(xg::convolve(a, b, valid{})) +
               weighed_active(a) * sum(b);
    };
    auto const plain = [](vector const& a, vector const& b) {
        vector const f = convolved(a, b, 'f'), s = convolved(a, b, 's');
        return weighed(vector(f * f)) + weighed(vector(s * s)) + weighed(convolved(a, b, 'v')) + weighed(a) * xt::sum(b)();
    };
    for (auto const& [n, m] : {std::pair<std::size_t, std::size_t>{7, 3}, {7, 4}, {3, 6}, {4, 4}, {5, 1}, {1, 5}, {1, 1}}) {
        BOOST_TEST_CONTEXT(n << " and " << m) agree(all, plain, filled<vector>({n}), filled<vector>({m}, 0.6));
    }
    vector const a = filled<vector>({9}), b = filled<vector>({5}, 0.6);
    agree([&](auto const& x, auto const& y) { return all(view(x, xt::range(8, 0, -2)), view(y, xt::range(0, 5, 2))); },
          [&](vector const& x, vector const& y) { return plain(vector(xt::view(x, xt::range(8, 0, -2))), vector(xt::view(y, xt::range(0, 5, 2)))); }, a, b);
    agree([&](auto const& x) { return weighed_active(xg::convolve(x, b, full{})) + weighed_active(xg::convolve(b, x * x, same{})); },
          [&](auto const& x) { return weighed(convolved(vector(x), b, 'f')) + weighed(convolved(b, vector(x * x), 's')); }, xt::xarray<double>(a));
    agree([](auto const& x, auto const& y) { return sum(square(convolve(x, y, xt::convolve_mode::full{}))); },
          [](vector const& x, vector const& y) {
              vector const f = convolved(x, y, 'f');
              return xt::sum(f * f)();
          },
          xt::xtensor<float, 1>{1.0f, 2.0f, 3.0f}, xt::xtensor<float, 1>{0.5f, -1.0f});
    BOOST_CHECK(xt::allclose(xg::convolve(a, b), convolved(a, b, 'f')));
    BOOST_CHECK(xt::allclose(xg::convolve(b, a, same{}), convolved(b, a, 's')));
    // what numpy.convolve gives
    BOOST_CHECK(xt::allclose(xg::convolve(vector{1, 2, 3, 4, 5}, vector{1, 0, 0, 0}, same{}), vector{2, 3, 4, 5, 0}));
    BOOST_CHECK(xt::allclose(xg::convolve(vector{1, 2, 3}, vector{0, 1, 0.5}, valid{}), vector{2.5}));
    check_orders(all, filled<vector>({5}), filled<vector>({2}, 0.4));
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::invalid_argument>(
            [&] { xg::gradient([](auto const& x, auto const& y) { return sum(convolve(x, y)); }, a, vector(xt::zeros<double>({0}))); },
            {"convolve(a, b)", "(9,)", "(0,)"});
        check_refusal<std::invalid_argument>([&] { (void)xg::convolve(xt::xarray<double>(filled<matrix>({2, 2})), a); }, {"convolve(a, b)", "(2, 2)", "(9,)"});
    }
    vector spoilt = a;
    spoilt(0) = std::numeric_limits<double>::quiet_NaN();
    vector const y = xg::convolve(spoilt, b);
    BOOST_CHECK(std::isnan(y(0)) && std::isnan(y(4)) && !std::isnan(y(5)));
}
BOOST_AUTO_TEST_CASE(pictures) {
    struct one {
        sizes x, w;
        xg::conv2d_options o;
    };
    for (auto const& [s, t, o] : {one{{2, 3, 5, 4}, {2, 3, 3, 2}, {}},
                                  one{{1, 2, 5, 6}, {3, 2, 3, 3}, {.stride = {2, 3}, .padding = {1, 2}}},
                                  one{{2, 1, 3, 3}, {1, 1, 3, 3}, {.stride = {4, 1}, .padding = {0, 4}}},
                                  one{{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
                                  one{{1, 3, 4, 4}, {2, 3, 1, 1}, {.stride = {2, 2}}},
                                  one{{0, 2, 4, 4}, {2, 2, 2, 2}, {}},
                                  one{{2, 0, 3, 3}, {2, 0, 2, 2}, {}},
                                  one{{2, 1, 3, 3}, {0, 1, 2, 2}, {}},
                                  one{{1, 2, 5, 6}, {2, 2, 2, 3}, {.dilation = {3, 2}}},
                                  one{{2, 4, 5, 5}, {6, 2, 2, 2}, {.groups = 2}},
                                  one{{1, 3, 4, 4}, {6, 1, 2, 3}, {.padding = {0, 1}, .groups = 3}},
                                  one{{2, 4, 6, 7}, {2, 2, 2, 3}, {.stride = {2, 3}, .padding = {1, 3}, .dilation = {3, 2}, .groups = 2}},
                                  one{{1, 4, 3, 3}, {4, 2, 1, 1}, {.groups = 2}},
                                  one{{2, 2, 4, 5}, {1, 2, 2, 4}, {.same = true}},
                                  one{{1, 2, 5, 7}, {2, 1, 3, 2}, {.stride = {2, 3}, .dilation = {2, 1}, .groups = 2, .same = true}},
                                  one{{1, 1, 5, 5}, {1, 1, 1, 1}, {.stride = {3, 4}, .same = true}},
                                  one{{1, 1, 1, 1}, {1, 1, 1, 1}, {.dilation = {9, 9}}},
                                  one{{1, 1, 2, 2}, {1, 1, 5, 5}, {.same = true}},
                                  one{{0, 4, 3, 3}, {2, 2, 2, 2}, {.groups = 2}},
                                  one{{1, 0, 3, 3}, {4, 0, 2, 2}, {.groups = 2}},
                                  one{{1, 4, 3, 3}, {0, 2, 2, 2}, {.groups = 2}}}) {
        auto const& options = o;
        agree([&](auto const& x, auto const& w) { return weighed_active(square(conv2d(x, w, options))) + weighed_active(x) + weighed_active(w); },
              [&](images const& x, images const& w) { return weighed(images(xt::square(seen(x, w, options)))) + weighed(x) + weighed(w); }, filled<images>(s),
              filled<images>(t, 0.6));
    }
    images const x = filled<images>({2, 2, 4, 4}), w = filled<images>({2, 2, 2, 3}, 0.6);
    // one of both a constant, of dynamic rank, in other layouts
    agree([&](auto const& a) { return weighed_active(xg::conv2d(a, w)) + weighed_active(xg::conv2d(x, a, {.padding = {1, 1}})); },
          [&](auto const& a) { return weighed(seen(images(a), w)) + weighed(seen(x, images(a), {.padding = {1, 1}})); },
          xt::xarray<double>(filled<images>({2, 2, 4, 4}, 0.1)));
    agree([](auto const& a, auto const& b) {
              auto p = view(a, xt::range(1, xt::placeholders::_, -1), xt::all(), xt::range(0, 4, 2), xt::range(3, xt::placeholders::_, -1));
              auto q = view(b, xt::all(), xt::range(1, xt::placeholders::_, -1), xt::all(), xt::range(0, 3, 2));
              return weighed_active(conv2d(p, q)) + weighed_active(conv2d(transpose(a, {1, 0, 3, 2}), transpose(b, {0, 1, 3, 2})));
          },
          [](images const& a, images const& b) {
              images const p = xt::view(a, xt::range(1, xt::placeholders::_, -1), xt::all(), xt::range(0, 4, 2), xt::range(3, xt::placeholders::_, -1));
              images const q = xt::view(b, xt::all(), xt::range(1, xt::placeholders::_, -1), xt::all(), xt::range(0, 3, 2)), r = xt::transpose(a, {1, 0, 3, 2}),
                           s = xt::transpose(b, {0, 1, 3, 2});
              return weighed(seen(p, q)) + weighed(seen(r, s));
          }, x, w);
    agree([](auto const& a, auto const& b) { return sum(square(conv2d(a, b))); },
          [](images const& a, images const& b) { return xt::sum(xt::square(seen(a, b)))(); },
          xt::xtensor<float, 4, xt::layout_type::column_major>(xt::cast<float>(filled<images>({1, 2, 3, 3}))), xt::xtensor<float, 4>(xt::cast<float>(w)));
    BOOST_CHECK(xt::allclose(xg::conv2d(x, w), seen(x, w)));
    check_orders([](auto const& a,
                    auto const& b) { return weighed_active(square(conv2d(a, b, {.stride = {1, 2}, .padding = {1, 0}, .dilation = {2, 1}, .groups = 2}))); },
                 filled<images>({2, 2, 2, 3}), filled<images>({2, 1, 2, 2}, 0.6));
    check_orders([&](auto const& b) { return weighed_active(square(conv2d(x, b))); }, filled<images>({1, 2, 2, 2}));
    for (int i = 0; i < 2; ++i) {
        auto const both = [](images const& a, images const& b, xg::conv2d_options o = {}) {
            return [=] { xg::gradient([o](auto const& p, auto const& q) { return sum(conv2d(p, q, o)); }, a, b); };
        };
        check_refusal<std::invalid_argument>(both(x, filled<images>({2, 3, 2, 2})), {"conv2d(x, w)", "channels", "(2, 2, 4, 4)", "(2, 3, 2, 2)"});
        check_refusal<std::invalid_argument>(both(x, filled<images>({2, 2, 5, 2})), {"conv2d(x, w)", "larger", "(2, 2, 5, 2)"});
        check_refusal<std::invalid_argument>(both(x, filled<images>({2, 2, 0, 2})), {"conv2d(x, w)", "(2, 2, 0, 2)"});
        check_refusal<std::invalid_argument>(both(x, w, {.stride = {0, 1}}), {"conv2d(x, w, {.stride = ...})", "at least 1"});
        check_refusal<std::invalid_argument>(both(x, w, {.dilation = {1, 0}}), {"conv2d(x, w, {.dilation = ...})", "at least 1"});
        // less than nothing, before it became unsigned
        check_refusal<std::invalid_argument>(both(x, w, {.stride = {1, std::size_t(-2)}}), {"conv2d(x, w, {.stride = ...})", "found -2"});
        check_refusal<std::invalid_argument>(both(x, w, {.padding = {0, std::size_t(-1)}}), {"conv2d(x, w, {.padding = ...})", "at least 0, found -1"});
        check_refusal<std::invalid_argument>(both(x, w, {.dilation = {std::size_t(-1), 1}}), {"conv2d(x, w, {.dilation = ...})", "found -1"});
        check_refusal<std::invalid_argument>(both(x, w, {.dilation = {1, 2}}), {"conv2d(x, w)", "dilated", "(2, 2, 2, 3)"});
        check_refusal<std::invalid_argument>(both(x, w, {.padding = {0, 1}, .same = true}), {"conv2d(x, w, {.same = true})", "no padding"});
        check_refusal<std::invalid_argument>(both(x, w, {.groups = 0}), {"conv2d(x, w, {.groups = 0})", "multiples"});
        check_refusal<std::invalid_argument>(both(x, w, {.groups = 2}), {"conv2d(x, w, {.groups = 2})", "(2, 2, 4, 4) and (2, 2, 2, 3)", "channels / groups"});
        check_refusal<std::invalid_argument>(both(x, filled<images>({3, 1, 2, 2}), {.groups = 2}), {"conv2d(x, w, {.groups = 2})", "(3, 1, 2, 2)"});
        check_refusal<std::invalid_argument>(both(x, filled<images>({3, 1, 2, 2}), {.groups = 3}), {"conv2d(x, w, {.groups = 3})", "multiples"});
        check_refusal<std::invalid_argument>([&] { (void)xg::conv2d(xt::xarray<double>(x), xt::xarray<double>(filled<matrix>({2, 2}))); },
                                             {"conv2d(x, w)", "(2, 2, 4, 4)", "(2, 2)"});
    }
}
BOOST_AUTO_TEST_CASE(lines_with_channels_and_volumes) {
    using channels = lattice<1>;
    struct one {
        std::array<std::size_t, 3> x, w;
        xg::conv1d_options o;
    };
    for (auto const& [s, t, o] : {one{{2, 3, 7}, {2, 3, 3}, {}}, one{{2, 4, 9}, {2, 2, 3}, {.stride = {2}, .padding = {1}, .dilation = {2}, .groups = 2}},
                                  one{{1, 2, 6}, {4, 1, 4}, {.groups = 2, .same = true}}, one{{2, 3, 4}, {2, 3, 1}, {}}, one{{1, 1, 1}, {1, 1, 1}, {}},
                                  one{{0, 1, 3}, {1, 1, 2}, {}}, one{{1, 1, 0}, {1, 1, 2}, {.padding = {2}}}}) {
        auto const& options = o;
        agree([&](auto const& x, auto const& w) { return weighed_active(square(conv1d(x, w, options))) + weighed_active(w); },
              [&](channels const& x, channels const& w) { return weighed(channels(xt::square(seen<1>(x, w, options)))) + weighed(w); }, filled<channels>(s),
              filled<channels>(t, 0.6));
    }
    channels const x = filled<channels>({2, 4, 9}), w = filled<channels>({2, 2, 3}, 0.6);
    BOOST_CHECK(xt::allclose(xg::conv1d(x, w, {.groups = 2}), seen<1>(x, w, {.groups = 2})));
    // a channel of a transposed array is no row, and one of a slice is a row of another length
    agree(
        [](auto const& a, auto const& b) {
            auto one = view(b, xt::all(), xt::range(0, 2), xt::range(1, 2));
            return weighed_active(conv1d(transpose(a), view(b, xt::all(), xt::all(), xt::range(0, 3, 2)))) +
                   weighed_active(conv1d(view(a, xt::all(), xt::range(1, 3), xt::range(1, 5)), one)) + weighed_active(conv1d(transpose(a), one, {.groups = 2}));
        },
        [](channels const& a, channels const& b) {
            channels const p = xt::transpose(a), q = xt::view(b, xt::all(), xt::all(), xt::range(0, 3, 2)),
                           r = xt::view(a, xt::all(), xt::range(1, 3), xt::range(1, 5)), t = xt::view(b, xt::all(), xt::range(0, 2), xt::range(1, 2));
            return weighed(seen<1>(p, q)) + weighed(seen<1>(r, t)) + weighed(seen<1>(p, t, {.groups = 2}));
        },
        filled<channels>({5, 4, 6}), filled<channels>({2, 4, 3}));
    check_orders(
        [](auto const& a, auto const& b) {
            return weighed_active(square(conv1d(a, b, {.dilation = {2}, .groups = 2}))) +
                   weighed_active(square(conv1d(view(a, xt::all(), xt::range(0, 1), xt::all()), view(b, xt::all(), xt::all(), xt::range(0, 1)))));
        },
        filled<channels>({2, 2, 4}), filled<channels>({2, 1, 2}, 0.6));
    using volumes = lattice<3>;
    for (auto const& o : {xg::conv3d_options{}, {.stride = {2, 1, 2}, .padding = {1, 0, 2}, .dilation = {1, 3, 2}, .groups = 2}, {.same = true}}) {
        auto const f = [&](auto const& a, auto const& b) { return weighed_active(square(conv3d(a, b, o))); };
        agree(
            f, [&](volumes const& a, volumes const& b) { return weighed(volumes(xt::square(seen<3>(a, b, o)))); }, filled<volumes>({2, 2, 3, 4, 3}),
            filled<volumes>({2, 2 / o.groups, 2, 2, 1}, 0.6));
    }
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::invalid_argument>([&] { (void)xg::conv1d(x, channels(xt::zeros<double>({2, 4, 10}))); },
                                             {"conv1d(x, w) requires lines", "(2, 4, 9) and (2, 4, 10)"});
        check_refusal<std::invalid_argument>([&] { (void)xg::conv1d(x, w, {.groups = 3}); }, {"conv1d(x, w, {.groups = 3})", "multiples"});
        check_refusal<std::invalid_argument>(
            [&] { (void)xg::conv3d(volumes(xt::zeros<double>({1, 1, 2, 2, 2})), volumes(xt::zeros<double>({1, 2, 1, 1, 1}))); },
            {"conv3d(x, w) requires volumes", "(1, 2, 1, 1, 1)"});
    }
}
BOOST_AUTO_TEST_CASE(three_products_an_image_and_nothing_from_the_heap) {
    images const x = filled<images>({2, 3, 8, 8}), w = filled<images>({4, 3, 3, 3}, 0.6);
    auto g = xg::prepare_gradient([](auto const& a, auto const& b) { return sum(conv2d(a, b)); }, x, w);
    g(x, w);
    std::size_t const before = allocations;
    auto const calls = blas_calls_of([&] { g(x, w); });
    BOOST_CHECK_EQUAL(allocations - before, 0u);
    if constexpr (counts_blas_calls) BOOST_CHECK_EQUAL(calls.gemm, 6);
}
