// What does not own as an argument: raw pointers, spans, views and adaptors. Their gradients go to shadows of the caller's, by add_gradient.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <xtensor/xadapt.hpp>

#include "along_directions.hpp"

using arguments::close;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct node {
    double value = 0;
    std::vector<node*> neighbours{};
};
XGRAD_REFLECT(node, value, neighbours)

struct family {
    double value = 0;
    family* parent = nullptr;
    std::unique_ptr<family> child{};
};
XGRAD_REFLECT(family, value, parent, child)

struct window {
    double* scale;
    std::span<double const> data;
    vector weights;
};
XGRAD_REFLECT(window, scale, data, weights)

matrix const A0{{1, 2, 3}, {4, 5, 6}};

// add_gradient of a view of an array into the same view of its shadow, and into that of the whole array by differences.
template <class F, class P, class Cut>
void agree_on(F const& f, P const& plain, Cut const& cut, auto const& whole) {
    auto x = whole;
    std::remove_const_t<std::remove_reference_t<decltype(whole)>> shadow = xt::ones_like(whole);
    auto view = cut(x);
    std::tuple<xgrad::tangent_type_t<decltype(view)>> g{cut(shadow)};
    for (int i = 0; i < 2; ++i) close("add_gradient", xgrad::add_gradient(g, f, view), plain(view), 1e-12);
    close("value", xgrad::value(f, view), plain(view), 1e-12);
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const was = x.data()[i], h = 1e-6;
        x.data()[i] = was + h;
        double const above = plain(cut(x));
        x.data()[i] = was - h;
        double const below = plain(cut(x));
        x.data()[i] = was;
        close("add_gradient", shadow.data()[i], 1 + 2 * (above - below) / (2 * h), 1e-7);
    }
}
template <class F, class G, class P, class Cut>
void agree_on(std::pair<F, G> const& both, P const& plain, Cut const& cut, auto const& whole) {
    agree_on(both.first, plain, cut, whole);
    agree_on(both.second, plain, cut, whole);
}

auto const of_array = ARGUMENTS_BOTH_MODES((auto const& x), auto h = x * x; auto s = tanh(h) * x; return sum(s * h) + sum(exp(x)););
auto const plain_of_array = [](auto const& x) { return xt::sum(xt::tanh(x * x) * x * (x * x))() + xt::sum(xt::exp(x))(); };

}

BOOST_AUTO_TEST_CASE(views_of_arrays) {
    agree_on(of_array, plain_of_array, [](auto& a) { return xt::view(a, xt::all(), xt::range(1, 3)); }, A0);
    agree_on(of_array, plain_of_array, [](auto& a) { return xt::view(a, xt::all(), 1); }, A0);
    agree_on(of_array, plain_of_array, [](auto& a) { return xt::view(a, 1, xt::range(2, 0, -1)); }, A0);
    agree_on(of_array, plain_of_array, [](auto& a) { return xt::view(a, xt::all()); }, xt::xtensor<double, 2, xt::layout_type::column_major>(A0));
    agree_on(of_array, plain_of_array, [](auto& a) { return xt::view(a, xt::range(0, 1)); }, xt::xarray<double>(A0));
    agree_on([](auto const& x) { return x(1, 0) * x(0, 1) * double(x.shape(1)); }, [](auto const& x) { return x(1, 0) * x(0, 1) * double(x.shape()[1]); },
             [](auto& a) { return xt::view(a, xt::all(), xt::range(1, 3)); }, A0);
    agree_on([](auto const& x) { return x * x; }, [](auto const& x) { return x() * x(); }, [](auto& a) { return xt::view(a, 1, 2); }, A0);
    static_assert(
        std::is_same_v<xgrad::handle_t<decltype(xt::view(A0, 1, xt::all())), xgrad::counted>, xgrad::input<double, xgrad::rank_c<1>, xgrad::counted>>);
}

BOOST_AUTO_TEST_CASE(views_that_overlap) {
    matrix x = A0, shadow = xt::zeros_like(A0);
    auto cut = [](auto& a, int from) { return xt::view(a, xt::all(), xt::range(from, from + 2)); };
    std::tuple g{cut(shadow, 0), cut(shadow, 1)};
    xgrad::add_gradient(g, [](auto const& a, auto const& b) { return sum(a * b); }, cut(x, 0), cut(x, 1));
    // column 0 times column 1, and 1 times 2
    BOOST_CHECK(shadow == (matrix{{2, 4, 2}, {5, 10, 5}}));
}

BOOST_AUTO_TEST_CASE(adaptors) {
    std::vector<double> const data{1, 2, 3, 4};
    auto by_vector = [](auto& v) { return xt::adapt(v, std::array<std::size_t, 2>{2, 2}); };
    auto by_pointer = [](auto& v) { return xt::adapt(v.data(), 4, xt::no_ownership(), std::array<std::size_t, 1>{4}); };
    auto dynamic = [](auto& v) { return xt::adapt(v, std::vector<std::size_t>{4, 1}); };
    auto check = [&](auto const& f, auto const& plain, auto const& cut) {
        std::vector<double> x = data, shadow(4, 1.0);
        auto view = cut(x);
        std::tuple<xgrad::tangent_type_t<decltype(view)>> g{cut(shadow)};
        close("add_gradient", xgrad::add_gradient(g, f, view), plain(view), 1e-12);
        auto const [whole] = xgrad::gradient(f, xt::xarray<double>(view));
        for (std::size_t i = 0; i < 4; ++i) close("add_gradient", shadow[i], 1 + whole.data()[i], 1e-12);
    };
    for (auto const& f : {0, 1}) {
        auto run = [&](auto const& program) {
            check(program, plain_of_array, by_vector);
            check(program, plain_of_array, by_pointer);
            check(program, plain_of_array, dynamic);
        };
        if (f) run(of_array.first);
        else run(of_array.second);
    }
}

BOOST_AUTO_TEST_CASE(spans) {
    auto const f = ARGUMENTS_BOTH_MODES((auto const& s), variable p = 1.0; for (auto const& e : s) p = p * e; return p * s[0];);
    std::vector<double> const x{2, 3, 4};
    std::vector<double> shadow{1, 1, 1};
    std::tuple<std::span<double>> g{shadow};
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, f.first, std::span(x)), 48.0);
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, f.second, std::span(x)), 48.0);
    BOOST_CHECK(shadow == (std::vector<double>{97, 33, 25}));
    BOOST_CHECK_EQUAL(xgrad::value(f.second, std::span<double const, 3>(x)), 48.0);
    std::tuple<std::span<double>> shorter{std::span(shadow).first(2)};
    arguments::refuses("sizes, found 2 for a sequence of 3", shorter, f.first, std::span(x));
    matrix m = A0;
    std::tuple wrong{xt::view(m, xt::range(0, 2), 1)};
    arguments::refuses("shapes, found (2,) for an argument of shape (1,)", wrong, of_array.first, xt::view(m, xt::range(0, 1), 1));
}

BOOST_AUTO_TEST_CASE(pointers) {
    double const x = 3;
    double shadow = 1;
    std::tuple<double*> g{&shadow};
    auto const f = ARGUMENTS_BOTH_MODES((auto const& p), return *p * *p;);
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, f.first, &x), 9.0);
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, f.second, &x), 9.0);
    BOOST_CHECK_EQUAL(shadow, 13.0);
    BOOST_CHECK_EQUAL(xgrad::value(f.first, &x), 9.0);
    std::tuple<double*> null{nullptr};
    arguments::refuses("none for an object", null, f.first, &x);
    // two pointers to one object: one handle
    std::tuple<double*, double*> both{&shadow, &shadow};
    xgrad::add_gradient(both, [](auto const& p, auto const& q) { BOOST_CHECK(p == q); return *p * *q; }, &x, &x);
    BOOST_CHECK_EQUAL(shadow, 19.0);
}

BOOST_AUTO_TEST_CASE(views_as_fields) {
    double scale = 2, scale_shadow = 0;
    std::vector<double> const data{1, 2, 3};
    std::vector<double> shadow(3);
    std::tuple g{xgrad::tangent<window>{&scale_shadow, shadow, {0, 0, 0}}};
    for (int i = 0; i < 2; ++i) xgrad::add_gradient(g, [](auto const& w) { return *w.scale * w.data[1] * sum(w.weights); }, window{&scale, data, {1, 1, 1}});
    BOOST_CHECK_EQUAL(scale_shadow, 12.0);
    BOOST_CHECK(shadow == (std::vector<double>{0, 12, 0}));
    BOOST_CHECK(std::get<0>(g).weights == (vector{8, 8, 8}));
}

BOOST_AUTO_TEST_CASE(graphs_of_raw_pointers) {
    // a triangle, in a circle
    std::vector<node> nodes{{2}, {3}, {5}};
    std::vector<xgrad::tangent<node>> shadows(3);
    for (std::size_t i = 0; i < 3; ++i) {
        nodes[i].neighbours = {&nodes[(i + 1) % 3], &nodes[(i + 2) % 3]};
        shadows[i].neighbours = {&shadows[(i + 1) % 3], &shadows[(i + 2) % 3]};
    }
    std::tuple g{&shadows[0]};
    auto const f = [](auto const& n) { return n->value * n->value * n->neighbours[0]->value * n->neighbours[1]->neighbours[1]->neighbours[1]->value; };
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, f, &nodes[0]), 2 * 2 * 3 * 2);
    BOOST_CHECK_EQUAL(shadows[0].value, 3 * 2 * 2 * 3);
    BOOST_CHECK_EQUAL(shadows[1].value, 8);
    BOOST_CHECK_EQUAL(shadows[2].value, 0);
    // a child that knows its parent
    family root{2};
    root.child = std::make_unique<family>(family{3, &root});
    xgrad::tangent<family> shadow{};
    shadow.child = std::make_unique<xgrad::tangent<family>>();
    shadow.child->parent = &shadow;
    std::tuple h{&shadow};
    xgrad::add_gradient(h, [](auto const& r) { return r->child->value * r->child->parent->value * r->value; }, &root);
    BOOST_CHECK_EQUAL(shadow.value, 2 * 2 * 3);
    BOOST_CHECK_EQUAL(shadow.child->value, 4);
}

BOOST_AUTO_TEST_CASE(containers_of_views) {
    matrix x = A0, shadow = xt::zeros_like(A0);
    auto row = [](auto& a, int i) { return xt::view(a, i, xt::all()); };
    std::vector const rows{row(x, 0), row(x, 1)};
    std::tuple g{std::vector{row(shadow, 0), row(shadow, 1)}};
    xgrad::add_gradient(g, [](auto const& r) { return sum(r[0] * r[1]); }, rows);
    BOOST_CHECK(shadow == (matrix{{4, 5, 6}, {1, 2, 3}}));
    std::tuple fewer{std::vector{row(shadow, 0)}};
    arguments::refuses("sizes", fewer, [](auto const& r) { return sum(r[0] * r[1]); }, rows);
    std::optional const maybe(row(x, 1));
    std::tuple h{std::optional(row(shadow, 1))};
    xgrad::add_gradient(h, [](auto const& r) { return sum(*r * *r); }, maybe);
    BOOST_CHECK(shadow == (matrix{{4, 5, 6}, {9, 12, 15}}));
    double a = 2, abar = 0;
    std::tuple m{std::map<int, double*>{{1, &abar}}};
    xgrad::add_gradient(m, [](auto const& p) { return *p.at(1) * *p.at(1); }, std::map<int, double*>{{1, &a}});
    BOOST_CHECK_EQUAL(abar, 4.0);
    auto const shared = std::make_shared<std::span<double const>>(&a, 1);
    std::tuple k{std::make_shared<std::span<double>>(&abar, 1)};
    xgrad::add_gradient(k, [](auto const& p) { return (*p)[0] * 3.0; }, shared);
    BOOST_CHECK_EQUAL(abar, 7.0);
}

BOOST_AUTO_TEST_CASE(nothing_is_assigned_to_a_view) {
    matrix x = A0, shadow = xt::zeros_like(A0), whole = xt::zeros_like(A0);
    auto row = [](auto& a) { return xt::view(a, 1, xt::all()); };
    std::tuple g{row(shadow)};
    auto const to_view = [](auto const& r) { auto w = assign(r, r * 2.0); return sum(w); };
    BOOST_CHECK_THROW(xgrad::add_gradient(g, to_view, row(x)), std::logic_error);
    std::tuple h{whole, row(shadow)};
    auto const to_array = [](auto const& a, auto const& r) { auto w = assign(a, a * 2.0); return sum(w * r); };
    BOOST_CHECK_THROW(xgrad::add_gradient(h, to_array, x, row(x)), std::logic_error);
    BOOST_CHECK(x == A0);
    BOOST_CHECK(shadow == xt::zeros_like(A0));
    xgrad::add_gradient(h, to_array, A0, row(x));
    BOOST_CHECK(std::get<0>(h) == (matrix{{8, 10, 12}, {8, 10, 12}}));
}
