// Thunks: cotangents that are not made, or made once; the allocations of f(X) = X(0) + X(1), counted.
#include <boost/test/unit_test.hpp>

#include <xgrad/tangent/one_hot.hpp>
#include <xgrad/tangent/set_to_zero.hpp>
#include <xgrad/tangent/thunk.hpp>

#include <cstddef>
#include <memory>
#include <vector>

using namespace xgrad;

namespace {

std::size_t allocations = 0;

template <class T>
struct counting : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = counting<U>;
    };
    T* allocate(std::size_t n) {
        ++allocations;
        return std::allocator<T>::allocate(n);
    }
};

template <class F>
std::size_t allocations_of(F f) {
    std::size_t const before = allocations;
    f();
    return allocations - before;
}

using array = xt::xtensor<double, 1, xt::layout_type::row_major, counting<double>>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_thunk_is_made_when_it_is_needed) {
    int made = 0;
    auto const t = thunk([&made] {
        ++made;
        return std::vector<double>{1, 2};
    });
    BOOST_TEST(made == 0);
    BOOST_TEST(unthunk(t)[1] == 2);
    BOOST_TEST(unthunk(2.5) == 2.5);
    std::vector<double> xbar{10, 20};
    BOOST_TEST(&accumulate(xbar, t) == &xbar);
    BOOST_TEST(xbar[1] == 22);
    BOOST_TEST(made == 2);
}

BOOST_AUTO_TEST_CASE(an_inplaceable_thunk_is_not_made_when_it_is_added) {
    int made = 0, added = 0;
    auto const t = inplaceable_thunk(
        [&made] {
            ++made;
            return 1.5;
        },
        [&added](double& xbar) {
            ++added;
            xbar += 1.5;
        });
    double xbar = 1;
    accumulate(xbar, t);
    BOOST_TEST(xbar == 2.5);
    BOOST_TEST(made == 0);
    BOOST_TEST(added == 1);
    BOOST_TEST((t + 1.0) == 2.5);
    BOOST_TEST(made == 1);
    BOOST_TEST(accumulate(t, t) == 3);
    BOOST_TEST(made == 2);
    BOOST_TEST(added == 2);
}

BOOST_AUTO_TEST_CASE(accumulation_can_wait) {
    std::vector<double> xbar{1, 2};
    auto const later = thunk([&xbar] { return accumulate(xbar, std::vector<double>{1, 1}); });
    BOOST_TEST(xbar[0] == 1);
    BOOST_TEST(unthunk(later)[0] == 2);
    BOOST_TEST(xbar[0] == 2);
}

BOOST_AUTO_TEST_CASE(a_shadow_takes_thunks) {
    array shadow = xt::zeros<double>({3});
    shadow_ref<array> xbar(shadow);
    accumulate(xbar, one_hot(shadow, 2.0, 1));
    BOOST_TEST(shadow(1) == 2);
    xt::xtensor<double, 2> const x = xt::zeros<double>({2, 3});
    BOOST_TEST(one_hot(x, 5.0, 1, 2).value()(1, 2) == 5);
    std::vector<double> const v(4);
    BOOST_TEST(one_hot(v, 5.0, 3).value()[3] == 5);
}

BOOST_AUTO_TEST_CASE(allocations_of_two_elements_of_an_array) {
    array const x{1, 2, 3};
    auto const first = one_hot(x, 1.0, 0), second = one_hot(x, 1.0, 1);
    auto const expect = [](array const& xbar) {
        BOOST_TEST(xbar(0) == 1);
        BOOST_TEST(xbar(1) == 1);
        BOOST_TEST(xbar(2) == 0);
    };
    array xbar;
    BOOST_TEST(allocations_of([&] { xbar = first + second; }) == 3u);
    expect(xbar);
    BOOST_TEST(allocations_of([&] { xbar = accumulate(first.value(), second.value()); }) == 2u);
    expect(xbar);
    BOOST_TEST(allocations_of([&] { xbar = accumulate(first, second); }) == 1u);
    expect(xbar);
    set_to_zero(xbar);
    BOOST_TEST(allocations_of([&] { accumulate(accumulate(xbar, first), second); }) == 0u);
    expect(xbar);
}

BOOST_AUTO_TEST_CASE(the_sum_over_a_loop_allocates_one_array) {
    array const x = xt::ones<double>({100});
    array xbar;
    auto const n = allocations_of([&] {
        xbar = one_hot(x, 1.0, 0).value();
        for (std::size_t i = 1; i < x.size(); ++i) accumulate(xbar, one_hot(x, 1.0, i));
    });
    BOOST_TEST(n == 1u);
    BOOST_TEST(xt::sum(xbar)() == 100);
}
