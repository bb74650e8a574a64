// Broadcasting in every combination of ranks from 0 to 4, and of extents of 1 in them.
#include <array>
#include <cstddef>
#include <utility>

#include "against_differences.hpp"

using programs::agree;

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
