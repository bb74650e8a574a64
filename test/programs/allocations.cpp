// A prepared gradient called again with arguments of the same shapes takes nothing from the heap.
#include <vector>

#include "against_differences.hpp"
#include "../count_allocations.hpp"

using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct layer {
    matrix W;
    vector b;
    std::vector<double> scales;
    int n = 1;
};
XGRAD_REFLECT(layer, W, b, scales, n)

// How often the heap is asked in the second and the third call.
template <class F, class... X>
void no_allocations(F f, X const&... x) {
    auto g = xgrad::prepare_gradient(f, x...);
    g(x...);
    double const value = g(x...).value;
    auto const before = allocations;
    g(x...);
    double const again = g(x...).value;
    auto const after = allocations;
    BOOST_CHECK_EQUAL(after - before, 0u);
    BOOST_CHECK_EQUAL(value, again);
}
template <class F, class G, class... X>
void no_allocations(std::pair<F, G> const& both, X const&... x) {
    no_allocations(both.first, x...);
    no_allocations(both.second, x...);
}

matrix const m = {{1, 2, 3}, {4, 5, 6}};
vector const v{1, 2, 3};

}

BOOST_AUTO_TEST_CASE(the_counter_counts) {
    auto const before = allocations;
    delete new int;
    vector const w = v;
    BOOST_CHECK_EQUAL(allocations - before, 2u);
}

BOOST_AUTO_TEST_CASE(scalars) {
    no_allocations(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x) * y; auto b = a * a; variable s = b;
                                    for (int i = 0; i < 100; ++i) s = s * a + x; return s;),
                   0.7, 1.3);
    no_allocations(
        [](auto const& x, auto const& y) {
            auto helper = [](auto const& u) {
                auto t = sin(u);
                return t * t;
            };
            return helper(x * y) * helper(y);
        },
        0.7, 1.3);
    no_allocations([](auto const& x) { xgrad::sum_result total; for (int i = 0; i < 10; ++i) { auto r = x * i; total += r * r; } return total; }, 0.7);
}

BOOST_AUTO_TEST_CASE(arrays) {
    no_allocations(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = tanh(x * y) + y; auto s = sum(h * h, 0); auto p = exp(s) / sum(exp(s));
                                    return sum(p * p) + mean(h) + h(1, 2);),
                   m, v);
    no_allocations(
        [](auto const& x, auto const& y) {
            auto helper = [](auto const& u) {
                auto t = sin(u);
                return t * t;
            };
            variable<matrix> s = helper(x * y);
            s = s * x;
            return sum(s);
        },
        m, v);
    no_allocations([](auto const& x, auto const& y) { auto h = x * y; auto s = sum(h, 0); return sum(s * h); }, xt::xarray<double>(m), xt::xarray<double>(v));
    no_allocations([](auto const& x) { auto h = sin(x) * x; return sum(h * h); }, xt::xtensor<double, 2, xt::layout_type::column_major>(m));
    no_allocations([](auto const& x) { auto h = sin(x) * x; return sum(h * h); }, xt::xtensor<float, 1>(v));
}

BOOST_AUTO_TEST_CASE(moved_elements) {
    no_allocations(
        [](auto const& x) {
            auto y = pad(x, 2, {}, 1.0);
            auto z = concatenate(xt::xtuple(roll(x, 1), tile(x, 2), y));
            return sum(z * z) + sum(repeat(x, 2, 0));
        },
        v);
}

BOOST_AUTO_TEST_CASE(masks_that_nobody_looks_at) {
    auto const f = [](auto const& x) {
        auto inside = abs(x) < 2.5;
        auto chosen = where(inside, x * x, 2.0 * x);
        return sum(chosen) + sum(where(x > 1.5 && !inside, x, 0.0)) + sum(select(xt::xtuple(x < 1.5, x < 2.5), xt::xtuple(x, x * x), 1.0));
    };
    no_allocations(f, v);
    no_allocations(f, m);
    no_allocations(f, xt::xarray<double>(m));
}

BOOST_AUTO_TEST_CASE(constants_are_copied_into_the_workspace) {
    no_allocations([](auto const& x, auto const& k) { auto h = x * v; auto p = h * k; return sum(p * p * m); }, v, xgrad::constant(m));
}

BOOST_AUTO_TEST_CASE(nests_of_structs_and_vectors) {
    std::vector<layer> const net{{m, {1, 2}, {0.1, 0.2}, 2}, {2 * m, {3, 4}, {}, 3}};
    no_allocations([](auto const& layers, auto const& x) {
        variable s = 0.0;
        for (auto const& l : layers) {
            auto h = sum(l.W * x, 1) + l.b;
            s = s + sum(h * h) * l.n;
            for (auto const& e : l.scales) s = s * e;
        }
        return s;
    }, net, v);
}

BOOST_AUTO_TEST_CASE(values_and_borrowed_workspaces) {
    auto f = [](auto const& x) { auto h = sin(x) * x; return sum(h * h); };
    auto gradient = std::make_tuple(xgrad::zero_tangent(v));
    for (int i = 0; i < 3; ++i) {
        xgrad::add_gradient(gradient, f, v);
        xgrad::value(f, v);
    }
    auto const before = allocations;
    xgrad::add_gradient(gradient, f, v);
    xgrad::value(f, v);
    auto const after = allocations;
    BOOST_CHECK_EQUAL(after - before, 0u);
}

BOOST_AUTO_TEST_CASE(smaller_arguments_fit_into_what_is_there) {
    auto g = xgrad::prepare_gradient([](auto const& x) { auto h = sin(x) * x; auto k = exp(h); return sum(h * k); }, v);
    vector const big = xt::ones<double>({1000});
    vector const one{1};
    g(big);
    g(one);
    auto const before = allocations;
    g(one);
    auto const after = allocations;
    BOOST_CHECK_EQUAL(after - before, 0u);
}

// Of a function of which nothing goes backward, no step of a loop stays, whether it is named or not.
BOOST_AUTO_TEST_CASE(values_keep_no_steps) {
    constexpr int steps = 150;
    auto const of_arrays = [](auto const& x) {
        xgrad::array_like<decltype(x), 1> u = x;
        for (int i = 0; i < steps; ++i) {
            auto const slope = sin(u);
            auto const again = sin(u + 0.001 * slope);
            u = u + 0.0005 * (slope + again);
            u -= 0.0001 * u;
        }
        return sum(u);
    };
    auto const of_numbers = [](auto const& x) {
        xgrad::number_like<decltype(x)> u = x(0), w = x(1);
        for (int i = 0; i < 40 * steps; ++i) {
            auto const slope = sin(u);
            w = w + 0.001 * slope * u;
            u -= 0.0001 * w * slope;
        }
        return u * w;
    };
    vector const big = 0.005 * xt::arange<double>(1.0, 201.0);
    auto const bytes = [&](auto call) {
        xgrad::release_workspaces();
        auto const before = allocated_bytes;
        double const y = call();
        BOOST_CHECK(std::isfinite(y));
        return allocated_bytes - before;
    };
    // an array of 200 takes 1.6 kB, 150 steps of four of them 1 MB; 6000 steps of three numbers take as much
    BOOST_CHECK_LE(bytes([&] { return xgrad::value(of_arrays, big); }), 1u << 18);
    BOOST_CHECK_LE(bytes([&] { return xgrad::value(of_numbers, big); }), 1u << 16);
    BOOST_CHECK_LE(bytes([&] { return xgrad::jvp(of_arrays, std::tuple(big), std::tuple(big)).tangent; }), 1u << 19);
    BOOST_CHECK_LE(bytes([&] { return xgrad::jvp(of_numbers, std::tuple(big), std::tuple(big)).tangent; }), 1u << 17);
    BOOST_CHECK_CLOSE(xgrad::value(of_arrays, big), xgrad::value_and_gradient(of_arrays, big).value, 1e-12);
    BOOST_CHECK_CLOSE(xgrad::value(of_numbers, big), xgrad::value_and_gradient(of_numbers, big).value, 1e-12);
}
