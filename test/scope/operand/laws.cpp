// The laws of operands (scope/operand/operand.hpp), each tested on all of them.
#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <vector>

#include <xgrad/xgrad.hpp>

using namespace xgrad;

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;
using small_matrix = xt::xtensor_fixed<double, xt::xshape<2, 2>>;

// The elements of an operand, as a kernel reads them.
template <class A>
std::vector<double> elements(A const& a) {
    if constexpr (A::rank == 0) {
        typename A::frame f, again;
        a.forward(f);
        a.forward(again);
        BOOST_TEST(value_of(f) == value_of(again));
        return {value_of(f)};
    } else {
        std::vector<double> y(element_count(a.extent()));
        evaluate(a, a.extent(), y.data());
        return y;
    }
}

// Gives every element this contribution.
template <class A>
void contribute(A const& a, std::vector<double> const& y, double g) {
    if constexpr (A::rank == 0) {
        typename A::frame f;
        a.forward(f);
        a.backward(f, g);
    } else {
        std::vector<double> const ybar(y.size(), g);
        pull_back(a, a.extent(), y.data(), ybar.data());
    }
}

// All laws but that of what was moved from; an active operand gets 1 and then 2 for each element.
template <class A>
void check_laws(A const& a, std::vector<double> const& expected) {
    static_assert(operand<A>);
    static_assert(A::is_active != std::is_void_v<typename A::lifetime>);
    context* const owner = a.owner();
    auto const shape = a.extent();
    BOOST_TEST((A::is_active ? owner != nullptr : owner == nullptr));
    BOOST_TEST((a.extent() == shape));
    a.prepare();
    a.prepare();
    BOOST_TEST(a.owner() == owner);
    BOOST_TEST((a.extent() == shape));
    auto const y = elements(a);
    BOOST_TEST(y == expected, boost::test_tools::per_element());
    BOOST_TEST(elements(a) == y, boost::test_tools::per_element());
    if constexpr (A::is_active) {
        contribute(a, y, 1);
        contribute(a, y, 2);
    } else {
        std::vector<double> const ybar(y.size(), 1);
        if constexpr (A::rank != 0) pull_back(a, a.extent(), y.data(), ybar.data());
    }
    a.materialise();
    a.materialise();
    BOOST_TEST(a.owner() == owner);
    BOOST_TEST((a.extent() == shape));
    BOOST_TEST(elements(a) == y, boost::test_tools::per_element());
    if constexpr (requires { a.source(); }) {
        auto const s = a.source();
        std::size_t k = 0;
        detail::for_each_offset(s.shape, s.stride, [&](std::size_t, std::ptrdiff_t at) { BOOST_TEST(double(s.data[at]) == y[k++]); });
        BOOST_TEST(k == y.size());
    }
}

// What an expression holds of e(x), in a function that declares its result or not: the laws, and that x gets three times the gradient of the sum.
template <bool Declared, class E, class X>
void check_operand_of(E e, X const& x) {
    auto const expected = [&] {
        std::vector<double> r;
        auto collect = [&](auto const& a) {
            auto const p = primal(e(a));
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(p)>>) r = {p};
            else r.assign(p.begin(), p.end());
            return sum(a);
        };
        value(collect, x);
        return r;
    }();
    auto total = [&](auto const& a) { return 3.0 * sum(e(a)); };
    auto const [reference] = gradient(total, x);
    auto named = [&](auto const& a) {
        auto n = e(a);
        check_laws(as_operand(n), expected);
    };
    auto moved = [&](auto const& a) { check_laws(as_operand(e(a)), expected); };
    auto both = [&](auto const& a, auto const& use) {
        use(a);
        return 0.0 * sum(a);
    };
    if constexpr (Declared) {
        auto const [by_name] = gradient([&](auto const& a) -> real { return both(a, named); }, x);
        auto const [by_move] = gradient([&](auto const& a) -> real { return both(a, moved); }, x);
        BOOST_TEST(by_name == reference);
        BOOST_TEST(by_move == reference);
    } else {
        auto const [by_name] = gradient([&](auto const& a) { return both(a, named); }, x);
        auto const [by_move] = gradient([&](auto const& a) { return both(a, moved); }, x);
        BOOST_TEST(by_name == reference);
        BOOST_TEST(by_move == reference);
    }
}
template <class E, class X>
void check_operand(E e, X const& x) {
    check_operand_of<false>(e, x);
    check_operand_of<true>(e, x);
}

matrix const x{{1, 2, 3}, {4, 5, 6}};

}

BOOST_AUTO_TEST_CASE(arguments) {
    auto same = [](auto const& a) -> auto const& { return a; };
    check_operand(same, x);
    check_operand(same, vector{1, 2});
    check_operand(same, xt::xarray<double>{{1, 2}, {3, 4}});
    check_operand(same, xt::xtensor<double, 2, xt::layout_type::column_major>{{1, 2}, {3, 4}});
    check_operand(same, small_matrix{{1, 2}, {3, 4}});
}

BOOST_AUTO_TEST_CASE(numbers_that_are_values) {
    auto const f = [](auto const& a, auto const& b) {
        auto const check = [](auto const& n, double y) { check_laws(as_operand(n), {y}); };
        check(a, 2);
        check(a * 3.0, 6);
        check(b(1) - a, 3);
        check(variable(a), 2);
        return a * 1.0;
    };
    BOOST_TEST(value(f, 2.0, vector{1, 5}) == 2.0);
}

BOOST_AUTO_TEST_CASE(parts_of_arrays) {
    check_operand([](auto const& a) { return view(a, xt::all(), xt::range(1, 3)); }, x);
    check_operand([](auto const& a) { return transpose(a); }, x);
    check_operand([](auto const& a) { return a(1, 2); }, x);
    check_operand([](auto const& a) { return view(a, 1); }, small_matrix{{1, 2}, {3, 4}});
}

BOOST_AUTO_TEST_CASE(formulas_of_arrays) {
    check_operand([](auto const& a) { return a * a; }, x);
    check_operand([](auto const& a) { return sum(a * a, {0}); }, x);
    check_operand([](auto const& a) { return sort(a * 2.0); }, vector{3, 1, 2});
    check_operand([](auto const& a) { return a * a; }, small_matrix{{1, 2}, {3, 4}});
    check_operand([](auto const& a) { return variable(a * a); }, x);
}

BOOST_AUTO_TEST_CASE(formulas_of_numbers) {
    check_operand([](auto const& a) { return sum(a * a); }, x);
    check_operand([](auto const& a) { return a(0, 0) * a(0, 1); }, x);
    check_operand([](auto const& a) { return sum(a) * a(0, 1); }, x);
    check_operand([](auto const& a) { return variable(a(0, 0) * a(0, 1)); }, x);
}

BOOST_AUTO_TEST_CASE(nested_formulas_of_numbers) {
    // what moves into a formula of numbers leaves its slot behind
    auto use = [](auto const& a) {
        auto named = a(0) * 3.0;
        auto const y = primal(named);
        check_laws(as_nested_operand<true, 0>(a(0) * a(1)), {2});
        check_laws(as_nested_operand<true, 0>(std::move(named)), {y});
    };
    auto f = [&](auto const& a) {
        use(a);
        return a(0) * 0.0;
    };
    auto declared = [&](auto const& a) -> real {
        use(a);
        return a(0) * 0.0;
    };
    vector const expected{3 * 2 + 3 * 3, 3 * 1};
    BOOST_TEST(std::get<0>(gradient(f, vector{1, 2})) == expected);
    BOOST_TEST(std::get<0>(gradient(declared, vector{1, 2})) == expected);
}

// What uses a name of cheap operations elementwise has a copy of its operands, and of a constant among them.
BOOST_AUTO_TEST_CASE(carried_names) {
    auto f = [](auto const& a) {
        vector const k{1, 2, 3};
        auto name = a * k + view(a, xt::range(0, 1));
        auto const y = primal(a);
        vector const expected = y * k + y(0);
        check_laws(as_nested_operand<false, 1>(name), {expected(0), expected(1), expected(2)});
        return sum(a) * 0.0;
    };
    // each element of the name was given 3
    BOOST_TEST(std::get<0>(gradient(f, vector{1, 2, 3})) == (vector{12, 6, 9}));
}

BOOST_AUTO_TEST_CASE(constants) {
    context c;
    c.begin(true);
    check_laws(constant_number<double>(2.5), {2.5});
    vector const k{1, 2, 3};
    check_laws(as_constant_array<double>(k, c), {1, 2, 3});
    check_laws(as_constant_array<double>(vector{1, 2, 3}, c), {1, 2, 3});
    check_laws(as_constant_array<double>(std::cref(k), c), {1, 2, 3});
    check_laws(as_constant_array<double>(small_matrix{{1, 2}, {3, 4}}, c), {1, 2, 3, 4});
    check_laws(detail::shape_alone<double, rank_c<2>>(extents<2>{{2, 2}}), {0, 0, 0, 0});
    BOOST_TEST(c.live == 0u);
}

// It has an owner inside, and takes nothing.
BOOST_AUTO_TEST_CASE(what_is_only_read) {
    auto const [g] = gradient(
        [](auto const& a) {
            auto reads = [](auto&& e, std::vector<double> const& expected) { check_laws(value_only(detail::as_element_operand<1>(std::move(e))), expected); };
            reads(a * a, {1, 4, 9});
            reads(sort(-1.0 * a), {-3, -2, -1});
            auto const name = exp(0.0 * a);
            check_laws(value_only(detail::as_element_operand<1>(name)), {1, 1, 1});
            return sum(a);
        },
        vector{1, 2, 3});
    BOOST_TEST((g == vector{1, 1, 1}));
}

// What is known to be the same value, in the same place: names twice, parts of one array, constants to the last bit.
BOOST_AUTO_TEST_CASE(which_are_the_same) {
    auto check = [](auto const& a) {
        auto first = [&] { return view(a, xt::range(0, 2)); };
        auto last = [&] { return view(a, xt::range(1, 3)); };
        auto e = a * 2.0;
        variable u = a;
        variable v = a * 1.0;
        BOOST_TEST(as_operand(a).is_same(as_operand(a)));
        BOOST_TEST(as_operand(e).is_same(as_operand(e)));
        BOOST_TEST(as_operand(u).is_same(as_operand(u)));
        BOOST_TEST(!as_operand(u).is_same(as_operand(v)));
        BOOST_TEST(as_operand(first()).is_same(as_operand(first())));
        BOOST_TEST(!as_operand(first()).is_same(as_operand(last())));
        auto times = [](auto const& b, double c) { return as_nested_operand<false, 1>(b * c); };
        BOOST_TEST(times(a, 3.0).is_same(times(a, 3.0)));
        BOOST_TEST(!times(a, 3.0).is_same(times(a, 4.0)));
        BOOST_TEST(!times(a, 0.0).is_same(times(a, -0.0)));
        BOOST_TEST(!times(first(), 3.0).is_same(times(last(), 3.0)));
        return sum(a);
    };
    BOOST_TEST(std::get<0>(gradient(check, vector{1, 2, 3})) == (vector{1, 1, 1}));
}

BOOST_AUTO_TEST_CASE(what_was_moved_from_says_so) {
    auto check = [](auto const& a) {
        auto e = a * a;
        auto taken = as_operand(std::move(e));
        BOOST_CHECK_THROW(as_operand(std::move(e)), std::logic_error);
        BOOST_CHECK_THROW(as_operand(e), std::logic_error);
        auto n = sum(a) * 2.0;
        auto nested = as_nested_operand<true, 0>(std::move(n));
        BOOST_CHECK_THROW((as_nested_operand<true, 0>(std::move(n))), std::logic_error);
        auto c = a * 2.0;
        auto moved = std::move(c);
        BOOST_CHECK_THROW((as_nested_operand<false, 1>(c)), std::logic_error);
        variable v = a * 2.0;
        auto debt = as_operand(std::move(v));
        BOOST_CHECK_THROW(as_operand(v), std::logic_error);
        return sum(a);
    };
    BOOST_TEST(std::get<0>(gradient(check, vector{1, 2})) == (vector{1, 1}));
}
