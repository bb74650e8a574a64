// Workspaces: calls may nest, each with its own; what a call has left behind is given up, and its memory is not used again.
#include <boost/test/unit_test.hpp>

#include <thread>
#include <utility>

#include <xgrad/scope/memory/workspace.hpp>

using namespace xgrad;

BOOST_AUTO_TEST_CASE(borrowed_ones_nest_and_are_used_again) {
    context* first = nullptr;
    {
        borrowed_workspace outer;
        first = &outer.get().get();
        borrowed_workspace inner;
        BOOST_TEST(&inner.get().get() != first);
    }
    borrowed_workspace again;
    BOOST_TEST(&again.get().get() == first);
}

BOOST_AUTO_TEST_CASE(what_is_given_up_is_not_used_again) {
    workspace w;
    context* const before = &w.get();
    before->begin(true);
    w.give_up();
    BOOST_TEST(&w.get() != before);
    BOOST_TEST(!before->reverse);  // what is left there pulls nothing
}

BOOST_AUTO_TEST_CASE(it_moves) {
    workspace a;
    context* const c = &a.get();
    workspace b = std::move(a);
    BOOST_TEST(&b.get() == c);
    workspace d;
    d = std::move(b);
    BOOST_TEST(&d.get() == c);
}

BOOST_AUTO_TEST_CASE(values_of_no_call_belong_to_their_thread) {
    context* const mine = &plain_context();
    BOOST_TEST(mine->plain);
    BOOST_TEST(&plain_context() == mine);
    context* other = nullptr;
    std::thread([&] { other = &plain_context(); }).join();
    BOOST_TEST(other != mine);
    // the next thread takes over what one has left
    context* next = nullptr;
    std::thread([&] { next = &plain_context(); }).join();
    BOOST_TEST(next == other);
}
