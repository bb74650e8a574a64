// map(f, a...): values and derivatives by every verb, beside the same function in a plain loop; all tails, layouts, types; what f may be given.
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <test/count_allocations.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::each, xgrad::pick;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using integers = xt::xtensor<int, 1>;

auto const residual = [](auto const& a, auto const& b, auto const& s, auto const& k) -> xgrad::real {
    auto u = sin(a * b);
    auto v = u * s + exp(0.5 * a);
    return v * v * k - u;
};

vector numbers(std::size_t n, double from) {
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = from + 0.37 * std::sin(1.0 + 2.3 * static_cast<double>(i));
    return x;
}

// How far two tangents are apart, compared with their sizes.
template <class A, class B>
double gap(A const& a, B const& b) {
    double d = 0, size = 1;
    if constexpr (std::is_arithmetic_v<A>) return static_cast<double>(std::abs(a - b) / std::max(A(1), std::abs(b)));
    else {
        for (std::size_t i = 0; i < a.size(); ++i) {
            auto const p = static_cast<double>(a.flat(i)), q = static_cast<double>(b.flat(i));
            d = std::max(d, std::abs(p - q));
            size = std::max(size, std::abs(q));
        }
        return a.size() == b.size() ? d / size : 1;
    }
}

// The same program by map and by a loop: value and gradient.
template <class F, class G, class... X>
void agree(F const& f, G const& g, double tolerance, X const&... x) {
    auto const a = xgrad::value_and_gradient(f, x...);
    auto const b = xgrad::value_and_gradient(g, x...);
    auto one = [tolerance](auto const& s, auto const& t) { BOOST_TEST(gap(s, t) < tolerance); };
    BOOST_TEST(gap(a.value, b.value) < tolerance);
    BOOST_TEST(gap(xgrad::value(f, x...), b.value) < tolerance);
    std::apply([&](auto const&... s) { std::apply([&](auto const&... t) { (one(s, t), ...); }, b.gradient); }, a.gradient);
}
// The forward mode against the gradient, and second derivatives against differences of gradients.
template <class F, class... X>
void other_verbs_agree(F const& f, X const&... x) {
    auto const g = xgrad::gradient(f, x...);
    auto const p = xgrad::jvp(f, std::tuple(x...), g);
    BOOST_TEST(gap(p.tangent, xgrad::pairing(g, g)) < 1e-12);
    auto const h = xgrad::hvp(f, std::tuple(x...), g);
    std::apply(
        [&](auto const&... d) {
            double const step = 1e-6;
            auto const above = xgrad::gradient(f, X(x + step * d)...), below = xgrad::gradient(f, X(x - step * d)...);
            auto one = [step]<class T>(T const& exact, T const& a, T const& b) { BOOST_TEST(gap(exact, T((a - b) / (2 * step))) < 1e-7); };
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                (one(std::get<I>(h.product), std::get<I>(above), std::get<I>(below)), ...);
            }(std::index_sequence_for<X...>{});
        },
        g);
}

}

BOOST_AUTO_TEST_CASE(every_tail_by_every_verb) {
    constexpr std::size_t lanes = xgrad::lanes<double>;
    for (std::size_t n : {std::size_t(0), std::size_t(1), lanes - 1, lanes, lanes + 1, 2 * lanes - 1, 5 * lanes + 3}) {
        vector const x = numbers(n, 0.4), w = numbers(n, 1.1), y = numbers(3, -0.2);
        integers who = integers::from_shape({n});
        for (std::size_t i = 0; i < n; ++i) who(i) = static_cast<int>((i * i) % 3);  // neighbours meet in one row
        auto const by_map = [&](auto const& a, auto const& b, auto const& s) { return sum(xgrad::map(residual, each(a), pick(b, who), s, each(w))); };
        // in a bigger formula its seeds are unknown
        auto const inside = [&](auto const& a, auto const& b, auto const& s) {
            auto const r = xgrad::map(residual, each(a), pick(b, who), s, each(w));
            return 0.5 * sum(r * r) + s * s;
        };
        auto const item = [&](auto const& a, auto const& b, auto const& s, std::size_t i) {
            auto u = sin(a(i) * b(who(i)));
            auto v = u * s + exp(0.5 * a(i));
            return v * v * w(i) - u;
        };
        auto const by_loop = [&](auto const& a, auto const& b, auto const& s) {
            xgrad::variable t = 0.0 * s;
            for (std::size_t i = 0; i < n; ++i) t += item(a, b, s, i);
            return t;
        };
        auto const inside_loop = [&](auto const& a, auto const& b, auto const& s) {
            xgrad::variable t = s * s;
            for (std::size_t i = 0; i < n; ++i) {
                auto r = item(a, b, s, i);
                t += 0.5 * r * r;
            }
            return t;
        };
        agree(by_map, by_loop, 1e-13, x, y, 0.7);
        agree(inside, inside_loop, 1e-13, x, y, 0.7);
        other_verbs_agree(inside, x, y, 0.7);
    }
}

BOOST_AUTO_TEST_CASE(rows_and_shared_arrays) {
    std::size_t const n = 11;
    matrix points = matrix::from_shape({n, 3});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 3; ++k) points(i, k) = std::cos(0.3 * static_cast<double>(i) + static_cast<double>(k));
    matrix const shift{{0.1, 0.2, 0.3}, {-1.0, 0.5, 0.4}};
    integers who = integers::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) who(i) = i % 3 == 0;
    xt::xtensor_fixed<double, xt::xshape<3>> const scale{1.0, 2.0, 0.5};
    vector const table{0.5, 1.5};
    // whole rows, and elements of them
    auto const f = [](auto const& p, auto const& c, auto const& s, auto const& t, int kind) -> xgrad::real {
        auto d = p - c;
        auto e = d * s;
        return sum(e * e) + p(0) * t(1) + static_cast<double>(kind) * t(0);
    };
    auto const by_map = [&](auto const& p, auto const& c, auto const& s, auto const& t) {
        return sum(sin(xgrad::map(f, each<3>(p), pick<3>(c, who), s, t, each(who))));
    };
    auto const by_loop = [&](auto const& p, auto const& c, auto const& s, auto const& t) {
        xgrad::variable total = 0.0 * t(0);
        for (std::size_t i = 0; i < n; ++i) {
            xgrad::variable y = p(i, 0) * t(1) + static_cast<double>(who(i)) * t(0);
            for (std::size_t k = 0; k < 3; ++k) {
                auto e = (p(i, k) - c(who(i), k)) * s(k);
                y += e * e;
            }
            total += sin(y);
        }
        return total;
    };
    agree(by_map, by_loop, 1e-13, points, shift, scale, table);
    other_verbs_agree(by_map, points, shift, scale, table);
    // of dynamic rank, and a view of a column-major array
    xt::xarray<double> const any = shift;
    xt::xtensor<double, 2, xt::layout_type::column_major> wide = xt::zeros<double>({n, std::size_t(6)});
    xt::view(wide, xt::all(), xt::range(1, 6, 2)) = points;
    auto const of_view = [&](auto const& g) {
        return [&](auto const& p, auto const& c, auto const& s, auto const& t) { return g(xt::view(p, xt::all(), xt::range(1, 6, 2)), c, s, t); };
    };
    agree(of_view(by_map), of_view(by_loop), 1e-13, wide, any, scale, table);
}

BOOST_AUTO_TEST_CASE(hessian_and_pullbacks) {
    vector const x = numbers(9, 0.3), w = numbers(9, 1.0), y{0.4};
    integers const who = xt::zeros<int>({9});
    auto const f = [&](auto const& a, auto const& b) { return sum(xgrad::map(residual, each(a), pick(b, who), 0.5, each(w))); };
    auto const h = xgrad::hessian(f, x, y);
    for (std::size_t k = 0; k < 10; ++k) {
        auto at = [&](double step) {
            vector p = x, q = y;
            (k < 9 ? p(k) : q(0)) += step;
            return xgrad::gradient(f, p, q);
        };
        auto const [xa, ya] = at(1e-6);
        auto const [xb, yb] = at(-1e-6);
        double worst = std::abs(h(9, k) - (ya(0) - yb(0)) / 2e-6);
        for (std::size_t i = 0; i < 9; ++i) worst = std::max(worst, std::abs(h(i, k) - (xa(i) - xb(i)) / 2e-6));
        BOOST_TEST(worst < 1e-7);
    }
    auto const values = [&](auto const& a, auto const& b) { return xgrad::map(residual, each(a), pick(b, who), 0.5, each(w)); };
    auto const j = xgrad::jacobian(values, x, y);
    auto p = xgrad::vjp(values, x, y);
    vector const ybar = numbers(9, 0.1);
    for (int again = 0; again < 2; ++again) {
        auto const [da, db] = p.pullback(ybar);
        double worst = 0, b = 0;
        for (std::size_t i = 0; i < 9; ++i) {
            worst = std::max(worst, std::abs(da(i) - ybar(i) * j(i, i)));
            b += ybar(i) * j(i, 9);
        }
        BOOST_TEST(worst < 1e-13);
        BOOST_TEST(std::abs(db(0) - b) < 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(results_that_are_not_declared) {
    vector const x = numbers(7, 0.5);
    auto const body = [](auto const& a, auto const& s) {
        auto u = tanh(a * s);
        return u * u + a;
    };
    auto const f = [&](auto const& a, auto const& s) { return sum(xgrad::map(body, each(a), s)) + sum(exp(xgrad::map(body, each(2.0 * a), s))); };
    auto const loop = [&](auto const& a, auto const& s) {
        xgrad::variable t = 0.0 * s;
        for (std::size_t i = 0; i < 7; ++i) t += body(a(i), s) + exp(body(2.0 * a(i), s));
        return t;
    };
    agree(f, loop, 1e-13, x, 0.8);
}

BOOST_AUTO_TEST_CASE(floats_and_means) {
    using floats = xt::xtensor<float, 1>;
    floats const x = numbers(21, 0.5);
    auto const f = [](auto const& a, auto const& s) -> xgrad::real { return log(a * a + s) * 0.5f; };
    auto const by_map = [&](auto const& a, auto const& s) { return mean(xgrad::map(f, each(a), s)); };
    auto const by_loop = [](auto const& a, auto const& s) {
        xgrad::variable t = 0.0f * s;
        for (std::size_t i = 0; i < 21; ++i) t += log(a(i) * a(i) + s) * 0.5f;
        return t / 21.0f;
    };
    agree(by_map, by_loop, 1e-5, x, 0.75f);
    // the same values and types forward and in second order, and of several results, which are declared in doubles
    auto const two = [](auto const& a) -> xgrad::result<std::tuple<double, double>> { return std::tuple(a * a, a * a * a); };
    auto check = [&](auto const& g) {
        auto const r = xgrad::hvp(g, x, x);
        auto const d = xgrad::jvp(g, x, x);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(d.tangent)>, float>);
        floats const dx = std::get<0>(xgrad::gradient(g, x)), moved = 1.01f * x;
        BOOST_TEST(gap(floats(std::get<0>(r.gradient)), dx) < 1e-6);
        BOOST_TEST(std::abs(d.tangent - xt::sum(dx * x)()) < 1e-4f);
        BOOST_TEST(gap(floats(std::get<0>(r.product)), floats((std::get<0>(xgrad::gradient(g, moved)) - dx) / 0.01f)) < 5e-2);
    };
    check([&](auto const& a) { return sum(xgrad::map(f, each(a), 0.75f)); });
    check([&](auto const& a) {
        auto const [square, cube] = xgrad::map(two, each(a));
        return sum(square * cube) / 10.0f;
    });
    // beside doubles: item by item
    auto const mixed = [&](auto const& a, auto const& b, auto const& s) {
        auto const g = [](auto const& p, auto const& q, auto const& t) -> xgrad::real { return p * q * t + q; };
        auto y = xgrad::map(g, each(a), each(b), s);
        return sum(y * y) + sum(xgrad::map(g, each(a), each(b), s));
    };
    vector const z = numbers(21, 0.2);
    auto const [dx, dz, ds] = xgrad::gradient(mixed, x, z, 0.75f);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(dx)>, floats> && std::is_same_v<std::remove_cvref_t<decltype(ds)>, float>);
    double slope = 0;
    for (std::size_t i = 0; i < 21; ++i) {
        double const p = static_cast<double>(x(i)), q = z(i), g = 2.0 * (p * q * 0.75 + q) + 1.0;
        BOOST_TEST((std::abs(static_cast<double>(dx(i)) - g * q * 0.75) < 1e-6 && std::abs(dz(i) - g * (p * 0.75 + 1.0)) < 1e-14));
        slope += g * p * q;
    }
    BOOST_TEST(std::abs(static_cast<double>(ds) - slope) < 1e-5);
    auto const none = [&](auto const& a, auto const& s) { return mean(xgrad::map(f, each(a), s)); };
    BOOST_CHECK_THROW(xgrad::gradient(none, floats(), 1.0f), std::invalid_argument);
}

// What one map writes, another reads; one array in several places; two maps of one name.
BOOST_AUTO_TEST_CASE(chains_of_maps) {
    vector const x = numbers(10, 0.6);
    integers reversed = integers::from_shape({10});
    for (std::size_t i = 0; i < 10; ++i) reversed(i) = static_cast<int>(9 - i);
    auto const g = [](auto const& a, auto const& b) -> xgrad::real { return sqrt(a * a + b * b + 1.0); };
    auto const f = [&](auto const& a) {
        auto const y = xgrad::map(g, each(a), pick(a, reversed));
        auto const z = xgrad::map(g, each(y), each(y * 2.0));
        auto const twice = xgrad::map(g, each(z), each(z));  // whose cotangents meet in one place
        return sum(xgrad::map(g, each(z), pick(y, reversed))) + sum(y) + sum(twice * twice);
    };
    auto const loop = [&](auto const& a) {
        auto of = [](auto const& p, auto const& q) { return sqrt(p * p + q * q + 1.0); };
        std::vector<xgrad::number_like<decltype(a)>> y, z;
        for (std::size_t i = 0; i < 10; ++i) y.push_back(of(a(i), a(9 - i)));
        for (std::size_t i = 0; i < 10; ++i) z.push_back(of(y[i], y[i] * 2.0));
        xgrad::variable t = 0.0 * a(0);
        for (std::size_t i = 0; i < 10; ++i) {
            auto twice = of(z[i], z[i]);
            t += of(z[i], y[9 - i]) + y[i] + twice * twice;
        }
        return t;
    };
    agree(f, loop, 1e-13, x);
}

// The same text on plain numbers; lists beside arrays.
BOOST_AUTO_TEST_CASE(plain_arguments) {
    vector const x = numbers(5, 0.4);
    std::vector<double> const w{1.0, 0.5, 2.0, 1.5, 1.0};
    std::vector<int> const who{1, 0, 1, 1, 0};
    matrix const rows{{0.1, 0.2}, {0.3, 0.4}};
    auto const f = [](auto const& a, auto const& r, auto const& k, int kind) -> xgrad::real {
        using std::exp;
        return exp(a) * (r(0) + r(1) * k) + static_cast<double>(kind);
    };
    auto const all = [&](auto const& a, auto const& r) { return xgrad::map(f, each(a), pick<2>(r, who), each(w), each(who)); };
    vector const y = all(x, rows);
    for (std::size_t i = 0; i < 5; ++i)
        BOOST_TEST(y(i) == std::exp(x(i)) * (rows(who[i], 0) + rows(who[i], 1) * w[i]) + who[i]);
    BOOST_TEST(std::abs(xgrad::value([&](auto const& a) { return sum(all(a, rows)); }, x) - xt::sum(y)()) < 1e-14);
    auto const [dr] = xgrad::gradient([&](auto const& r) { return sum(all(x, r)); }, rows);
    BOOST_TEST(std::abs(dr(0, 1) - (std::exp(x(1)) * 0.5 + std::exp(x(4)))) < 1e-14);
}

BOOST_AUTO_TEST_CASE(a_prepared_gradient_allocates_nothing) {
    vector const x = numbers(50, 0.4), w = numbers(50, 1.0), y = numbers(3, 0.2);
    integers who = integers::from_shape({50});
    for (std::size_t i = 0; i < 50; ++i) who(i) = static_cast<int>(i % 3);
    auto const f = [&](auto const& a, auto const& b, auto const& s) {
        auto const r = xgrad::map(residual, each(a), pick(b, std::cref(who)), s, each(w));
        return sum(r * r) + sum(xgrad::map(residual, each(r), pick(b, who), s, each(std::cref(w))));
    };
    auto g = xgrad::prepare_gradient(f, x, y, 0.3);
    g(x, y, 0.3);
    auto const before = allocations;
    g(x, y, 0.4);
    BOOST_TEST(allocations == before);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit) {
    vector const x = numbers(6, 0.4), w = numbers(5, 1.0);
    auto says = [](char const* id) { return [id](std::exception const& e) { return std::string(e.what()).find(id) != std::string::npos; }; };
    int calls = 0;
    auto const f = [&calls](auto const& a, auto const& b) -> xgrad::real {
        ++calls;
        return a * b;
    };
    auto const lengths = [&](auto const& a) { return sum(xgrad::map(f, each(a), each(w))); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(lengths, x), std::invalid_argument, says("E240"));
    auto const rows = [&](auto const& a) { return sum(xgrad::map(f, each(a), each(a))); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(rows, xt::xarray<double>(xt::ones<double>({2, 2}))), std::invalid_argument, says("E241"));
    for (int bad : {-1, 6}) {
        auto const beyond = [&](auto const& a) { return sum(xgrad::map(f, each(a), pick(a, integers{0, 1, 2, bad, 4, 5}))); };
        BOOST_CHECK_EXCEPTION(xgrad::gradient(beyond, x), std::out_of_range, says("E242"));
    }
    BOOST_TEST(calls == 0);
    // an active value that f has captured belongs to the call outside
    auto const captured = [&](auto const& a, auto const& s) {
        return sum(xgrad::map([&](auto const& p) { return p * s; }, each(a)));
    };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(captured, x, 2.0), std::logic_error, says("E214"));
    // what f throws comes out, and leaves nothing behind
    auto const throwing = [](auto const& a) -> xgrad::real {
        if (a > 0.7) throw std::domain_error("too much");
        return a * a;
    };
    auto g = xgrad::prepare_gradient([&](auto const& a) { return sum(xgrad::map(throwing, each(a))); }, x);
    BOOST_CHECK_THROW(g(x), std::domain_error);
    vector const small = numbers(6, 0.1);
    BOOST_TEST(gap(std::get<0>(g(small).gradient), vector(2.0 * small)) < 1e-15);
}
// Rows by index, as long as only the array knows: whole, by elements, and several items of one row.
BOOST_AUTO_TEST_CASE(picked_rows_of_every_length) {
    std::vector<std::size_t> a(61), b(61);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = i * i % 7, b[i] = i / 9;
    for (std::size_t length : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 11u}) {
        matrix x = matrix::from_shape({7, length}), column = matrix::from_shape({7, 2 * length});
        for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<double>(i));
        column.fill(0.0);
        xt::view(column, xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(2 * length), 2)) = x;
        auto const whole = [](auto const& p, auto const& q) -> xgrad::real { return sum(p * q * q); };
        auto const by_elements = [length](auto const& p, auto const& q) -> xgrad::real {
            xgrad::number_like<decltype(p)> s = 0.0;
            for (std::size_t k = 0; k < length; ++k) s += p(k) * q(k) * q(k);
            return s;
        };
        auto const by_arrays = [&](auto const& y) { return sum(xgrad::take(y, a, 0) * square(xgrad::take(y, b, 0))); };
        auto const by_map = [&](auto const& y) { return sum(xgrad::map(whole, pick(y, a), pick(y, b))); };
        auto const by_map_of_elements = [&](auto const& y) { return sum(xgrad::map(by_elements, pick(y, a), pick(y, b))); };
        // rows that do not lie one behind the other
        auto const of_a_view = [&](auto const& y) {
            auto const every_second = view(y, xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(2 * length), 2));
            return sum(xgrad::map(whole, pick(every_second, a), pick(every_second, b)));
        };
        auto const [value, gradient] = xgrad::value_and_gradient(by_arrays, x);
        auto check = [&](auto const& found) {
            BOOST_CHECK_CLOSE(found.value, value, 1e-10);
            BOOST_TEST(xt::allclose(std::get<0>(found.gradient), std::get<0>(gradient), 1e-12, 1e-12), length << " numbers");
        };
        check(xgrad::value_and_gradient(by_map, x));
        check(xgrad::value_and_gradient(by_map_of_elements, x));
        auto const [again, of_columns] = xgrad::value_and_gradient(of_a_view, column);
        matrix const picked = xt::view(std::get<0>(of_columns), xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(2 * length), 2));
        BOOST_CHECK_CLOSE(again, value, 1e-10);
        BOOST_TEST(xt::allclose(picked, std::get<0>(gradient), 1e-12, 1e-12), length << " numbers of every second column");
    }
}
