// Programs that nobody wrote: expressions drawn when this is compiled, put together to statements when it runs. Each on active values has the value of the same
// one on plain xtensor arrays, and its gradient is that of the forward mode and of central differences; so has the gradient of the gradient.
// The environment: XGRAD_TEST_PROGRAMS is how many (200), XGRAD_TEST_SEED the first (1). -DXGRAD_TEST_DRAW=n draws other expressions.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#ifndef XGRAD_TEST_DRAW
#define XGRAD_TEST_DRAW 1
#endif

namespace {

using vector = xt::xtensor<double, 1>;
constexpr std::size_t extent = 5;

constexpr std::uint32_t mixed(std::uint32_t s) {
    s ^= s >> 16, s *= 0x7feb352du, s ^= s >> 15, s *= 0x846ca68bu;
    return s ^ (s >> 16);
}
struct draw {
    std::uint32_t state;
    int below(int n) {
        state = mixed(state + 0x9e3779b9u);
        return static_cast<int>(state % static_cast<std::uint32_t>(n));
    }
    double number() { return below(2001) / 1000.0 - 1.0; }
};

// ---- expressions, smooth and of moderate size: E of vectors a and b and a number s

template <std::uint32_t S, int Depth, class A, class B, class N>
auto expression(A const& a, B const& b, N const& s) {
    constexpr std::uint32_t m = mixed(S), left = m * 2 + 1, right = m * 2 + 2;
    constexpr int kind = static_cast<int>(m % (Depth == 0 ? 5 : 16));
    if constexpr (kind == 0) return a * 0.7;
    else if constexpr (kind == 1) return b + 0.0;
    else if constexpr (kind == 2) return a - s;
    else if constexpr (kind == 3) return sin(b * s);
    else if constexpr (kind == 4) return 0.5 - tanh(a);
    else if constexpr (kind == 5) return sin(expression<left, Depth - 1>(a, b, s));
    else if constexpr (kind == 6) return tanh(expression<left, Depth - 1>(b, a, s) * 0.8);
    else if constexpr (kind == 7) return expression<left, Depth - 1>(a, b, s) + expression<right, Depth - 1>(b, a, s);
    else if constexpr (kind == 8) return expression<left, Depth - 1>(a, a, s) - 0.3 * expression<right, Depth - 1>(a, b, s);
    else if constexpr (kind == 9) return expression<left, Depth - 1>(a, b, s) * tanh(expression<right, Depth - 1>(b, a, s));
    else if constexpr (kind == 10) return expression<left, Depth - 1>(b, b, s) / (1.5 + cos(expression<right, Depth - 1>(a, b, s)));
    else if constexpr (kind == 11) return exp(-abs(tanh(expression<left, Depth - 1>(a, b, s)) + 1.5));
    else if constexpr (kind == 12) return log(2.5 + sin(expression<left, Depth - 1>(a, b, s)));
    else if constexpr (kind == 13) return sqrt(1.1 + cos(expression<left, Depth - 1>(a, b, s))) - a;
    else if constexpr (kind == 14) return pow(1.2 + sin(expression<left, Depth - 1>(a, b, s)), 3) * 0.2;
    else return -atan(expression<left, Depth - 1>(a, b, s) + s);
}

// ---- what is spelled in two ways: on plain values by xtensor

double total(vector const& a) { return xt::sum(a)(); }
double largest_softly(vector const& a) { return std::log(xt::sum(xt::exp(a))()); }
double squares(vector const& a) { return xt::sum(a * a)(); }
vector joined(vector const& a, vector const& b) {
    return xt::concatenate(xt::xtuple(xt::view(a, xt::range(1, extent)), xt::view(b, xt::range(0, 1))), 0);
}
vector running(vector const& a) { return xt::cumsum(a, 0) * 0.3; }
vector turned(vector const& a) { return xt::flip(a, 0); }
double number_of(double s) { return s; }

template <xgrad::active A>
auto total(A const& a) { return sum(a); }
template <xgrad::active A>
auto largest_softly(A const& a) { return logsumexp(a); }
template <xgrad::active A>
auto squares(A const& a) { return norm_sq(a); }
template <xgrad::active A, xgrad::active B>
auto joined(A const& a, B const& b) { return concatenate(xt::xtuple(view(a, xt::range(1, extent)), view(b, xt::range(0, 1))), 0); }
template <xgrad::active A>
auto running(A const& a) { return cumsum(a) * 0.3; }
template <xgrad::active A>
auto turned(A const& a) { return flip(a, 0); }
template <xgrad::active S>
double number_of(S const& s) { return static_cast<double>(xgrad::primal(s)); }

template <class X>
struct values {
    using array = vector;
    using number = double;
};
template <xgrad::active X>
struct values<X> {
    using array = xgrad::variable<xgrad::primal_t<X>>;
    using number = xgrad::number_like<X>;
};

// ---- statements

template <class V>
struct state {
    std::array<typename V::array, 3> arrays;
    std::array<typename V::number, 2> numbers;
};

constexpr std::uint32_t first = XGRAD_TEST_DRAW * 1000u;

// A statement drawn at run time, with the K-th expressions.
template <std::size_t K, class V>
void statement(draw& d, state<V>& w, int depth);
template <class V>
void statements(draw& d, state<V>& w, int depth);

template <std::size_t K, class V>
void statement(draw& d, state<V>& w, int depth) {
    auto& y = w.arrays[static_cast<std::size_t>(d.below(3))];
    auto& s = w.numbers[static_cast<std::size_t>(d.below(2))];
    auto const i = static_cast<std::size_t>(d.below(3)), j = static_cast<std::size_t>(d.below(3)), k = static_cast<std::size_t>(d.below(2));
    auto& a = w.arrays[i];
    auto& b = w.arrays[j];
    auto& t = w.numbers[k];
    using array = typename V::array;
    using number = typename V::number;
    constexpr std::uint32_t seed = first + 10 * K;
    switch (d.below(14)) {
        case 0: y = array(expression<seed, 2>(a, b, t)); break;
        case 1: y = array(tanh(y + expression<seed + 1, 1>(a, b, t))); break;
        case 2: s = number(0.3 * total(array(expression<seed + 2, 2>(a, b, t)))); break;
        case 3: s = tanh(s * largest_softly(array(expression<seed + 3, 1>(a, b, t)))); break;
        case 4: {
            // names that several statements use, in an order that is not theirs
            array const p = expression<seed + 4, 1>(a, b, t), q = sin(p * a), r = p - q * t;
            s = number(0.2 * total(array(q * p)));
            y = array(r * 0.5 + q);
            break;
        }
        case 5: y = array(joined(a, b)); break;
        case 6: y = array(running(a)); break;
        case 7: y = array(turned(b)); break;
        case 8: y = array(a * tanh(t) + b(static_cast<std::size_t>(d.below(extent)))); break;
        case 9:
            if (number_of(t) > 0.1) s = number(cos(t) - 0.5 * s);
            else y = array(y * 0.9 + expression<seed + 5, 1>(b, a, t));
            break;
        case 10:
            for (int n = d.below(4); n > 0; --n) {
                auto before = y;
                y = array(0.6 * sin(y + a) + 0.1 * b);
                s = number(s * 0.5 + 0.1 * squares(array(before - y)));
            }
            break;
        case 11: std::swap(w.arrays[i], w.arrays[j]); break;
        case 12: {
            auto kept = w;
            if (depth > 0) statements(d, w, depth - 1);
            y = array(0.5 * y + 0.4 * kept.arrays[i]);
            if (d.below(2) == 0) w = std::move(kept);
            break;
        }
        default: {
            std::vector<number> parts;
            for (std::size_t n = 0; n < extent; ++n) parts.push_back(number(sin(a(n)) * t + b(extent - 1 - n)));
            number sum = parts[0];
            for (std::size_t n = 1; n < extent; ++n) sum = number(tanh(sum) * parts[n] * 0.5 + parts[n - 1]);
            s = number(tanh(sum));
        }
    }
}
template <class V>
void statements(draw& d, state<V>& w, int depth) {
    for (int n = 1 + d.below(5); n > 0; --n) {
        switch (d.below(4)) {
            case 0: statement<0>(d, w, depth); break;
            case 1: statement<1>(d, w, depth); break;
            case 2: statement<2>(d, w, depth); break;
            default: statement<3>(d, w, depth);
        }
    }
}

struct program {
    std::uint32_t seed;
    template <class X, class N>
    auto operator()(X const& x, N const& n) const {
        using V = values<X>;
        using array = typename V::array;
        using number = typename V::number;
        draw d{mixed(seed)};
        state<V> w{{array(x), array(x * 0.5 - n), array(sin(x))}, {number(n), number(x(0) * n)}};
        statements(d, w, 2);
        number result = w.numbers[0] * 0.5 + sin(w.numbers[1]);
        for (std::size_t i = 0; i < 3; ++i) result = number(result + total(array(tanh(w.arrays[i]))) * (0.3 + 0.1 * static_cast<double>(i)));
        return result;
    }
};

std::uint32_t from_environment(char const* name, std::uint32_t otherwise) {
    char const* const text = std::getenv(name);
    return text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}
bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1.0 + std::abs(a) + std::abs(b)); }

}

BOOST_AUTO_TEST_CASE(random_programs) {
    std::uint32_t const begin = from_environment("XGRAD_TEST_SEED", 1), count = from_environment("XGRAD_TEST_PROGRAMS", 200);
    for (std::uint32_t seed = begin; seed < begin + count; ++seed) {
        BOOST_TEST_CONTEXT("XGRAD_TEST_SEED=" << seed << " XGRAD_TEST_PROGRAMS=1, XGRAD_TEST_DRAW=" << XGRAD_TEST_DRAW) {
            draw d{seed * 7919u + 13u};
            program const f{seed};
            vector x(std::array{extent}), v(std::array{extent});
            for (std::size_t i = 0; i < extent; ++i) x(i) = d.number(), v(i) = d.number();
            double const n = d.number(), m = d.number(), h = 1e-5;
            auto const along = [&](double t) { return std::pair(vector(x + t * v), n + t * m); };

            auto const [value, g] = xgrad::value_and_gradient(f, x, n);
            auto const& [gx, gn] = g;
            BOOST_TEST(near(value, f(x, n), 1e-12));
            double const slope = xt::sum(gx * v)() + gn * m;
            auto const forward = xgrad::jvp(f, std::tuple(x, n), std::tuple(v, m));
            BOOST_TEST(near(forward.primal, value, 1e-13));
            BOOST_TEST(near(forward.tangent, slope, 1e-10), forward.tangent << " forward, " << slope << " reverse");
            auto const [above_x, above_n] = along(h);
            auto const [below_x, below_n] = along(-h);
            double const difference = (f(above_x, above_n) - f(below_x, below_n)) / (2 * h);
            BOOST_TEST(near(difference, slope, 1e-6), difference << " by differences, " << slope << " reverse");

            auto const [hx, hn] = xgrad::hvp(f, std::tuple(x, n), std::tuple(v, m)).product;
            auto const above = xgrad::gradient(f, above_x, above_n), below = xgrad::gradient(f, below_x, below_n);
            for (std::size_t i = 0; i < extent; ++i)
                BOOST_TEST(near((std::get<0>(above)(i) - std::get<0>(below)(i)) / (2 * h), hx(i), 1e-5));
            BOOST_TEST(near((std::get<1>(above) - std::get<1>(below)) / (2 * h), hn, 1e-5));
        }
    }
}
