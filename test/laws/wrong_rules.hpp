// Defines functions whose rules are wrong, each in its own way, and some that are right, which only look alike.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <xgrad/check_rule.hpp>
#include <xgrad/stop_gradient.hpp>
#include <xgrad/xgrad.hpp>

namespace zoo {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// How the rule of y = a x², with the numbers' own a, is wrong.
enum class mistake {
    none,
    sign,               // in both modes alike
    forward,            // the tangent alone
    reverse,            // the cotangent alone
    assigns,            // where it should add
    forgets_a,          // no derivative with respect to a
    forgets_x_tangent,  // the same of x, forward
    one_entry,          // the last derivative alone
    not_a_number,       // one entry of the cotangent
    infinite,           // one entry of the tangent
    one_sided,          // differences that are right to O(h)
    first_call,         // a state: every other call differs
    pullbacks,          // a state: every other pullback differs
    value,              // the rule's value is not the function's
    longer_tangent,     // its form is not that of the value
    longer_cotangent,
    changes_x,          // and leaves it so
    changes_x_forward,  // what the plain call does not
    throws,             // in the pullback
    allocates,          // says so in `calls`
};

template <mistake M>
struct scaled_square {
    vector operator()(double a, vector const& x) const { return a * x * x; }
};

inline int calls = 0;

// z *= x: an argument is changed.
enum class in_place { right, not_restored, reads_what_it_changed, drops_the_cotangent, cotangent_of_before };
template <in_place M>
struct times_equal {
    double operator()(vector const& x, vector& z) const {
        z *= x;
        return xt::sum(z)();
    }
};

// The rows' sums of a matrix: their derivatives go where they do not belong.
template <bool Transposed>
struct row_sums {
    vector operator()(matrix const& m) const { return xt::sum(m, {1}); }
};

// Its rules give two types of values.
struct two_types {};

// Only its forward rule is known.
template <bool Right>
struct only_forward {
    double operator()(double x) const { return std::sin(x); }
};

// Scalar operations, by partials.
struct right_cube {
    static constexpr char const* name = "cube(x)";
    auto operator()(auto const& x) const { return x * x * x; }
};
struct wrong_cube : right_cube {};
// Its partial is a constant of the forward mode: right once, and wrong twice.
struct stopped_cube : right_cube {};
struct wrong_product { auto operator()(auto const& a, auto const& b) const { return a * b; } };
// The tangents of its duals are not those of its partials.
struct wrong_dual {
    auto operator()(auto const& x) const { return x * x; }
    template <xgrad::number_dual X>
    X operator()(X const& x) const { return X(x.primal * x.primal, x.primal * x.tangent); }
};
// Wrong for negative numbers alone.
struct half_right { auto operator()(auto const& x) const { return x * x; } };

// 2 x, whose pullback assigns, whatever the engine says.
template <bool Right>
struct doubled {
    static constexpr char const* name = "doubled(x)";
};

}  // namespace zoo

template <zoo::mistake M>
struct xgrad::rule<zoo::scaled_square<M>> {
    using vector = zoo::vector;
    using mistake = zoo::mistake;
    static constexpr double sign = M == mistake::sign ? -1 : 1;

    static vector slope(double a, vector const& x) {
        if constexpr (M == mistake::one_sided) {
            double const h = 1e-5;
            vector const above = x + h;
            return (a * above * above - a * x * x) / h;
        } else return sign * 2.0 * a * x;
    }
    static vector value(double a, vector const& x) {
        vector y = zoo::scaled_square<M>{}(a, x);
        if constexpr (M == mistake::value) y(0) *= 1 + 1e-9;
        if constexpr (M == mistake::first_call) y *= ++zoo::calls % 2 ? 1.0 : 1.0 + 1e-14;
        return y;
    }
    static auto frule(dual<double> a, dual<vector> const& x) {
        vector ydot = (M == mistake::forgets_a ? 0.0 : sign) * a.tangent * x.primal * x.primal +
                      slope(a.primal, x.primal) * x.tangent * (M == mistake::forgets_x_tangent ? 0.0 : 1.0);
        if constexpr (M == mistake::forward) ydot *= 1 + 1e-6;
        if constexpr (M == mistake::infinite) ydot(1) = std::numeric_limits<double>::infinity();
        if constexpr (M == mistake::longer_tangent) ydot = zoo::vector(xt::concatenate(xt::xtuple(ydot, ydot)));
        return dual{value(a.primal, x.primal), ydot};
    }
    static auto rrule(codual<double> a, codual<vector> x) {
        vector const y = value(a.primal, x.primal);
        if constexpr (M == mistake::allocates) ++zoo::calls;
        if constexpr (M == mistake::changes_x || M == mistake::changes_x_forward) x.primal(0) += 1e-15;
        return value_with_pullback{y, [a = a.primal, x](vector const& ybar) {
                                       vector const here = x.primal;
                                       if constexpr (M == mistake::changes_x_forward) x.primal(0) -= 1e-15;
                                       if constexpr (M == mistake::throws) throw std::domain_error("the pullback");
                                       vector xbar = slope(a, here) * ybar;
                                       if constexpr (M == mistake::reverse) xbar *= 1 + 1e-6;
                                       if constexpr (M == mistake::one_entry) xbar(xbar.size() - 1) *= 1.5;
                                       if constexpr (M == mistake::not_a_number) xbar(1) = std::numeric_limits<double>::quiet_NaN();
                                       if constexpr (M == mistake::pullbacks) xbar *= ++zoo::calls % 2 ? 1.0 : 1.0 + 1e-14;
                                       if constexpr (M == mistake::assigns) *x.fdata = xbar;
                                       else if constexpr (M == mistake::longer_cotangent) *x.fdata = zoo::vector(xt::concatenate(xt::xtuple(xbar, xbar)));
                                       else accumulate(x.fdata, xbar);
                                       double const abar = xt::sum(ybar * here * here)();
                                       return std::tuple(M == mistake::forgets_a ? 0.0 : sign * abar, no_rdata{});
                                   }};
    }
};

template <zoo::in_place M>
struct xgrad::rule<zoo::times_equal<M>> {
    using vector = zoo::vector;
    using in_place = zoo::in_place;
    static auto rrule(codual<vector> x, codual<vector> z) {
        vector const z0 = z.primal;
        double const v = zoo::times_equal<M>{}(x.primal, z.primal);
        if constexpr (M == in_place::drops_the_cotangent) *z.fdata = zero_tangent(z.primal);
        return value_with_pullback{v, [=](double vbar) {
                                       vector const x_early = x.primal;
                                       if constexpr (M != in_place::not_restored) z.primal = z0;
                                       vector znew_bar = vbar + *z.fdata;
                                       if constexpr (M == in_place::drops_the_cotangent) znew_bar = vbar + 0.0 * *z.fdata;
                                       // x may be z
                                       vector const x0 = M == in_place::reads_what_it_changed ? x_early : x.primal;
                                       if constexpr (M == in_place::cotangent_of_before) accumulate(z.fdata, vector(znew_bar * x0));
                                       else *z.fdata = znew_bar * x0;
                                       accumulate(x.fdata, vector(znew_bar * z0));
                                   }};
    }
};

template <bool Transposed>
struct xgrad::rule<zoo::row_sums<Transposed>> {
    static auto rrule(codual<zoo::matrix> m) {
        return value_with_pullback{zoo::row_sums<Transposed>{}(m.primal), [m](zoo::vector const& ybar) {
                                       std::size_t const rows = m.primal.shape(0), columns = m.primal.shape(1);
                                       for (std::size_t i = 0; i < rows; ++i)
                                           for (std::size_t j = 0; j < columns; ++j) (*m.fdata)(i, j) += ybar(Transposed ? (i * columns + j) % rows : i);
                                   }};
    }
};

template <>
struct xgrad::rule<zoo::two_types> {
    static auto frule(dual<double> x) { return dual{x.primal * x.primal, 2 * x.primal * x.tangent}; }
    static auto rrule(codual<double> x) {
        return value_with_pullback{static_cast<float>(x.primal * x.primal),
                                   [v = x.primal](float ybar) { return std::tuple(2 * v * static_cast<double>(ybar)); }};
    }
};

template <bool Right>
struct xgrad::rule<zoo::only_forward<Right>> {
    static auto frule(dual<double> x) { return dual{std::sin(x.primal), (Right ? std::cos(x.primal) : std::sin(x.primal)) * x.tangent}; }
};

template <> inline constexpr auto xgrad::partials<zoo::right_cube> = [](auto, auto x) { return partial(literal(x, 3.0) * x * x); };
template <> inline constexpr auto xgrad::partials<zoo::wrong_cube> = [](auto, auto x) { return partial(literal(x, 3.0) * x); };
template <>
inline constexpr auto xgrad::partials<zoo::stopped_cube> =
    [](auto, auto x) { return partial(decltype(x)(3.0 * xgrad::detail::innermost_primal(x) * xgrad::detail::innermost_primal(x))); };
template <> inline constexpr auto xgrad::partials<zoo::wrong_product> = [](auto, auto a, auto b) { return partial(a, b); };
template <> inline constexpr auto xgrad::partials<zoo::wrong_dual> = [](auto, auto x) { return partial(x + x); };
template <> inline constexpr auto xgrad::partials<zoo::half_right> = [](auto, auto x) { return partial(choose(x < zero(x), x, x + x)); };

template <bool Right>
struct xgrad::array_rule<zoo::doubled<Right>> {
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static extents<R> shape(extents<R> const& x) { return x; }
    template <class T, int R>
    static void value(array_ref<T, R> y, array_ref<T const, R> x) noexcept {
        for (std::size_t i = 0; i < x.shape[0]; ++i)
            y.data[static_cast<std::ptrdiff_t>(i) * y.stride[0]] = T(T(2.0) * T(x.data[static_cast<std::ptrdiff_t>(i) * x.stride[0]]));
    }
    template <int I, class T, int R>
    static void pullback(array_ref<T, R> xbar, bool add, array_ref<T const, R> ybar, array_ref<T const, R>, array_ref<T const, R>) noexcept {
        for (std::size_t i = 0; i < xbar.shape[0]; ++i) {
            auto to = xbar.data + static_cast<std::ptrdiff_t>(i) * xbar.stride[0];
            T const v = T(T(2.0) * T(ybar.data[static_cast<std::ptrdiff_t>(i) * ybar.stride[0]]));
            to[0] = Right && add ? T(T(to[0]) + v) : v;
        }
    }
};
