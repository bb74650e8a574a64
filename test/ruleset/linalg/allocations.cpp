// The cotangents of products are accumulated where they are: nothing is taken from the heap, and no temporary from the workspace.
#include <array>
#include <cstddef>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../../count_allocations.hpp"

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

namespace {

// The allocations of the second call, and the bytes of the workspace.
template <class F, class... X>
std::array<std::size_t, 2> second_call(F f, X const&... x) {
    auto g = xgrad::prepare_gradient(f, x...);
    g(x...);
    std::size_t const before = allocations;
    g(x...);
    return {allocations - before, g.workspace_bytes()};
}

}

BOOST_AUTO_TEST_CASE(products_of_matrices) {
    std::size_t const n = 64, bytes = n * n * sizeof(double);
    matrix const a = xt::ones<double>({n, n}), b = a, c = a;
    auto const once = second_call([](auto const& u, auto const& v) { return sum(dot(u, v)); }, a, b);
    BOOST_TEST(once[0] == 0u);
    // the product and its cotangent; the workspace grows by doubling
    BOOST_TEST(once[1] <= 3 * bytes);
    // a in three products: three accumulations
    auto const thrice =
        second_call([](auto const& u, auto const& v, auto const& w) { return sum(dot(u, v)) + sum(dot(u, w)) + sum(dot(u, transpose(v))); }, a, b, c);
    BOOST_TEST(thrice[0] == 0u);
}

BOOST_AUTO_TEST_CASE(products_with_vectors) {
    matrix const a = xt::ones<double>({40, 30});
    vector const x = xt::ones<double>({30});
    auto const [taken, bytes] = second_call([](auto const& u, auto const& v) { auto y = dot(u, v); return dot(y, y); }, a, x);
    BOOST_TEST(taken == 0u);
    BOOST_TEST(bytes <= 16384u);
}

// The loop over every element: one array, the gradient; each element adds to it.
BOOST_AUTO_TEST_CASE(a_loop_over_every_element) {
    auto const sum_by_hand = [](auto const& x) {
        xgrad::variable s = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) s += x(i);
        return s;
    };
    vector const x = xt::ones<double>({1000});
    auto const g = std::get<0>(xgrad::gradient(sum_by_hand, x));
    BOOST_TEST(g == x);
    BOOST_TEST(second_call(sum_by_hand, x)[0] == 0u);
    // a workspace that is there already: the gradient is all that a call takes
    std::size_t const before = allocations;
    auto const again = xgrad::gradient(sum_by_hand, x);
    BOOST_TEST(allocations - before <= 2u);
    BOOST_TEST(std::get<0>(again) == x);
}
