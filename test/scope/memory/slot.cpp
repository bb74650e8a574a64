// Slots: a cotangent is zeroed by the first contribution that does not cover it, and by no other.
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <xgrad/scope/memory/slot.hpp>
#include <xgrad/scope/memory/stack_slot.hpp>

using namespace xgrad;

BOOST_AUTO_TEST_CASE(of_a_number) {
    slot<double, rank_c<0>> s;
    BOOST_TEST(!s.has_cotangent);
    s.add(2);
    s.add(3);
    BOOST_TEST(s.has_cotangent);
    BOOST_TEST(s.cotangent == 5);
}

BOOST_AUTO_TEST_CASE(of_an_array) {
    double value[6], cotangent[6] = {7, 7, 7, 7, 7, 7};
    slot<double, rank_c<2>> s;
    s.value = value;
    s.cotangent = cotangent;
    s.shape = {{2, 3}};
    s.stride = row_major_strides(s.shape);
    s.size = 6;
    s.ensure_cotangent();
    for (double g : cotangent) BOOST_TEST(g == 0);
    cotangent[4] = 1;
    s.ensure_cotangent();
    BOOST_TEST(cotangent[4] == 1);
}

BOOST_AUTO_TEST_CASE(of_an_array_with_gaps) {
    // a column of a matrix: what lies beside it stays as it is
    double value[6], cotangent[6] = {7, 7, 7, 7, 7, 7};
    slot<double, rank_c<1>> s;
    s.value = value;
    s.cotangent = cotangent;
    s.shape = {{3}};
    s.stride = {{2}};
    s.size = 3;
    s.contiguous = false;
    s.ensure_cotangent();
    for (int i = 0; i < 6; ++i) BOOST_TEST(cotangent[i] == (i % 2 == 0 ? 0 : 7));
}

BOOST_AUTO_TEST_CASE(on_the_stack) {
    stack_slot<double, scoped> s;
    s.open(2.5);
    BOOST_TEST(s.value == 2.5);
    BOOST_TEST(!s.has_cotangent);
    BOOST_TEST(s.owed == 0u);
    s.add(-0.0);
    BOOST_TEST(std::signbit(s.cotangent));  // nothing was added to it but this
    s.add(1);
    BOOST_TEST(s.cotangent == 1);
}
