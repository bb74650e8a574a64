// What a node says of itself (scope/node/node.hpp), tested on some of each kind: elementwise ones, reductions, rules on whole arrays, stacks, hooks.
#include <boost/test/unit_test.hpp>

#include <array>
#include <type_traits>
#include <vector>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

// A slot as a node sees it, in memory of the test's own.
template <int R>
struct test_slot {
    explicit test_slot(extents<R> const& s) : shape(s), stride(row_major_strides(s)), size(element_count(s)), values(size), cotangents(size, 1.0) {
        value = values.data();
        cotangent = cotangents.data();
    }
    extents<R> shape;
    strides<R> stride;
    std::size_t size;
    std::vector<double> values, cotangents;
    memory_t<double> value = nullptr, cotangent = nullptr;
    bool contiguous = true;
};

// The laws, on a node whose operands are fresh; its operands get the pullback of ones.
template <class N>
void check_node(N const& n, std::vector<double> const& expected) {
    static_assert(storable_node<N>);
    context* const owner = n.owner();
    BOOST_TEST(owner != nullptr);
    if constexpr (N::rank == 0) {
        n.prepare();
        n.prepare();
        BOOST_TEST(n.owner() == owner);
        double const y = n.value();
        BOOST_TEST(y == n.value());
        BOOST_TEST(std::vector<double>{y} == expected, boost::test_tools::per_element());
        n.pull(1.0, y);
    } else {
        extents<N::rank> const shape = n.extent();
        n.prepare();
        n.prepare();
        BOOST_TEST(n.owner() == owner);
        BOOST_TEST((n.extent() == shape));
        test_slot<N::rank> y(shape);
        detail::evaluate_slot(n, y);
        BOOST_TEST(y.values == expected, boost::test_tools::per_element());
        y.values.assign(y.size, 0.0);
        detail::evaluate_slot(n, y);
        BOOST_TEST(y.values == expected, boost::test_tools::per_element());
        BOOST_TEST((n.extent() == shape));
        detail::pull_slot(n, y);
    }
}

// The node of e(x) has this value, and one pull of ones gives x the gradient of the sum of e(x).
template <class E, class X>
void check(E e, X const& x, std::vector<double> const& expected) {
    auto use = [&](auto const& a) { check_node(e(a).take_node(), expected); };
    auto f = [&](auto const& a) {
        use(a);
        return 0.0 * sum(a);
    };
    auto const [reference] = gradient([&](auto const& a) { return sum(e(a)); }, x);
    auto const [pulled] = gradient(f, x);
    BOOST_TEST(pulled == reference);
}

matrix const x{{1, 2, 3}, {4, 5, 6}};
vector const v{3, 1, 2};

}

BOOST_AUTO_TEST_CASE(elementwise_nodes) {
    check([](auto const& a) { return a * a; }, x, {1, 4, 9, 16, 25, 36});
    check([](auto const& a) { return (a + 1.0) * view(a, 0); }, x, {2, 6, 12, 5, 12, 21});
    check([](auto const& a) { return a(0) * a(1) + a(2); }, v, {5});
}

BOOST_AUTO_TEST_CASE(reductions_of_all_and_along_axes) {
    check([](auto const& a) { return sum(a * a); }, x, {91});
    check([](auto const& a) { return prod(a); }, x, {720});
    check([](auto const& a) { return sum(a * a, {0}); }, x, {17, 29, 45});
    check([](auto const& a) { return amax(a, {1}); }, x, {3, 6});
}

BOOST_AUTO_TEST_CASE(rules_on_whole_arrays) {
    check([](auto const& a) { return sort(a * 2.0); }, v, {2, 4, 6});
    check([](auto const& a) { return cumsum(a, 1); }, x, {1, 3, 6, 4, 9, 15});
    check([](auto const& a) { return roll(a, 1, 1); }, x, {3, 1, 2, 6, 4, 5});
}

BOOST_AUTO_TEST_CASE(stacks_and_hooks) {
    auto stacked = [](auto const& a) {
        std::vector<std::remove_cvref_t<decltype(variable(a(0)))>> rows;
        rows.push_back(variable(a(0) * 2.0));
        rows.push_back(variable(a(2) * a(1)));
        return stack(rows);
    };
    check(stacked, v, {6, 2});
    check([](auto const& a) { return hook(a * 2.0, [](auto const& g) { return g * 3.0; }); }, x, {2, 4, 6, 8, 10, 12});
}
