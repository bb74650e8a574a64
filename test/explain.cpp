// explain(f, x...): the formulas of a function, what is fused in each, and the passes and library calls, which are counted as they are made.
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/explain.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct layer { matrix w; vector b; };
XGRAD_REFLECT(layer, w, b)
struct net { layer first; std::vector<vector> rest; double rate; };
XGRAD_REFLECT(net, first, rest, rate)

std::vector<std::string> formulas(xgrad::explanation const& e) {
    std::vector<std::string> r;
    for (auto const& v : e.values) r.push_back(v.name + " = " + v.formula);
    return r;
}
void equal(std::vector<std::string> const& found, std::vector<std::string> const& expected) {
    BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
}
bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(one_fused_pass_serves_both_ways) {
    vector const x{0.1, 0.2, 0.3}, y{1.0, 2.0, 3.0};
    auto const e = xgrad::explain([](auto const& u, auto const& v) { return sum(exp(u) * (v - 2.0) / (u + 1.0)); }, x, y);
    equal(formulas(e), {"result = sum(exp(x0) * (x1 - 2) / (x0 + 1))"});
    BOOST_TEST(e.forward_passes == 1);
    BOOST_TEST(e.backward_passes == 0);
    BOOST_TEST(e.value_bytes == 0u);
    BOOST_TEST(contains(e.text(), "[forward and backward 1 pass]"));
}

BOOST_AUTO_TEST_CASE(a_name_is_a_value_of_its_own) {
    vector const x{0.1, 0.2, 0.3};
    auto const e = xgrad::explain(
        [](auto const& u) {
            auto h = tanh(u);
            auto s = sum(h * h);
            return s * s - h(1);
        },
        x);
    equal(formulas(e), {"v1 = tanh(x)", "v2 = sum(v1 * v1)", "result = v2 * v2 - v1(1)"});
    BOOST_TEST(e.values[0].shape == "(3,)");
    BOOST_TEST(e.values[0].forward_passes == 1);
    BOOST_TEST(e.values[0].backward_passes == 1);
    BOOST_TEST(e.values[1].forward_passes == 1);
    BOOST_TEST(e.values[1].backward_passes == 1);
    BOOST_TEST(e.forward_passes == 2);
    BOOST_TEST(e.backward_passes == 2);
    // a value and a cotangent of 3 numbers, in blocks of 64 bytes, and what is known of them
    BOOST_TEST(e.value_bytes >= 2u * 64u);
    BOOST_TEST(e.workspace_bytes >= e.value_bytes);
}

BOOST_AUTO_TEST_CASE(arguments_have_the_names_of_their_fields) {
    net const n{{xt::ones<double>({2, 2}), vector{1.0, 2.0}}, {vector{1.0, 2.0}, vector{3.0, 4.0}}, 0.5};
    auto const e = xgrad::explain(
        [](auto const& m, auto const& t) {
            auto a = sum(m.first.w * m.first.b, {1});
            return 2.0 * sum(a * m.rest[1]) + m.rate + t[0];
        },
        n, std::vector<double>{1.0, 2.0});
    equal(formulas(e), {"v1 = sum(x0.first.w * x0.first.b, {1})", "result = 2 * sum(v1 * x0.rest[1]) + x0.rate + x1[0]"});
    auto const& operands = e.values[0].operands;
    equal(operands, {"x0.first.w", "x0.first.b"});
}

BOOST_AUTO_TEST_CASE(variables_in_loops) {
    vector const x{0.1, 0.2, 0.3};
    auto const e = xgrad::explain(
        [](auto const& u) {
            xgrad::variable s = u(0) * 2.0;
            for (std::size_t i = 1; i < 3; ++i) s = s + u(i);
            return s;
        },
        x);
    equal(formulas(e), {"v1 = x(0) * 2", "v2 = v1 + x(1)", "v3 = v2 + x(2)"});
    BOOST_TEST(e.forward_passes == 0);
}

BOOST_AUTO_TEST_CASE(declared_results_and_sums_of_them) {
    vector const x{0.1, 0.2, 0.3};
    auto const real = xgrad::explain([](auto const& u) -> xgrad::real { return u(0) * u(1); }, x);
    equal(formulas(real), {"result = x(0) * x(1)"});
    auto const total = xgrad::explain(
        [](auto const& u) {
            xgrad::sum_result t;
            for (std::size_t i = 0; i < 2; ++i) t += square(u(i));
            return t;
        },
        x);
    equal(formulas(total), {"result = square(x(0))", "result = square(x(1))"});
}

BOOST_AUTO_TEST_CASE(operations_on_whole_arrays_and_constants) {
    matrix const x{{3.0, 1.0}, {2.0, 4.0}};
    auto const e = xgrad::explain([](auto const& u, auto const& k) { return sum(cumsum(u, 1) * k + where(u > 2.0, u, -u)); }, x, xgrad::constant(x));
    BOOST_TEST(e.values.size() == 2u);
    BOOST_TEST(e.values[0].formula == "cumsum(x0, {1})");
    BOOST_TEST(e.values[0].is_array_operation);
    BOOST_TEST(e.values[1].formula == "sum(v1 * x1 + where(x0 > 2, x0, -x0))");
    BOOST_TEST(contains(e.text(), "operation on whole arrays"));
}

BOOST_AUTO_TEST_CASE(the_graph) {
    vector const x{0.1, 0.2};
    auto const e = xgrad::explain(
        [](auto const& u) {
            auto h = exp(u);
            return sum(h * u);
        },
        x);
    auto const g = e.graph();
    BOOST_TEST(g.starts_with("digraph {"));
    BOOST_TEST(g.ends_with("}\n"));
    BOOST_TEST(contains(g, "\"x\" -> \"v1\";"));
    BOOST_TEST(contains(g, "\"v1\" -> \"result\";"));
    BOOST_TEST(contains(g, "\"x\" -> \"result\";"));
    BOOST_TEST(contains(g, "\"x\" [shape=ellipse];"));
    BOOST_TEST(contains(g, "label=\"v1 = exp(x)\\n(2,)\""));
}

BOOST_AUTO_TEST_CASE(long_explanations_are_cut) {
    vector const x{0.1, 0.2};
    auto const e = xgrad::explain(
        [](auto const& u) {
            xgrad::variable s = u(0) * 2.0;
            for (int i = 0; i < 1000; ++i) s = s * u(1);
            return s * u(0);
        },
        x);
    BOOST_TEST(e.values.size() == 1002u);
    BOOST_TEST(contains(e.text(), "... and 801 more"));
    BOOST_TEST(contains(e.text(), "result = v1001 * x(0)"));
}

BOOST_AUTO_TEST_CASE(a_call_that_throws_or_contains_another_leaves_nothing_behind) {
    vector const x{0.1, 0.2};
    auto const inner = [](auto const& u) { return sum(exp(u)); };
    auto const e = xgrad::explain(
        [&](auto const& u) {
            auto const e2 = xgrad::explain(inner, x);
            BOOST_TEST(e2.values.size() == 1u);
            BOOST_TEST((xgrad::gradient(inner, x) == std::tuple<vector>(xt::exp(x))));
            return sum(u);
        },
        x);
    BOOST_TEST(e.values.size() == 1u);
    auto const throws = [](auto const& u) {
        auto h = exp(u);
        if (h(0).dimension() == 0) throw 1;
        return sum(h);
    };
    BOOST_CHECK_THROW(xgrad::explain(throws, x), int);
    BOOST_TEST(xgrad::explain(inner, x).values.size() == 1u);
}
