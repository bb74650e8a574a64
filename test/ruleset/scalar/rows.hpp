// Defines ROW and its like: one line checks an elementwise function: its values within some units in the last place of a reference's, at special
// points too, its derivatives by every way there is (numbers, SIMD batches and their rest, duals) against central differences, and its second one.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace rows {

using wide = long double;
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

template <class T>
double ulps(T found, wide exact) {
    T const expected = static_cast<T>(exact);
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) == std::isnan(found) ? 0.0 : 1e9;
    if (std::isinf(expected) || std::isinf(found) || expected == 0) return found == expected ? 0.0 : 1e9;
    T const step = std::nextafter(std::abs(expected), std::numeric_limits<T>::infinity()) - std::abs(expected);
    return static_cast<double>(std::abs(static_cast<wide>(found) - exact) / static_cast<wide>(step));
}

template <class T>
std::vector<T> special_points() {
    using limits = std::numeric_limits<T>;
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(0.5),
            T(-0.5),
            T(2),
            T(-1.5),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN(),
            limits::min() / 4,
            -limits::min() / 4,
            T(1e-10),
            T(1e30),
            T(-1e30),
            limits::max()};
}

// A row's options.
struct how {
    double ulps = 4;
    double near_zero = 0;        // an absolute error that is allowed beside it, where the reference cancels
    bool in_own_type = false;    // the reference is computed in the type itself: libm's long double says something else
    bool special = true;         // compare at the special points
    bool second = true;          // compare the second derivative
    double tolerance = 1e-8;     // of the first derivative
};

// An expected derivative at one point: the point, then d/dx for each operand.
template <std::size_t N>
struct slope {
    std::array<double, N> at;
    std::array<double, N> d;
};

namespace detail {

template <class T, std::size_t N>
using columns = std::array<xt::xtensor<T, 1>, N>;

template <class T, std::size_t N>
columns<T, N> empty_columns(std::size_t n) {
    columns<T, N> c;
    for (auto& column : c) column = xt::zeros<T>({n});
    return c;
}

// Values and derivatives of f at each line of the columns, by kernels.
template <class T, std::size_t N>
struct table {
    xt::xtensor<T, 1> y;
    columns<T, N> d;
};
template <class T, std::size_t N, class F>
table<T, N> evaluate(F const& f, columns<T, N> const& x) {
    table<T, N> t{xt::zeros<T>({x[0].size()}), x};
    std::apply(
        [&](auto const&... column) {
            auto const g = xgrad::gradient(
                [&](auto const&... a) {
                    auto r = f(a...);
                    t.y = xgrad::primal(r);
                    return sum(r);
                },
                column...);
            std::apply([&](auto const&... d) { t.d = {d...}; }, g);
        },
        x);
    return t;
}

template <class T, class G, class... X>
wide reference(how const& h, G const& exact, X... x) {
    return h.in_own_type ? static_cast<wide>(exact(x...)) : static_cast<wide>(exact(static_cast<wide>(x)...));
}

template <class T, std::size_t N>
std::string point(columns<T, N> const& x, std::size_t i) {
    std::string s;
    for (auto const& column : x) s += (s.empty() ? "(" : ", ") + std::to_string(column(i));
    return s + ")";
}

template <class T, std::size_t N, class F, class G>
void check_values(char const* name, how const& h, F const& f, G const& exact, columns<T, N> const& x, bool special) {
    auto const t = evaluate<T, N>(f, x);
    for (std::size_t i = 0; i < t.y.size(); ++i)
        std::apply(
            [&](auto const&... column) {
                wide const expected = reference<T>(h, exact, column(i)...);
                bool const good =
                    ulps(t.y(i), expected) <= h.ulps ||
                    std::abs(static_cast<wide>(t.y(i)) - expected) <= static_cast<wide>(h.near_zero * static_cast<double>(std::numeric_limits<T>::epsilon()));
                BOOST_CHECK_MESSAGE(good, name << point(x, i) << " is " << t.y(i) << ", not " << static_cast<T>(expected));
                if (special && good && expected == 0)
                    BOOST_CHECK_MESSAGE(std::signbit(t.y(i)) == std::signbit(expected), name << point(x, i) << " has the wrong sign");
            },
            x);
}

// Every combination of the special points, in whole batches and a rest.
template <class T, std::size_t N>
columns<T, N> special_columns() {
    auto const p = special_points<T>();
    std::size_t n = 1;
    for (std::size_t k = 0; k < N; ++k) n *= p.size();
    auto x = empty_columns<T, N>(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0, j = i; k < N; ++k, j /= p.size()) x[k](i) = p[j % p.size()];
    return x;
}

template <class T, std::size_t N>
columns<T, N> random_columns(std::array<std::array<double, 2>, N> const& box, std::size_t n, unsigned seed) {
    std::mt19937 engine(seed);
    auto x = empty_columns<T, N>(n);
    for (std::size_t k = 0; k < N; ++k) {
        std::uniform_real_distribution<double> at(box[k][0], box[k][1]);
        for (T& v : x[k]) v = static_cast<T>(at(engine));
    }
    return x;
}

struct inner;
struct outer;
using first = xgrad::dual<double, 1, inner>;
using second = xgrad::dual<first, 1, outer>;

// The first and the second derivative along operand K, by nested duals.
template <std::size_t K, class F, class... X>
std::array<double, 2> by_duals(F const& f, X... x) {
    std::size_t k = 0;
    auto seed = [&](double v) {
        bool const active = k++ == K;
        return active ? second(first(v, 1.0), first(1.0)) : second(first(v));
    };
    std::tuple<decltype(second(first(x)))...> const d{seed(x)...};
    auto const y = std::apply(f, d);
    return {static_cast<double>(y.tangent.primal), static_cast<double>(y.tangent.tangent)};
}

template <std::size_t N, class F, class G, std::size_t K>
void check_slopes(char const* name, how const& h, F const& f, G const& exact, columns<double, N> const& x, columns<float, N> const& x4,
                  std::integral_constant<std::size_t, K>) {
    auto const t = evaluate<double, N>(f, x);
    auto const t4 = evaluate<float, N>(f, x4);
    for (std::size_t i = 0; i < x[0].size(); ++i) {
        auto moved = [&](auto const& columns, wide by) {
            std::array<wide, N> a{};
            for (std::size_t k = 0; k < N; ++k) a[k] = static_cast<wide>(columns[k](i));
            a[K] += by;
            return std::apply([&](auto... v) { return static_cast<wide>(exact(v...)); }, a);
        };
        auto slope_at = [&](auto const& columns) {
            wide const s = 1e-6L * (1 + std::abs(static_cast<wide>(columns[K](i))));
            return static_cast<double>((moved(columns, s) - moved(columns, -s)) / (2 * s));
        };
        double const d = slope_at(x), d4 = slope_at(x4), close = h.tolerance * (1 + std::abs(d)), close4 = 3e-5 * (1 + std::abs(d4));
        auto const is = [&](char const* way, double found, double expected, double tolerance) {
            BOOST_CHECK_MESSAGE(std::abs(found - expected) <= tolerance,
                                name << point(x, i) << ": derivative " << K << way << " is " << found << ", not " << expected);
        };
        is("", t.d[K](i), d, close);
        is(" in float", static_cast<double>(t4.d[K](i)), d4, close4);
        auto const [d1, d2] = std::apply([&](auto const&... column) { return by_duals<K>(f, column(i)...); }, x);
        is(" of duals", d1, d, close);
        if (h.second) {
            wide const s = 3e-5L * (1 + std::abs(static_cast<wide>(x[K](i))));
            double const dd = static_cast<double>((moved(x, s) - 2 * moved(x, 0) + moved(x, -s)) / (s * s));
            is(" taken twice", d2, dd, 3e-6 * (1 + std::abs(dd)));
        }
    }
}
}

// The interval that each operand is taken from.
template <std::size_t N>
using box = std::array<std::array<double, 2>, N>;

// f is a generic function of numbers, arrays and duals; exact its reference.
template <std::size_t N, class F, class G>
void check(char const* name, F const& f, G const& exact, std::array<std::array<double, 2>, N> const& where, std::vector<slope<N>> const& slopes = {},
           how const& h = {}) {
    using namespace detail;
    check_values<double, N>(name, h, f, exact, random_columns<double, N>(where, 399, 1), false);
    check_values<float, N>(name, h, f, exact, random_columns<float, N>(where, 399, 1), false);
    if (h.special) {
        check_values<double, N>(name, h, f, exact, special_columns<double, N>(), true);
        check_values<float, N>(name, h, f, exact, special_columns<float, N>(), true);
    }
    auto const x = random_columns<double, N>(where, 19, 99);
    auto const x4 = random_columns<float, N>(where, 19, 99);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (check_slopes<N>(name, h, f, exact, x, x4, std::integral_constant<std::size_t, K>{}), ...);
    }(std::make_index_sequence<N>{});
    if (slopes.empty()) return;
    // alone, where lanes differ, and as a number
    auto at = empty_columns<double, N>(slopes.size());
    for (std::size_t i = 0; i < slopes.size(); ++i)
        for (std::size_t k = 0; k < N; ++k) at[k](i) = slopes[i].at[k];
    auto const t = evaluate<double, N>(f, at);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        auto const g = std::apply([&](auto const&... v) { return xgrad::gradient(f, v...); }, slopes[i].at);
        auto const single = std::apply([](auto... d) { return std::array<double, N>{d...}; }, g);
        for (std::size_t k = 0; k < N; ++k)
            for (double found : {t.d[k](i), single[k]})
                BOOST_CHECK_MESSAGE(ulps(found, static_cast<wide>(slopes[i].d[k])) <= 8,
                                    name << point(at, i) << ": derivative " << k << " is " << found << ", not " << slopes[i].d[k]);
    }
}
}

// NAME is the operation's and the function's; what stands behind the intervals is its slopes at special points and its options.
// test/ruleset/rows.cmake looks for these names.
#define ROW_BY(NAME, ...) rows::check(#NAME, __VA_ARGS__)
#define ROW(NAME, FROM, TO, ...) ROW_OF(NAME, std::NAME(x), FROM, TO, __VA_ARGS__)
#define ROW_OF(NAME, EXACT, FROM, TO, ...) \
    ROW_BY(NAME, [](auto const& x) { return xt::NAME(x); }, []([[maybe_unused]] auto x) { return EXACT; }, rows::box<1>{{{FROM, TO}}}, __VA_ARGS__)
#define ROW_OF_OURS(NAME, EXACT, FROM, TO, ...) \
    ROW_BY(NAME, [](auto const& x) { return xgrad::NAME(x); }, []([[maybe_unused]] auto x) { return EXACT; }, rows::box<1>{{{FROM, TO}}}, __VA_ARGS__)
#define ROW2(NAME, EXACT, A, B, C, D, ...) \
    ROW_BY(NAME, [](auto const& a, auto const& b) { return xt::NAME(a, b); }, [](auto a, auto b) { return EXACT; }, rows::box<2>{{{A, B}, {C, D}}}, __VA_ARGS__)
#define ROW2_OF_OURS(NAME, EXACT, A, B, C, D, ...) \
    ROW_BY( \
        NAME, [](auto const& a, auto const& b) { return xgrad::NAME(a, b); }, [](auto a, auto b) { return EXACT; }, rows::box<2>{{{A, B}, {C, D}}}, \
        __VA_ARGS__)
