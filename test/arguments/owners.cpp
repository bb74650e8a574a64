// Objects behind a std::unique_ptr as arguments, and structs that contain themselves: lists and trees.
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "along_directions.hpp"

using arguments::agree;
using xgrad::variable;

struct long_list {
    double value = 1.0;
    std::unique_ptr<long_list> next{};
    long_list() = default;
    long_list(long_list&&) = default;
    long_list& operator=(long_list&&) = default;
    ~long_list() {
        while (next) next = std::move(next->next);
    }
};
XGRAD_REFLECT(long_list, value, next)

namespace {

using vector = xt::xtensor<double, 1>;

struct node {
    double value = 0;
    std::unique_ptr<node> next{};
};
XGRAD_REFLECT(node, value, next)

struct tree {
    vector weights;
    std::vector<tree> children;
    int id = 0;
};
XGRAD_REFLECT(tree, weights, children, id)

// A struct that contains itself in every way.
struct everything {
    std::string name;
    double value = 0;
    std::unique_ptr<everything> left{}, right{};
    std::map<std::string, everything> named{};
    std::unique_ptr<int> n{};
};
XGRAD_REFLECT(everything, name, value, left, right, named, n)

node list_of(std::vector<double> const& values) {
    node first{values.at(0)};
    node* last = &first;
    for (std::size_t i = 1; i < values.size(); ++i) last = (last->next = std::make_unique<node>(node{values[i]})).get();
    return first;
}

auto const of_list =
    ARGUMENTS_BOTH_MODES((auto const& first), variable s = 1.0; for (auto const* p = &first; p; p = p->next.get()) s = s * p->value + p->value; return s;);
auto const plain_of_list = [](node const& first) { double s = 1; for (auto const* p = &first; p; p = p->next.get()) s = s * p->value + p->value; return s; };

template <class T>
variable<double> of_tree(T const& t) {
    variable s = sum(t.weights * t.weights) * double(t.id);
    for (auto const& child : t.children) s = s + of_tree(child) * sum(t.weights);
    return s;
}
double plain_of_tree(tree const& t) {
    double s = xt::sum(t.weights * t.weights)() * t.id;
    for (auto const& child : t.children) s += plain_of_tree(child) * xt::sum(t.weights)();
    return s;
}
tree const some_tree{{1, 2}, {tree{{3}, {}, 2}, tree{{4, 5, 6}, {tree{{7}, {}, 4}, tree{{8}, {tree{{}, {}, 6}}, 5}}, 3}}, 1};

variable<double> times(variable<double> a, variable<double> b) { return a * b; }
double times(double a, double b) { return a * b; }
// Of a plain one, and of a handle.
template <class S, class E>
S of_everything(E const& e) {
    S s = e.value * double(e.name.size());
    if (e.left) s = times(s, of_everything<S>(*e.left));
    if (e.right) s = times(s, of_everything<S>(*e.right)) + e.value;
    for (auto const& [key, x] : e.named) s = s + times(of_everything<S>(x), e.value) * double(key.size());
    return e.n ? S(s * double(*e.n)) : s;
}

}

BOOST_AUTO_TEST_CASE(objects) {
    agree([](auto const& p) { return *p * *p; }, [](auto const& p) { return *p * *p; }, std::make_unique<double>(0.5));
    agree([](auto const& p) { return sum(*p->begin() * (*p)[1]); }, [](auto const& p) { return xt::sum(*p->begin() * (*p)[1])(); },
          std::make_unique<std::vector<vector>>(std::vector<vector>{{1, 2}, {3, 4}}));
    std::vector<std::unique_ptr<vector>> some;
    some.push_back(std::make_unique<vector>(vector{1, 2}));
    some.push_back(nullptr);
    some.push_back(std::make_unique<vector>(vector{3}));
    agree([](auto const& v) { variable s = 1.0; for (auto const& p : v) if (p) s = s * sum(*p * *p); return s; },
          [](auto const& v) { double s = 1; for (auto const& p : v) if (p) s *= xt::sum(*p * *p)(); return s; }, some);
    auto const nothing = std::unique_ptr<vector>();
    auto const [g] = xgrad::gradient([](auto const& p) { return p ? variable(sum(*p)) : variable(1.0); }, nothing);
    BOOST_CHECK(!g);
}

BOOST_AUTO_TEST_CASE(a_linked_list) {
    agree(of_list, plain_of_list, list_of({0.1}));
    agree(of_list, plain_of_list, list_of({0.1, 0.2, 0.3, 0.4}));
    auto const [g] = xgrad::gradient([](auto const& first) { return first.next->next->value * first.value; }, list_of({2, 3, 4}));
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, xgrad::tangent<node>>);
    BOOST_CHECK_EQUAL(g.value, 4.0);
    BOOST_CHECK_EQUAL(g.next->value, 0.0);
    BOOST_CHECK_EQUAL(g.next->next->value, 2.0);
    BOOST_CHECK(!g.next->next->next);
    std::vector<double> const many(2000, 1.0 / 4096);
    BOOST_CHECK_CLOSE(xgrad::value(of_list.first, list_of(many)), plain_of_list(list_of(many)), 1e-9);
}

// A list whose destructor needs no stack, of more nodes than what goes through it one inside of the other has room for.
BOOST_AUTO_TEST_CASE(a_chain_too_long_for_the_stack) {
    long_list head;
    for (int i = 0; i < 300000; ++i) {
        auto n = std::make_unique<long_list>();
        n->next = std::move(head.next);
        head.next = std::move(n);
    }
    auto const f = [](auto const& l) { return l.value * l.next->value; };
    BOOST_CHECK_THROW(xgrad::gradient(f, head), std::length_error);
    BOOST_CHECK_THROW((void)xgrad::zero_tangent(head), std::length_error);
    BOOST_CHECK_THROW(xgrad::jvp(f, std::tie(head), std::tuple(xgrad::tangent<long_list>())), std::exception);
    // and what comes after is as it was
    head.next->next.reset();
    BOOST_TEST(std::get<0>(xgrad::gradient(f, head)).next->value == 1.0);
}

BOOST_AUTO_TEST_CASE(trees) {
    agree([](auto const& t) { return of_tree(t); }, plain_of_tree, some_tree);
    agree([](auto const& t) -> xgrad::real { return of_tree(t); }, plain_of_tree, some_tree);
    auto leaf = [](std::string name, double value) { everything e; e.name = name; e.value = value; return e; };
    everything e = leaf("root", 0.5);
    e.left = std::make_unique<everything>(leaf("left", 0.25));
    e.right = std::make_unique<everything>(leaf("r", 2));
    e.right->left = std::make_unique<everything>(leaf("rl", 3));
    e.right->left->n = std::make_unique<int>(3);
    e.named.emplace("n", leaf("in n", 4));
    e.named.at("n").right = std::make_unique<everything>(leaf("nr", 5));
    e.named.emplace("mm", leaf("in mm", 6));
    agree([](auto const& x) { return of_everything<variable<double>>(x); }, of_everything<double, everything>, e);
}

BOOST_AUTO_TEST_CASE(the_form_changes_between_calls) {
    auto g = xgrad::prepare_gradient(of_list.second, node());
    for (std::size_t n : {3u, 1u, 5u, 2u, 2u}) {
        auto const x = list_of(std::vector<double>(n, 0.5));
        auto const& [gradient] = g(x).gradient;
        auto const [fresh] = xgrad::gradient(of_list.first, x);
        auto const* p = &gradient;
        for (auto const* q = &fresh; q; q = q->next.get(), p = p->next.get()) {
            BOOST_REQUIRE(p);
            BOOST_CHECK_EQUAL(p->value, q->value);
        }
        BOOST_CHECK(!p);
    }
    auto t = xgrad::prepare_gradient([](auto const& x) { return of_tree(x); }, tree());
    for (auto const& x : {some_tree, tree{{1}, {}, 2}, some_tree, some_tree.children[1]})
        BOOST_CHECK_EQUAL(xgrad::pairing(std::get<0>(t(x).gradient), std::get<0>(t(x).gradient)), [&] {
            auto const [fresh] = xgrad::gradient([](auto const& y) { return of_tree(y); }, x);
            return xgrad::pairing(fresh, fresh);
        }());
}

BOOST_AUTO_TEST_CASE(gradients_of_other_forms_are_refused) {
    std::tuple longer{xgrad::zero_tangent(list_of({1, 2, 3}))}, shorter{xgrad::zero_tangent(list_of({1}))};
    arguments::refuses("an object for a null pointer", longer, of_list.first, list_of({1, 2}));
    arguments::refuses("none for an object", shorter, of_list.first, list_of({1, 2}));
    BOOST_CHECK_EQUAL(std::get<0>(longer).value, 0.0);
}
