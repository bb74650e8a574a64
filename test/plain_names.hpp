// Compares what functions give of plain operands with what they give in a call.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/xgrad.hpp>

namespace plain_names {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// What f gives of a plain operand is what it gives in a call.
inline xt::xarray<double> plain(auto const& a) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(a)>>) return xt::xarray<double>(static_cast<double>(a));
    else return xt::xarray<double>(a);
}
template <class A, class B>
bool same(A const& a, B const& b) {
    if constexpr (requires { std::tuple_size<A>::value; } && !requires { typename A::value_type; })
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return (same(std::get<I>(a), std::get<I>(b)) && ...); }(
                   std::make_index_sequence<std::tuple_size_v<A>>());
    else {
        auto const p = plain(a), q = plain(xgrad::primal(b));
        return p.shape() == q.shape() && xt::allclose(p, q, 1e-12, 1e-12);
    }
}
template <class F, class P>
void check(char const* what, F f, P const& operand) {
    bool agrees = false;
    xgrad::value([&](auto const& a) { return agrees = same(f(operand), f(a)), sum(a); }, operand);
    BOOST_TEST(agrees, what);
}
#define AS(OPERAND, ...) plain_names::check(#__VA_ARGS__, [](auto const& a) { return __VA_ARGS__; }, OPERAND)

}
