// Sequences as arguments: vectors, lists, deques, valarrays, and arrays whose elements are structs. A function sees a std::span of handles.
#include <array>
#include <deque>
#include <list>
#include <span>
#include <string>
#include <tuple>
#include <valarray>
#include <vector>

#include "along_directions.hpp"

using arguments::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;

struct layer {
    vector W;
    double scale = 1;
    std::string name;
};
XGRAD_REFLECT(layer, W, scale, name)

auto const of_numbers = ARGUMENTS_BOTH_MODES((auto const& x), variable s = 1.0; for (auto const& e : x) s = s * e + e; return s * double(x.size()););
auto const plain_of_numbers = [](auto const& x) { double s = 1; for (auto const& e : x) s = s * e + e; return s * double(x.size()); };

auto const of_layers =
    ARGUMENTS_BOTH_MODES((auto const& x), variable s = 1.0; for (auto const& l : x) s = s * sum(l.W * l.scale) + double(l.name.size()); return s;);
auto const plain_of_layers = [](auto const& x) { double s = 1; for (auto const& l : x) s = s * xt::sum(l.W * l.scale)() + double(l.name.size()); return s; };

layer const l1{{1, 2}, 0.5, "one"}, l2{{3, 4, 5}, 0.25, "two"};

template <class C>
void is_a_sequence() {
    agree(of_numbers, plain_of_numbers, C{0.1, 0.2, 0.3});
    agree(of_numbers, plain_of_numbers, C{});
    auto g = xgrad::prepare_gradient(of_numbers.second, C{});
    for (C const& x : {C{0.1, 0.2, 0.3}, C{}, C{1.0}, C{2.0, 3.0, 4.0, 5.0}}) {
        auto const& [gradient] = g(x).gradient;
        auto const [fresh] = xgrad::gradient(of_numbers.first, x);
        BOOST_CHECK_EQUAL_COLLECTIONS(std::begin(gradient), std::end(gradient), std::begin(fresh), std::end(fresh));
    }
    std::tuple<C> wrong{C{7.0, 8.0}};
    arguments::refuses("sizes, found 2 for a sequence of 3", wrong, of_numbers.first, C{0.1, 0.2, 0.3});
    BOOST_CHECK_EQUAL(*std::begin(std::get<0>(wrong)), 7.0);
}

}

BOOST_AUTO_TEST_CASE(vectors_of_numbers) { is_a_sequence<std::vector<double>>(); }
BOOST_AUTO_TEST_CASE(lists_of_numbers) { is_a_sequence<std::list<double>>(); }
BOOST_AUTO_TEST_CASE(deques_of_numbers) { is_a_sequence<std::deque<double>>(); }
BOOST_AUTO_TEST_CASE(valarrays_of_numbers) { is_a_sequence<std::valarray<double>>(); }

BOOST_AUTO_TEST_CASE(sequences_of_structs) {
    agree(of_layers, plain_of_layers, std::vector<layer>{l1, l2});
    agree(of_layers, plain_of_layers, std::list<layer>{l1, l2});
    agree(of_layers, plain_of_layers, std::deque<layer>{l1, l2});
    static_assert(std::is_base_of_v<std::span<xgrad::handle_t<layer, xgrad::counted> const>, xgrad::handle_t<std::list<layer>, xgrad::counted>>);
    BOOST_CHECK_THROW(xgrad::value([](auto const& x) { return x.at(2).scale; }, std::list<layer>{l1, l2}), std::out_of_range);
    auto const [g] = xgrad::gradient([](auto const& x) { return x.at(0).scale * x.back().W(1); }, std::list<layer>{l1, l2});
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, std::list<xgrad::tangent<layer>>>);
    BOOST_CHECK_EQUAL(g.front().scale, 4.0);
    BOOST_CHECK(g.back().W == (vector{0, 0.5, 0}));
}

BOOST_AUTO_TEST_CASE(sequences_of_sequences) {
    std::vector<std::deque<std::list<double>>> const x{{{0.1, 0.2}, {}}, {}, {{0.3}}};
    auto const f = [](auto const& v) {
        variable s = 1.0;
        for (auto const& d : v)
            for (auto const& l : d)
                for (auto const& e : l) s = s * e * double(l.size()) + e;
        return s;
    };
    agree(
        f,
        [](auto const& v) {
            double s = 1;
            for (auto const& d : v)
                for (auto const& l : d)
                    for (auto const& e : l) s = s * e * double(l.size()) + e;
            return s;
        },
        x);
    auto g = xgrad::prepare_gradient(f, x);
    for (auto const& y : {x, decltype(x){}, x, decltype(x){{{{0.5, 0.6}, {}}}}}) {
        auto const& gradient = std::get<0>(g(y).gradient);
        BOOST_CHECK(gradient == std::get<0>(xgrad::gradient(f, y)));
    }
    std::vector<std::tuple<double, int, vector>> const tuples{{0.5, 2, {1, 2}}, {0.25, 3, {4}}};
    agree([](auto const& v) { variable s = 1.0; for (auto const& [a, n, w] : v) s = s * a * double(n) * sum(w); return s; },
          [](auto const& v) { double s = 1; for (auto const& [a, n, w] : v) s *= a * n * xt::sum(w)(); return s; }, tuples);
}

BOOST_AUTO_TEST_CASE(arrays_of_structs) {
    auto x = xt::xtensor<layer, 2>::from_shape({2, 2});
    x(0, 0) = x(1, 1) = l1;
    x(0, 1) = x(1, 0) = l2;
    auto const f = [](auto const& a) { return sum(a(0, 1).W * a(1, 0).scale) * a(1, 1).scale * double(a(0, 0).name.size() * a.shape(0) * a.dimension()); };
    auto const plain = [](auto const& a) {
        return xt::sum(a(0, 1).W * a(1, 0).scale)() * a(1, 1).scale * double(a(0, 0).name.size() * a.shape(0) * a.dimension());
    };
    agree(f, plain, x);
    agree(f, plain, xt::xarray<layer>(x));
    agree(f, plain, xt::xtensor<layer, 2, xt::layout_type::column_major>(x));
    auto const [g] = xgrad::gradient(f, x);
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, xt::xtensor<xgrad::tangent<layer>, 2>>);
    BOOST_CHECK_EQUAL(g(1, 0).scale, 12 * 0.5 * 12);
    std::tuple h{xt::xtensor<xgrad::tangent<layer>, 2>::from_shape({1, 2})};
    arguments::refuses("shapes, found (1, 2) for an argument of shape (2, 2)", h, f, x);
    auto prepared = xgrad::prepare_gradient([](auto const& a) { variable s = 1.0; for (auto const& l : a) s = s * l.scale; return s; }, x);
    prepared(xt::xtensor<layer, 2>());
    BOOST_CHECK_EQUAL(prepared(x).value, 0.5 * 0.5 * 0.25 * 0.25);
    BOOST_CHECK_EQUAL(std::get<0>(prepared(x).gradient)(0, 0).scale, 0.5 * 0.25 * 0.25);
}
