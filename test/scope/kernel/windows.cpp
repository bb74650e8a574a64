// Windows: views of one array in one kernel, which may overlap. The gradient is that of the same program whose views are arrays of their own, each added to
// its part; in the forward mode likewise; and it is that of differences.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class T>
constexpr double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-13;

template <class A>
A uniform(typename A::shape_type const& shape, unsigned seed) {
    using T = typename A::value_type;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> between(-1.0, 1.0);
    A a(shape);
    for (auto& e : a) {
        if constexpr (is_complex<T>) {
            double const re = between(random), im = between(random);
            e = T(re, im);
        } else e = static_cast<T>(between(random));
    }
    return a;
}

template <class T>
double size_of(T const& x) { return static_cast<double>(std::abs(x)); }

// The largest difference is small beside the largest element.
template <class A>
void close(char const* what, A const& found, A const& expected) {
    BOOST_REQUIRE(found.shape() == expected.shape());
    double most = 0.0, largest = 1.0;
    auto e = expected.begin();
    for (auto f = found.begin(); f != found.end(); ++f, ++e) {
        double const d = size_of(*f - *e);
        if (d > most || d != d) most = d;  // a NaN stays
        largest = std::max(largest, size_of(*e));
    }
    BOOST_CHECK_MESSAGE(most <= tolerance<typename A::value_type> * largest, what << ": " << found.size() << " elements differ by " << most);
}
template <class T>
void close_number(char const* what, T found, T expected) {
    BOOST_CHECK_MESSAGE(size_of(found - expected) <= tolerance<T> * 30 * (1.0 + size_of(expected)), what << " is " << found << ", not " << expected);
}

// y is sum(program(windows...)), or its real part; `cut(x, k)` makes the window k of x. With All more than the gradient.
template <bool All = false, class A, std::size_t... K, class Program, class Cut>
void check(Program const& program, Cut const& cut, A const& x, std::index_sequence<K...>) {
    using T = typename A::value_type;
    auto const total = [&](auto const&... w) {
        if constexpr (is_complex<T>) return sum(xt::real(program(w...)));
        else return sum(program(w...));
    };
    auto const f = [&](auto const& a) { return total(cut(a, std::integral_constant<std::size_t, K>())...); };
    auto const copy = [&](auto const& a, auto k) -> A { return cut(a, k); };
    std::tuple const copies{copy(x, std::integral_constant<std::size_t, K>())...};

    auto const [y, parts] = std::apply([&](auto const&... w) { return xgrad::value_and_gradient(total, w...); }, copies);
    A expected = A(x * T(0));
    (..., (xt::noalias(cut(expected, std::integral_constant<std::size_t, K>())) += std::get<K>(parts)));

    auto const [found, gradient] = xgrad::value_and_gradient(f, x);
    close_number("the value", found, y);
    close("the gradient", std::get<0>(gradient), expected);

    if constexpr (All) {
        // twice on one workspace, of a name, whose cotangent begins with another contribution
        A const half = 0.5 * x, twice = 2.0 * (expected + 1.0);
        auto prepared = xgrad::prepare_gradient([&](auto const& a) { auto h = 2.0 * a; return f(h) + sum(h); }, half);
        for (int i = 0; i < 2; ++i) close("the gradient by a name", A(std::get<0>(prepared(half).gradient)), twice);

        A const xdot = uniform<A>(x.shape(), 7);
        std::tuple const xdots{copy(xdot, std::integral_constant<std::size_t, K>())...};
        double const along = xgrad::jvp(f, std::tuple(x), std::tuple(xdot)).tangent;
        close_number("the tangent", along, xgrad::jvp(total, copies, xdots).tangent);
        double const h = 1e-6, by_differences = (xgrad::value(f, A(x + h * xdot)) - xgrad::value(f, A(x - h * xdot))) / (2.0 * h);
        BOOST_CHECK_SMALL(by_differences - along, 1e-7 * (1.0 + static_cast<double>(x.size())));
    }
}

template <class T, std::size_t N, xt::layout_type L = xt::layout_type::row_major>
using array = xt::xtensor<T, N, L>;

std::ptrdiff_t const sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000};

// What programs make of three and four windows: each is met several times in one kernel.
constexpr auto three = [](auto const& l, auto const& c, auto const& r) { return (c - c * (r - l) + l * r) * (r + l * c); };
constexpr auto four = [](auto const& l, auto const& c, auto const& r, auto const& s) { return (c * r - l) * s + l * c; };

template <class T>
void of_numbers() {
    for (std::ptrdiff_t const n : sizes) {
        auto const x = uniform<array<T, 1>>({static_cast<std::size_t>(2 * n + 8)}, 1);
        auto const window = [n](auto& a, std::ptrdiff_t at) { return view(a, xt::range(at, at + n)); };
        // neighbours
        check<std::is_same_v<T, double>>(three, [&](auto& a, auto k) { return window(a, static_cast<std::ptrdiff_t>(k())); }, x, std::make_index_sequence<3>());
        // far apart, one of them twice, and every second element
        if constexpr (std::is_same_v<T, double>) {
            check(
                four,
                [&](auto& a, auto k) {
                    if constexpr (k() == 3) return view(a, xt::range(1, 2 * n + 1, 2));
                    else return window(a, k() == 1 ? 8 : 3);
                },
                x, std::make_index_sequence<4>());
        }
    }
}

template <class T, xt::layout_type L>
void of_grids() {
    std::array<std::ptrdiff_t, 2> const shapes[] = {{0, 3}, {1, 1}, {2, 7}, {8, 9}, {3, 65}, {65, 2}, {9, 130}, {3, 600}};
    for (auto const& s : shapes) {
        auto const x = uniform<array<T, 2, L>>({static_cast<std::size_t>(s[0] + 2), static_cast<std::size_t>(s[1] + 2)}, 3);
        auto const at = [s](auto& a, std::ptrdiff_t i, std::ptrdiff_t j) { return view(a, xt::range(i, i + s[0]), xt::range(j, j + s[1])); };
        // five points
        check<L == xt::layout_type::row_major>(
            [](auto const& c, auto const& u, auto const& d, auto const& l, auto const& r) { return (T(4) * c - u - d - l - r) * (c + u * l); },
            [&](auto& a, auto k) {
                constexpr std::ptrdiff_t i[] = {1, 0, 2, 1, 1}, j[] = {1, 1, 1, 0, 2};
                return at(a, i[k()], j[k()]);
            },
            x, std::make_index_sequence<5>());
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(windows_of_a_row) {
    of_numbers<double>();
    of_numbers<float>();
    of_numbers<std::complex<double>>();
}

// The whole array beside windows of it.
BOOST_AUTO_TEST_CASE(windows_and_all_of_the_array) {
    using vector = array<double, 1>;
    for (std::size_t const n : {1u, 2u, 8u, 9u, 65u, 700u}) {
        auto const x = uniform<vector>({n}, 2);
        auto const end = static_cast<std::ptrdiff_t>(n);
        auto const whole = [](auto const& a) { return sum(a * a * a); };
        auto const f = [&](auto const& a) { return sum(a * a * a) + sum(view(a, xt::range(1, end)) * view(a, xt::range(0, end - 1))); };
        vector expected = std::get<0>(xgrad::gradient(whole, x));
        for (std::size_t i = 0; i + 1 < n; ++i) {
            expected(i) += x(i + 1);
            expected(i + 1) += x(i);
        }
        close("the gradient beside the whole", std::get<0>(xgrad::gradient(f, x)), expected);
        // in one kernel: the first element goes with each one, and the array with itself backwards
        auto const both = [](auto const& a) { return sum(a * view(a, xt::range(0, 1)) * flip(a, 0)); };
        vector const first = xt::view(x, xt::range(0, 1)), back = xt::flip(x, 0);
        auto [da, df, db] = xgrad::gradient([](auto const& a, auto const& u, auto const& v) { return sum(a * u * v); }, x, first, back);
        vector one_kernel = da;
        one_kernel(0) += df(0);
        for (std::size_t i = 0; i < n; ++i) one_kernel(i) += db(n - 1 - i);
        close("the gradient in one kernel", std::get<0>(xgrad::gradient(both, x)), one_kernel);
    }
}

BOOST_AUTO_TEST_CASE(windows_of_a_grid) {
    of_grids<double, xt::layout_type::row_major>();
    of_grids<double, xt::layout_type::column_major>();
}

BOOST_AUTO_TEST_CASE(nine_windows) {
    for (std::ptrdiff_t const n : {1, 9, 64, 300}) {
        auto const x = uniform<array<double, 2>>({5, static_cast<std::size_t>(n + 2)}, 4);
        check(
            [](auto const&... w) { return square((... + w)); },
            [&](auto& a, auto k) {
                constexpr auto i = static_cast<std::ptrdiff_t>(k() / 3), j = static_cast<std::ptrdiff_t>(k() % 3);
                return view(a, xt::range(i, i + 3), xt::range(j, j + n));
            },
            x, std::make_index_sequence<9>());
    }
}

BOOST_AUTO_TEST_CASE(windows_of_three_axes) {
    for (std::ptrdiff_t const n : {1, 8, 65}) {
        auto const x = uniform<array<double, 3>>({3, 4, static_cast<std::size_t>(n + 1)}, 5);
        check(
            four,
            [&](auto& a, auto k) {
                constexpr auto i = static_cast<std::ptrdiff_t>(k() & 1), j = static_cast<std::ptrdiff_t>(k() >> 1);
                return view(a, xt::range(i, i + 2), xt::range(j, j + 3), xt::range(j, j + n));
            },
            x, std::make_index_sequence<4>());
    }
}

// Transposed, one window of a matrix is another.
BOOST_AUTO_TEST_CASE(a_transpose_and_a_window) {
    for (std::ptrdiff_t const n : {1, 7, 64}) {
        auto const m = static_cast<std::size_t>(n);
        auto const x = uniform<array<double, 2>>({m + 1, m + 1}, 6);
        auto const f = [n](auto const& a) {
            return sum(view(a, xt::range(0, n), xt::range(1, n + 1)) * transpose(view(a, xt::range(1, n + 1), xt::range(0, n))) *
                       view(a, xt::range(0, n), xt::range(0, n)));
        };
        auto expected = array<double, 2>::from_shape({m + 1, m + 1});
        expected.fill(0.0);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < m; ++j) {
                // the transpose of x(1 + i, j) is x(1 + j, i)
                double const p = x(i, j + 1), q = x(j + 1, i), r = x(i, j);
                expected(i, j + 1) += q * r;
                expected(j + 1, i) += p * r;
                expected(i, j) += p * q;
            }
        close("the gradient by a transpose", std::get<0>(xgrad::gradient(f, x)), expected);
    }
}
