// Broadcasting in every combination of ranks from 0 to 4, and of extents of 1 in them.
#include <array>
#include <cstddef>
#include <utility>

#include "against_differences.hpp"

using programs::agree;

struct counted_exp {
    static constexpr char const* name = "counted_exp(x)";
    static inline int count = 0;
    auto operator()(auto const& x) const { ++count; return xgrad::op::exp{}(x); }
};
template <>
inline constexpr auto xgrad::partials<counted_exp> = [](auto y, auto) { return partial(y); };

namespace {

constexpr std::array<std::size_t, 4> full{2, 3, 2, 5};

// The trailing R extents of `full`; where a bit of `ones` is set, 1.
template <std::size_t R>
std::array<std::size_t, R> shape(unsigned ones) {
    std::array<std::size_t, R> s{};
    for (std::size_t d = 0; d < R; ++d) s[d] = ones >> d & 1u ? 1 : full[4 - R + d];
    return s;
}

template <class A, class S>
A filled(S const& s, double first) {
    A a(typename A::shape_type(s.begin(), s.end()));
    for (auto& e : a) e = first += 0.0625;
    return a;
}

template <std::size_t R>
auto operand(unsigned ones, double first) {
    if constexpr (R == 0) return first;
    else {
        xt::xtensor<double, R> a(shape<R>(ones));
        for (auto& e : a) e = first += 0.0625;
        return a;
    }
}
template <class... X>
auto total(X const&... x) {
    if constexpr ((std::is_arithmetic_v<X> && ...)) return (x * ...);
    else return xt::sum((x * ...))();
}

// The value and both gradients of sum(x * y), against xtensor's own.
template <std::size_t A, std::size_t B>
void both_ways() {
    auto f = [](auto const& x, auto const& y) { return sum(x * y); };
    auto x = operand<A>(0, 0.2);
    auto y = operand<B>(0, 0.5);
    agree(f, [](auto const& u, auto const& v) { return total(u, v); }, x, y);
}
template <std::size_t... I>
void every_pair(std::index_sequence<I...>) {
    (both_ways<I / 5, I % 5>(), ...);
}

}

BOOST_AUTO_TEST_CASE(every_pair_of_ranks) { every_pair(std::make_index_sequence<25>{}); }

BOOST_AUTO_TEST_CASE(every_extent_of_one) {
    auto f = [](auto const& x, auto const& y) { auto h = x * y; return sum(h * h * x); };
    auto plain = [](auto const& x, auto const& y) { return xt::sum(x * y * x * y * x)(); };
    for (unsigned p = 0; p < 8; ++p)
        for (unsigned q = 0; q < 8; ++q) BOOST_TEST_CONTEXT("ones " << p << ", " << q) agree(f, plain, operand<3>(p, 0.2), operand<3>(q, 0.5));
}

BOOST_AUTO_TEST_CASE(every_shape_of_dynamic_rank) {
    using array = xt::xarray<double>;
    auto f = [](auto const& x, auto const& y) { auto h = x * y; return sum(h * h + x); };
    auto plain = [](array const& x, array const& y) { array h = x * y; return xt::sum(h * h + x)(); };
    auto shape_of = [](std::size_t rank, unsigned ones) {
        std::vector<std::size_t> s(full.end() - std::ptrdiff_t(rank), full.end());
        for (std::size_t d = 0; d < rank; ++d)
            if (ones >> d & 1u) s[d] = 1;
        return s;
    };
    for (std::size_t r = 0; r <= 3; ++r)
        for (std::size_t t = 0; t <= 3; ++t)
            for (unsigned p = 0; p < 1u << r; ++p)
                for (unsigned q = 0; q < 1u << t; ++q)
                    BOOST_TEST_CONTEXT("ranks " << r << ", " << t << ", ones " << p << ", " << q)
                    agree(f, plain, filled<array>(shape_of(r, p), 0.2), filled<array>(shape_of(t, q), 0.5));
}

BOOST_AUTO_TEST_CASE(three_operands_and_constants) {
    agree([](auto const& x, auto const& y, auto const& z) { return sum(x * y + z * x - y / (z + 3.0)); },
          [](auto const& x, auto const& y, auto const& z) { return xt::sum(x * y + z * x - y / (z + 3.0))(); }, operand<3>(1, 0.2), operand<2>(2, 0.3),
          operand<4>(5, 0.4));
    xt::xtensor<double, 2> const k = operand<2>(1, 0.7);
    xt::xtensor<double, 1> const l = operand<1>(0, 0.1);
    agree(
        [&](auto const& x, auto const& y) {
            auto h = x * k;
            return sum(h * y + l);
        },
        [&](auto const& x, double y) { return xt::sum(x * k * y + l)(); }, operand<2>(2, 0.2), 1.5);
}

// What is broadcast, and is not cheap, is computed once for each of its own elements, named or not, and pulled once.
BOOST_AUTO_TEST_CASE(what_is_broadcast_is_computed_once) {
    auto once = [](auto&& x) { return xgrad::elementwise<counted_exp>(std::forward<decltype(x)>(x)); };
    auto const row = operand<1>(0, 0.1);
    auto const x = operand<4>(0, 0.2);
    auto f = [&](auto const& w, auto const& u) { return sum(once(2.0 * w) * u + u * once(w)); };
    agree(f, [](auto const& w, auto const& u) { return xt::sum((xt::exp(2.0 * w) + xt::exp(w)) * u)(); }, row, x);
    auto g = xgrad::prepare_gradient(f, row, x);
    counted_exp::count = 0;
    g(row, x);
    BOOST_TEST(counted_exp::count <= 4 * int(row.size()));
    // of as many dimensions, too, where some have one element
    for (unsigned ones : {1u, 6u, 8u, 9u, 15u}) {
        auto const thin = operand<4>(ones, 0.1);
        agree(f, [](auto const& w, auto const& u) { return xt::sum((xt::exp(2.0 * w) + xt::exp(w)) * u)(); }, thin, x);
        auto h = xgrad::prepare_gradient(f, thin, x);
        counted_exp::count = 0;
        h(thin, x);
        BOOST_TEST(counted_exp::count <= 4 * int(thin.size()));
    }
    auto normal = [](auto const& u, auto const& w) {
        auto centred = u - mean(u, {3}, xt::keep_dims);
        auto z = centred / sqrt(mean(centred * centred, {3}, xt::keep_dims) + 0.1);
        return sum(z * exp(w) / (1.0 + exp(-z * cosh(w))));
    };
    auto plain = [](auto const& u, auto const& w) {
        xt::xtensor<double, 4> const m = xt::mean(u, {3}, xt::keep_dims), c = u - m, v = xt::mean(c * c, {3}, xt::keep_dims), z = c / xt::sqrt(v + 0.1);
        return xt::sum(z * xt::exp(w) / (1.0 + xt::exp(-z * xt::cosh(w))))();
    };
    for (unsigned ones : {0u, 3u, 8u}) agree(normal, plain, x, operand<4>(ones, 0.3));
}

// Rows that are shorter than a tile go together, as many as are whole steps; what is the same in each of them is copied once, and so are its cotangents.
BOOST_AUTO_TEST_CASE(short_rows) {
    auto f = [](auto const& x, auto const& m, auto const& l) {
        auto z = (x - m) * exp(0.1 * l);
        auto h = sin(x) * m;
        return sum(square(z) * l) + sum(h * h * m - l * x) + sum(sqrt(1.0 + sum(square(z), {1}))) + sum(sum(z * x, {0}) * m);
    };
    auto plain = [](auto const& x, auto const& m, auto const& l) {
        xt::xtensor<double, 2> const z = (x - m) * xt::exp(0.1 * l), h = xt::sin(x) * m;
        xt::xtensor<double, 1> const s = xt::sum(z * z, {1}), t = xt::sum(z * x, {0});
        return xt::sum(z * z * l)() + xt::sum(h * h * m - l * x)() + xt::sum(xt::sqrt(1.0 + s))() + xt::sum(t * m)();
    };
    auto numbers = [](auto a, double first) {
        for (std::size_t i = 0; i < a.size(); ++i) a.flat(i) = first + 0.01 * double(i * 7 % 13);
        return a;
    };
    using matrix = xt::xtensor<double, 2>;
    using row = xt::xtensor<double, 1>;
    for (auto const& [rows, length] : {std::pair<std::size_t, std::size_t>{40, 3}, {7, 10}, {1, 5}, {9, 37}, {3, 100}})
        BOOST_TEST_CONTEXT(rows << " rows of " << length)
        agree(f, plain, numbers(matrix::from_shape({rows, length}), 0.3), numbers(row::from_shape({length}), 0.2), numbers(row::from_shape({length}), 0.5));
    // many tiles; floats
    xt::xtensor<float, 2> const x = xt::ones<float>({100003, 3});
    xt::xtensor<float, 1> const m{0.1f, 0.2f, 0.3f};
    auto const g = std::get<1>(xgrad::gradient([](auto const& u, auto const& v) { return sum(u * v * v); }, x, m));
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(g(i) == 200006.0f * m(i), boost::test_tools::tolerance(1e-6f));
}

// Arrays of one layout are walked in their own order, those of several in row-major order.
BOOST_AUTO_TEST_CASE(layouts_side_by_side) {
    using columns = xt::xtensor<double, 3, xt::layout_type::column_major>;
    auto f = [](auto const& x, auto const& y, auto const& z) {
        auto h = x * y;
        return sum(exp(0.1 * x) * y + x * x) + sum(h * sin(z) + z) + sum(sum(x * y, {0}) * sum(y, {1, 2}, xt::keep_dims) * 0.01);
    };
    auto plain = [](auto const& x, auto const& y, auto const& z) {
        xt::xarray<double> const s = xt::sum(x * y, {0}), t = xt::sum(y, {1, 2}, xt::keep_dims);
        return xt::sum(xt::exp(0.1 * x) * y + x * x)() + xt::sum(x * y * xt::sin(z) + z)() + 0.01 * xt::sum(s * t)();
    };
    xt::xtensor<double, 3> const a = operand<3>(0, 0.2), b = operand<3>(0, 0.4);
    columns const c = a, d = b;
    xt::xtensor<double, 2> const e = operand<2>(0, 0.3);
    xt::xtensor<double, 2, xt::layout_type::column_major> const k = e;
    agree(f, plain, c, d, c);
    agree(f, plain, c, d, k);
    agree(f, plain, c, b, e);
    agree(f, plain, a, d, k);
    agree(f, plain, c, columns(operand<3>(2, 0.5)), a);
}

// All uses of arrays are of one: they are summed in registers; and they are not, in every order.
BOOST_AUTO_TEST_CASE(one_array_used_again) {
    auto const x = operand<1>(0, 0.2), y = operand<1>(0, 0.7);
    auto f = [](auto const& u, auto const& v) { return sum(u * u / 2.0 + 1.0 / (1.0 + u * u)) + sum(u * v * u * (v + u) / v) + sum(v * v * u * exp(u - v)); };
    auto plain = [](auto const& u, auto const& v) {
        return xt::sum(u * u / 2.0 + 1.0 / (1.0 + u * u))() + xt::sum(u * v * u * (v + u) / v)() + xt::sum(v * v * u * xt::exp(u - v))();
    };
    for (std::size_t n : {0, 1, 3, 8, 13, 37, 300}) {
        xt::xtensor<double, 1> a = xt::xtensor<double, 1>::from_shape({n}), b = a;
        for (std::size_t i = 0; i < n; ++i) a(i) = 0.2 + 0.01 * double(i % 17), b(i) = 0.9 - 0.01 * double(i % 13);
        BOOST_TEST_CONTEXT("n = " << n) {
            agree(f, plain, a, b);
            agree([&](auto const& u) { return f(u, u) + sum(view(u, xt::range(0, n)) * u * u); },
                  [&](auto const& u) { return plain(u, u) + xt::sum(u * u * u)(); }, a);
        }
    }
    for (double numerator : {0.0, 1e-310, 1e-8, -3.0, 1e300, 1e307})
        BOOST_TEST_CONTEXT("numerator " << numerator)
        for (std::size_t n : {3, 16}) {
            xt::xtensor<double, 1> const a = xt::linspace<double>(0.5, 4.0, n);
            auto const g = std::get<0>(xgrad::gradient([=](auto const& u) { return sum(numerator / u); }, a));
            for (std::size_t i = 0; i < n; ++i) BOOST_TEST(g(i) == -numerator / a(i) / a(i), boost::test_tools::tolerance(1e-14));
        }
}
