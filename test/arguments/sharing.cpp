// Objects with several owners as arguments: one storage, one handle and one shadow for each object, wherever it is met.
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "along_directions.hpp"

using arguments::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using shared = std::shared_ptr<vector>;

struct layer {
    std::shared_ptr<matrix> W;
    shared b;
    double scale = 1;
};
XGRAD_REFLECT(layer, W, b, scale)

// Encoder and decoder share what they will.
struct model {
    layer encoder, decoder;
    std::vector<shared> more;
    std::shared_ptr<int> n;
};
XGRAD_REFLECT(model, encoder, decoder, more, n)

struct graph {
    double value = 0;
    std::vector<std::shared_ptr<graph>> neighbours;
};
XGRAD_REFLECT(graph, value, neighbours)

struct referrers {
    std::reference_wrapper<vector const> a, b;
    std::reference_wrapper<double> c;
};
XGRAD_REFLECT(referrers, a, b, c)

template <class E>
auto total(E const& e) {
    if constexpr (xgrad::active<E>) return sum(e);
    else return xt::sum(e)();
}
auto const of_model = [](auto const& m) {
    auto s = total(*m.encoder.W) * total(*m.decoder.W) * m.encoder.scale * m.decoder.scale * double(*m.n);
    return s * total(*m.encoder.b) + total(*m.decoder.b) * total(*m.more[0]) + (m.more[1] ? 1.0 : 2.0);
};
auto const product = ARGUMENTS_BOTH_MODES((auto const& a, auto const& b), return sum(*a * *b * *b););

model tied() {
    auto const W = std::make_shared<matrix>(matrix{{1, 2}, {3, 4}});
    auto const b = std::make_shared<vector>(vector{5, 6});
    return {{W, b, 0.5}, {W, std::make_shared<vector>(vector{7}), 0.25}, {b, nullptr}, std::make_shared<int>(3)};
}

}

BOOST_AUTO_TEST_CASE(two_owners_in_one_argument) {
    auto const m = tied();
    agree(of_model, of_model, m);
    auto [g] = xgrad::gradient(of_model, m);
    static_assert(std::is_same_v<decltype(g.encoder.W), std::shared_ptr<matrix>>);
    BOOST_CHECK(g.encoder.W == g.decoder.W);
    BOOST_CHECK(g.encoder.b == g.more[0]);
    BOOST_CHECK(g.encoder.b != g.decoder.b);
    BOOST_CHECK(!g.more[1]);
    // 2 sum(W) for W in both places
    BOOST_CHECK_CLOSE((*g.encoder.W)(1, 1), 2 * 10 * 0.5 * 0.25 * 3 * 11, 1e-12);
    xgrad::gradient([&](auto const& h) {
        BOOST_CHECK(h.encoder.W == h.decoder.W);
        BOOST_CHECK(h.encoder.W.get() == h.decoder.W.get());
        BOOST_CHECK(h.n.get() == m.n.get());
        return sum(*h.encoder.W);
    }, m);
}

BOOST_AUTO_TEST_CASE(two_owners_in_two_arguments) {
    auto const p = std::make_shared<vector>(vector{1, 2}), q = std::make_shared<vector>(vector{3, 4});
    for (auto const& f : {0, 1}) {
        auto both = [&](auto const& x, auto const& y) { return f ? xgrad::gradient(product.second, x, y) : xgrad::gradient(product.first, x, y); };
        auto const [a, b] = both(p, p);
        BOOST_CHECK(a == b);
        BOOST_CHECK(*a == (vector{3, 12}));
        auto const [c, d] = both(p, q);
        BOOST_CHECK(c != d);
        BOOST_CHECK(*c == (vector{9, 16}));
        BOOST_CHECK(*d == (vector{6, 16}));
        // a pointer and a reference to one object
        auto const [i, j] = xgrad::gradient([](auto const& x, auto const& y) { return sum(*x * y.get()); }, p, std::ref(*p));
        BOOST_CHECK(i == j);
        BOOST_CHECK(*i == 2 * *p);
    }
    auto const [v, w] = xgrad::gradient([](auto const& x, auto const& m) { return sum(*x * *m.at(1)); }, p, std::map<int, shared>{{1, p}, {2, q}});
    BOOST_CHECK(v == w.at(1));
    BOOST_CHECK(*v == 2 * *p);
    BOOST_CHECK(*w.at(2) == (vector{0, 0}));
}

BOOST_AUTO_TEST_CASE(added_to_once) {
    auto const p = std::make_shared<vector>(vector{1, 2});
    auto const shadow = std::make_shared<vector>(vector{10, 10});
    std::tuple g{shadow, shadow};
    for (int i = 0; i < 2; ++i) xgrad::add_gradient(g, product.first, p, p);
    BOOST_CHECK(*shadow == (vector{16, 34}));
    auto const x = std::make_shared<double>(3.0), xbar = std::make_shared<double>(1.0);
    std::tuple h{xbar, xbar, std::vector{xbar}};
    xgrad::add_gradient(h, [](auto const& a, auto const& b, auto const& c) { return *a * *b * *c[0]; }, x, x, std::vector{x});
    BOOST_CHECK_EQUAL(*xbar, 28.0);
    std::tuple two{std::make_shared<vector>(vector{0, 0}), std::make_shared<vector>(vector{0, 0})};
    arguments::refuses("one shadow for an object that several pointers share", two, product.first, p, p);
    std::tuple<shared, shared> none{shadow, nullptr};
    arguments::refuses("none for an object", none, product.first, p, std::make_shared<vector>(*p));
    BOOST_CHECK(*shadow == (vector{16, 34}));
}

BOOST_AUTO_TEST_CASE(references) {
    vector const u{1, 2}, v{3, 4};
    double c = 0.5;
    auto const f = [](auto const& r) { return sum(r.a.get() * r.b.get()) * r.c.get(); };
    auto const [same] = xgrad::gradient(f, referrers{u, u, c});
    BOOST_CHECK(same.a == same.b);
    BOOST_CHECK(*same.a == u);
    BOOST_CHECK_EQUAL(*same.c, 5.0);
    auto const [different] = xgrad::gradient(f, referrers{u, v, c});
    BOOST_CHECK(different.a != different.b);
    BOOST_CHECK(*different.b == 0.5 * u);
    BOOST_CHECK_EQUAL(*std::get<0>(xgrad::gradient([](auto const& x) -> xgrad::real { return x.get() * x.get(); }, std::ref(c))), 1.0);
}

BOOST_AUTO_TEST_CASE(many_references_and_constant_objects) {
    vector const u{1, 2}, v{3, 4};
    std::vector<std::reference_wrapper<vector const>> const all{u, v, u};
    auto const [g] = xgrad::gradient([](auto const& r) { variable s = 1.0; for (auto const& x : r) s = s * sum(x.get()); return s; }, all);
    BOOST_CHECK(g[0] == g[2] && g[0] != g[1]);
    BOOST_CHECK(*g[0] == (vector{42, 42}));
    BOOST_CHECK(*g[1] == (vector{9, 9}));
    auto const p = std::make_shared<layer const>(layer{std::make_shared<matrix>(matrix{{1, 2}}), nullptr, 0.5});
    auto const [h] = xgrad::gradient([](auto const& x) -> xgrad::real { return sum(*x->W * x->scale); }, p);
    BOOST_CHECK(*h->W == (matrix{{0.5, 0.5}}));
    BOOST_CHECK(!h->b);
    BOOST_CHECK_EQUAL(h->scale, 3.0);
}

BOOST_AUTO_TEST_CASE(a_call_that_throws_leaves_a_prepared_gradient_usable) {
    auto const p = std::make_shared<vector>(vector{1, 2}), q = std::make_shared<vector>(vector{3});
    auto g = xgrad::prepare_gradient([](auto const& x, auto const& y) { return sum(*x * *x) + sum(*x + *y) + (y->size() == 3 ? throw 1 : 0.0); }, p, q);
    for (int i = 0; i < 2; ++i) {
        BOOST_CHECK(*std::get<0>(g(p, q).gradient) == (vector{3, 5}));
        BOOST_CHECK_THROW(g(q, std::make_shared<vector>(vector{1, 2, 3})), int);
        BOOST_CHECK(*std::get<1>(g(p, p).gradient) == (vector{4, 6}));
    }
}

BOOST_AUTO_TEST_CASE(who_shares_changes_between_calls) {
    auto const p = std::make_shared<vector>(vector{1, 2}), q = std::make_shared<vector>(vector{3, 4});
    auto g = xgrad::prepare_gradient(product.first, p, q);
    for (auto const& [x, y] : {std::pair(p, p), std::pair(p, q), std::pair(q, p), std::pair(q, q), std::pair(p, q), std::pair(p, p)}) {
        auto const& [a, b] = g(x, y).gradient;
        BOOST_CHECK_EQUAL(a == b, x == y);
        vector const abar = x == y ? vector(3 * *x * *x) : vector(*y * *y), bbar = x == y ? abar : vector(2 * *x * *y);
        BOOST_CHECK(*a == abar);
        BOOST_CHECK(*b == bbar);
    }
    // what was copied from a result stays as it was
    auto const kept = g(p, p).gradient;
    g(q, q);
    BOOST_CHECK(*std::get<0>(kept) == (vector{3, 12}));
    auto o = xgrad::prepare_gradient([](auto const& x) { return x ? variable(sum(*x)) : variable(1.0); }, p);
    BOOST_CHECK(*std::get<0>(o(p).gradient) == (vector{1, 1}));
    BOOST_CHECK(!std::get<0>(o(nullptr).gradient));
    BOOST_CHECK(*std::get<0>(o(p).gradient) == (vector{1, 1}));
    // a copy begins without memory
    auto copy = o;
    BOOST_CHECK(*std::get<0>(copy(q).gradient) == (vector{1, 1}));
}

BOOST_AUTO_TEST_CASE(a_shared_graph) {
    auto const leaf = std::make_shared<graph>(graph{2, {}});
    graph const x{3, {std::make_shared<graph>(graph{5, {leaf, leaf}}), leaf, nullptr}};
    auto const f = [](auto const& g) { return g.value * g.neighbours[0]->value * g.neighbours[0]->neighbours[1]->value * g.neighbours[1]->value; };
    agree(f, f, x);
    auto const [g] = xgrad::gradient(f, x);
    BOOST_CHECK(g.neighbours[1] == g.neighbours[0]->neighbours[0]);
    BOOST_CHECK_EQUAL(g.neighbours[1]->value, 3 * 5 * 2 * 2);
}

BOOST_AUTO_TEST_CASE(a_cycle) {
    auto const a = std::make_shared<graph>(graph{2, {}}), b = std::make_shared<graph>(graph{3, {a}});
    a->neighbours = {b, a};
    auto const f = [](auto const& x) { return x->value * x->value * x->neighbours[0]->value * x->neighbours[0]->neighbours[0]->neighbours[1]->value; };
    BOOST_CHECK_EQUAL(xgrad::value(f, a), 24);
    auto [g] = xgrad::gradient(f, a);
    BOOST_CHECK_EQUAL(g->value, 3 * 2 * 2 * 3);
    BOOST_CHECK_EQUAL(g->neighbours[0]->value, 8);
    BOOST_CHECK(g->neighbours[1] == g);
    BOOST_CHECK(g->neighbours[0]->neighbours[0] == g);
    std::tuple more{g};
    xgrad::add_gradient(more, f, a);
    BOOST_CHECK_EQUAL(g->value, 72);
    a->neighbours.clear();
    g->neighbours.clear();
}

BOOST_AUTO_TEST_CASE(assigned_to_through_one_of_two_owners) {
    auto const p = std::make_shared<vector>(vector{1, 2});
    auto const [a, b] = xgrad::gradient([](auto const& x, auto const& y) { auto w = assign(*x, *y * 3.0); return sum(*y * *y); }, p, p);
    BOOST_CHECK(a == b);
    BOOST_CHECK(*a == (vector{18, 36}));
    BOOST_CHECK(*p == (vector{1, 2}));
}
