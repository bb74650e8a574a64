// What points: owned objects, shared objects, lists. One object has one shadow, and every operation meets it once.
#include <boost/test/unit_test.hpp>

#include <xgrad/check_tangent.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

using namespace xgrad;

namespace app {

using array = xt::xtensor<double, 1>;
struct owners {
    std::shared_ptr<array> a, b;
    std::vector<std::shared_ptr<array>> more;
    int n = 0;
};
XGRAD_REFLECT(owners, a, b, more, n)
struct referrers {
    std::reference_wrapper<double const> a, b;
};
XGRAD_REFLECT(referrers, a, b)
struct node {
    double value;
    std::unique_ptr<node> next;
};
XGRAD_REFLECT(node, value, next)
struct graph {
    std::shared_ptr<graph> left, right;
    double value;
};
XGRAD_REFLECT(graph, left, right, value)
struct window {
    double* scale;
    std::span<double const> data;
};
XGRAD_REFLECT(window, scale, data)

}  // namespace app

BOOST_AUTO_TEST_CASE(two_owners_share_one_shadow) {
    auto const object = std::make_shared<app::array>(app::array{1, 2, 3});
    app::owners const x{object, object, {object, std::make_shared<app::array>(app::array{4}), nullptr}};
    auto t = zero_tangent(x);
    BOOST_TEST(t.a == t.b);
    BOOST_TEST(t.a == t.more[0]);
    BOOST_TEST(t.a != t.more[1]);
    BOOST_TEST(!t.more[2]);
    BOOST_TEST(t.a->size() == 3u);

    auto s = zero_tangent(x);
    (*s.a)(0) = 1;
    accumulate(t, s);
    BOOST_TEST((*t.b)(0) == 1, "added once, not once for each owner");
    BOOST_TEST(pairing(t, t) == 1);

    auto const y = add_to_primal(x, t);
    BOOST_TEST(y.a == y.b);
    BOOST_TEST(y.a != x.a);
    BOOST_TEST((*y.a)(0) == 2);
    BOOST_TEST((*x.a)(0) == 1);
    BOOST_TEST((*difference(y, x).more[0])(0) == 1);
    auto const twice = scale(2, t);
    BOOST_TEST(twice.a == twice.more[0]);
    auto const law = check_tangent(x);
    BOOST_TEST(bool(law), law.text());
}

BOOST_AUTO_TEST_CASE(references_to_one_object_share_one_shadow) {
    double const u = 1, v = 2;
    auto const same = zero_tangent(app::referrers{u, u});
    auto const different = zero_tangent(app::referrers{u, v});
    BOOST_TEST(same.a == same.b);
    BOOST_TEST(different.a != different.b);
}

BOOST_AUTO_TEST_CASE(a_shared_graph_keeps_its_form) {
    auto const leaf = std::make_shared<app::graph>(app::graph{nullptr, nullptr, 1});
    app::graph const x{std::make_shared<app::graph>(app::graph{leaf, leaf, 2}), leaf, 3};
    auto const t = zero_tangent(x);
    BOOST_TEST(t.right == t.left->left);
    BOOST_TEST(t.right == t.left->right);
    auto const law = check_tangent(x);
    BOOST_TEST(bool(law), law.text());
}

BOOST_AUTO_TEST_CASE(a_list_has_a_list_for_tangent) {
    app::node head{1, std::make_unique<app::node>(app::node{2, std::make_unique<app::node>(app::node{3, nullptr})})};
    auto t = zero_tangent(head);
    t.next->next->value = 5;
    auto const y = add_to_primal(head, t);
    BOOST_TEST(y.next->next->value == 8);
    BOOST_TEST(!y.next->next->next);
    auto const law = check_tangent(head);
    BOOST_TEST(bool(law), law.text());
    BOOST_CHECK_THROW(accumulate(t, zero_tangent(app::node{1, nullptr})), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(what_does_not_own_takes_the_shadow_that_it_is_given) {
    std::vector<double> data{1, 2, 3}, shadow{0, 0, 0};
    double scale_value = 2, scale_shadow = 0;
    app::window const x{&scale_value, data};
    tangent<app::window> t{&scale_shadow, shadow};
    accumulate(t, tangent<app::window>{&scale_value, data});
    BOOST_TEST(shadow == data, boost::test_tools::per_element());
    BOOST_TEST(scale_shadow == 2);
    static_assert(std::is_same_v<decltype(fdata<app::window>::data), std::span<double>>);
    auto const law = check_tangent(x, t);
    BOOST_TEST(bool(law), law.text());
    BOOST_TEST(scale_shadow == 0);
}
