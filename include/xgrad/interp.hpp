// Defines interp(x, xp, fp): the piecewise linear function through given points.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/average.hpp>
#include <xgrad/choice.hpp>
#include <xgrad/index.hpp>

namespace xgrad {

namespace detail {

// The points between which a place lies, and how far it is from the first to the second: (x - begin) * per_length. Outside both are the same point.
struct place_between {
    std::size_t low = 0, high = 0;
    double begin = 0, per_length = 0;
    bool is_inside = false;
};
template <class G, class T>
place_between place_in_grid(G const& grid, std::size_t n, T const& x) {
    auto const at = [&](std::size_t k) { return static_cast<double>(grid(k)); };
    auto const v = static_cast<double>(x);
    place_between p;
    if (v < at(0)) return p;
    std::size_t last = 1, end = n;  // the first point beyond x is one of these
    while (last < end) {
        std::size_t const k = last + (end - last) / 2;
        if (v < at(k)) end = k;
        else last = k + 1;
    }
    p.low = p.high = last - 1;
    // at the last point from before it; a NaN is inside, and remains
    bool const ends = last == n && v == at(n - 1) && n > 1;
    if (ends) p.low = n - 2;
    if (v == v && last == n && !ends) return p;
    p.low = std::min(p.low, n < 2 ? 0 : n - 2);
    p.high = std::min(p.low + 1, n - 1);
    p.is_inside = true;
    p.begin = at(p.low);
    double const length = at(p.high) - p.begin;
    p.per_length = length > 0 ? 1 / length : 0;
    return p;
}

template <class E>
inline constexpr bool is_one_number = !plain_array<E>;
template <active E>
inline constexpr bool is_one_number<E> = std::remove_cvref_t<E>::rank == 0;

// f's elements at these places: of a number one.
template <class F, class I>
auto elements_at(F const& f, I const& places) {
    if constexpr (std::integral<I>) {
        if constexpr (active<F>) return f(places);
        else return static_cast<typename F::value_type>(f(places));
    } else if constexpr (active<F>) return make_take(f, places);
    else {
        auto y = primal_of_shape<typename F::value_type>(shape_of<rank_of<I>>(places));
        std::transform(places.data(), places.data() + places.size(), y.data(), [&](std::size_t k) { return f(k); });
        return y;
    }
}

template <class X, class G, class F>
auto make_interp(X const& x, G const& xp, F const& fp) {
    auto const& grid = xt::eval(xp);
    std::size_t const n = grid.size();
    auto const shape = shape_of_operand(fp);
    if (grid.dimension() != 1 || shape.rank() != 1 || shape[0] != n)
        throw std::invalid_argument("xgrad[E202]: interp(x, xp, fp) requires as many values fp as points xp, two lines, found " +
                                    to_string(shape_of<dynamic_rank>(grid)) + " and " + to_string(shape));
    if (n == 0) throw std::invalid_argument("xgrad[E206]: interp(x, xp, fp) requires at least one point, found none");
    for (std::size_t k = 1; k < n; ++k)
        if (!(grid(k - 1) <= grid(k)))
            throw std::invalid_argument("xgrad[E207]: interp(x, xp, fp) requires points xp in ascending order, found point " + std::to_string(k) +
                                        " below the one before it: sort them, and fp with them");
    using element = scalar_of_t<element_type_t<F>>;
    using T = std::conditional_t<std::is_floating_point_v<element>, element, double>;
    // which one has a name is computed once
    auto const between = [](auto const& low, auto&& high, auto&& share) { return low + (std::forward<decltype(high)>(high) - low) * std::move(share); };
    if constexpr (is_one_number<X>) {
        auto const v = primal(x);
        auto const p = place_in_grid(grid, n, v);
        auto const begin = static_cast<T>(p.begin), per_length = static_cast<T>(p.per_length);
        auto const low = elements_at(fp, p.low);
        if constexpr (active<X>) return between(low, elements_at(fp, p.high), where(p.is_inside, (x - begin) * per_length, T(0)));
        else return between(low, elements_at(fp, p.high), p.is_inside ? static_cast<T>((v - begin) * per_length) : T(0));
    } else {
        auto const given = primal(x);
        constexpr int R = rank_of<decltype(given)>;
        auto const s = shape_of<R>(given);
        auto begin = primal_of_shape<T>(s), per_length = primal_of_shape<T>(s);
        auto inside = primal_of_shape<bool>(s);
        auto low = primal_of_shape<std::size_t>(s), high = primal_of_shape<std::size_t>(s);
        auto at = given.template begin<xt::layout_type::row_major>();
        for (std::size_t k = 0; k < given.size(); ++k, ++at) {
            auto const p = place_in_grid(grid, n, *at);
            begin.data()[k] = static_cast<T>(p.begin);
            per_length.data()[k] = static_cast<T>(p.per_length);
            inside.data()[k] = p.is_inside;
            low.data()[k] = p.low;
            high.data()[k] = p.high;
            // of a plain x: the share itself
            if constexpr (!active<X>) begin.data()[k] = p.is_inside ? static_cast<T>((*at - p.begin) * p.per_length) : T(0);
        }
        auto const first = elements_at(fp, low);
        if constexpr (active<X>)
            return between(first, elements_at(fp, high), where(std::move(inside), (x - std::move(begin)) * std::move(per_length), T(0)));
        else return between(first, elements_at(fp, high), std::move(begin));
    }
}

}

// NumPy's interp: the function that is linear between points (xp, fp), at x, a number or an array, of whose shape it is; before the first point fp[0], behind
// the last one fp[n - 1]. x and fp may be active, xp is plain (E152). The derivative by x is the slope to the right of x, at the last point to its left, and 0
// outside. Throws std::invalid_argument where xp and fp are not two lines of one length, where there is no point, and where xp does not ascend.
template <class E1, class E2, class E3>
    requires((active<E1> || active<E2> || active<E3>) && (active<E1> || plain_operand<E1>) && (active<E2> || plain_array<E2>) &&
             (active<E3> || plain_array<E3>))
auto interp(const E1& x, const E2& xp, const E3& fp) {
    static_assert(!active<E2>, "xgrad[E152]: interp(x, xp, fp) requires plain points xp, but they are active, and have no derivative: write primal(xp)");
    if constexpr (!active<E2>) return detail::make_interp(x, xp, fp);
    else return +x;
}
// Of plain values a plain one.
template <class E1, class E2, class E3>
    requires(plain_operand<E1> && plain_array<E2> && plain_array<E3> && !number_dual<E1>)
auto interp(const E1& x, const E2& xp, const E3& fp) {
    return detail::algebra([&](auto const& f) { return detail::make_interp(x, xp, f); }, fp);
}

}
