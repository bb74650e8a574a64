// The context of a call: what is ready is settled in a list without recursion, what is kept is pulled again, constants are known by their memory.
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <vector>

#include <xgrad/scope/memory/context.hpp>

namespace {

std::vector<int> settled;

// A value that owes to the one before.
struct link : xgrad::slot_base {
    int id = 0;
    link* operand = nullptr;
    static void settle_link(xgrad::slot_base* s) noexcept {
        auto* l = static_cast<link*>(s);
        settled.push_back(l->id);
        if (l->operand && --l->operand->owed == 0 && l->operand->released) l->owner->ready(l->operand);
    }
};

std::vector<link> chain(xgrad::context& c, int n) {
    std::vector<link> l(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        auto& e = l[static_cast<std::size_t>(i)];
        e.owner = &c;
        e.settle = &link::settle_link;
        e.id = i;
        e.owed = i + 1 < n ? 1 : 0;
        e.released = true;
        if (i > 0) e.operand = &l[static_cast<std::size_t>(i - 1)];
    }
    return l;
}

}

BOOST_AUTO_TEST_CASE(a_chain_settles_from_its_end_in_constant_stack) {
    xgrad::context c;
    c.begin(true);
    settled.clear();
    int const n = 1000000;
    auto l = chain(c, n);
    c.ready(&l.back());
    BOOST_REQUIRE(settled.size() == static_cast<std::size_t>(n));
    int in_order = 0;
    while (in_order < n && settled[static_cast<std::size_t>(in_order)] == n - 1 - in_order) ++in_order;
    BOOST_TEST(in_order == n);
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_asked_again_the_last_first) {
    xgrad::context c;
    c.begin(true, true);
    settled.clear();
    auto l = chain(c, 3);
    for (auto& e : l) {
        e.operand = nullptr;
        c.keep(&e);
        c.ready(&e);
    }
    BOOST_TEST(settled.empty());
    c.settle_kept(xgrad::context::keeping::backward);
    c.settle_kept(xgrad::context::keeping::backward);
    BOOST_TEST(settled == (std::vector<int>{2, 1, 0, 2, 1, 0}), boost::test_tools::per_element());
    c.settle_kept(xgrad::context::keeping::end);
    BOOST_TEST(settled.size() == 9u);
    BOOST_TEST((c.keeps == xgrad::context::keeping::nothing));
}

BOOST_AUTO_TEST_CASE(constants_and_arguments_are_known_by_their_memory) {
    xgrad::context c;
    c.begin(true);
    double const k[3] = {1, 2, 3};
    double x[4] = {};
    c.assume_constant(k, sizeof k);
    BOOST_TEST(c.is_assumed_constant(k));
    BOOST_TEST(c.is_assumed_constant(k + 2));
    BOOST_TEST(!c.is_assumed_constant(k + 3));
    c.enter_array(x, x + 4);
    xgrad::context::entered_array record;
    c.enter_array(record, x + 2, x + 4);
    BOOST_TEST(c.arguments_at(x, x + 1) == 1u);
    BOOST_TEST(c.arguments_at(x + 1, x + 3) == 2u);
    BOOST_TEST(c.arguments_at(k, k + 3) == 0u);
    // the next call knows nothing of it
    c.begin(true);
    BOOST_TEST(!c.is_assumed_constant(k));
    BOOST_TEST(c.arguments_at(x, x + 4) == 0u);
}

BOOST_AUTO_TEST_CASE(a_value_of_another_type_belongs_to_another_call) {
    xgrad::context c;
    double y = 0;
    c.deliver_to(&y);
    c.delivered(2.0, false);
    c.delivered(3.0, true);
    BOOST_TEST(y == 5.0);
    BOOST_CHECK_THROW(c.delivered(1.0f, false), std::logic_error);
}
