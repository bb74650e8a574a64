// accumulate: in place where it can be, right everywhere; shapes that differ are refused.
#include <boost/test/unit_test.hpp>

#include <xtensor/xadapt.hpp>

#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

using xgrad::accumulate, xgrad::zero_tangent, xgrad::no_tangent, xgrad::shadow_ref;

namespace app {

struct layer {
    xt::xtensor<double, 2> W;
    xt::xtensor<double, 1> b;
    int used = 0;
};
XGRAD_REFLECT(layer, W, b, used)
struct model {
    std::vector<layer> layers;
    double rate;
};
XGRAD_REFLECT(model, layers, rate)

}  // namespace app

BOOST_AUTO_TEST_CASE(changes_what_it_can_and_returns_it) {
    std::vector<double> xbar{1, 2};
    std::vector<double> const t{10, 20};
    double const* const memory = xbar.data();
    BOOST_TEST(&accumulate(xbar, t) == &xbar);
    BOOST_TEST(xbar.data() == memory);
    BOOST_TEST(xbar == (std::vector<double>{11, 22}), boost::test_tools::per_element());
    BOOST_TEST(&accumulate(xbar, xbar) == &xbar);
    BOOST_TEST(xbar == (std::vector<double>{22, 44}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(adds_by_value_to_what_it_cannot_change) {
    std::vector<double> const xbar{1, 2};
    BOOST_TEST(accumulate(xbar, xbar) == (std::vector<double>{2, 4}), boost::test_tools::per_element());
    BOOST_TEST(xbar == (std::vector<double>{1, 2}), boost::test_tools::per_element());
    std::vector<double> given{1, 2};
    double const* const memory = given.data();
    auto const sum = accumulate(std::move(given), xbar);
    BOOST_TEST(sum.data() == memory);
    BOOST_TEST(accumulate(1.5, 2.0) == 3.5);
    auto const shared = std::make_shared<double>(1);
    BOOST_TEST(*accumulate(shared, shared) == 2);
    BOOST_TEST(*shared == 1);
}

BOOST_AUTO_TEST_CASE(is_the_sum_on_structs) {
    app::model const m{{{xt::ones<double>({2, 3}), xt::ones<double>({3})}, {xt::ones<double>({3, 1}), xt::ones<double>({1})}}, 0.1};
    auto xbar = zero_tangent(m);
    BOOST_TEST(xbar.layers[0].W.shape() == (std::array<std::size_t, 2>{2, 3}), boost::test_tools::per_element());
    auto t = xbar;
    t.layers[0].W(1, 2) = 3;
    t.layers[1].b(0) = 4;
    t.rate = 5;
    accumulate(accumulate(xbar, t), t);
    BOOST_TEST(xbar.layers[0].W(1, 2) == 6);
    BOOST_TEST(xbar.layers[0].W(0, 0) == 0);
    BOOST_TEST(xbar.layers[1].b(0) == 8);
    BOOST_TEST(xbar.rate == 10);
}

BOOST_AUTO_TEST_CASE(unqualified_calls_are_not_those_of_xtensor) {
    using namespace xgrad;
    xt::xarray<double> xbar{1, 2};
    accumulate(xbar, xbar);
    BOOST_TEST(xbar(1) == 4);
}

BOOST_AUTO_TEST_CASE(a_shadow_is_added_to_where_it_is) {
    std::vector<double> shadow{1};
    shadow_ref<std::vector<double>> ref(shadow);
    auto const same = ref;
    accumulate(ref, shadow);
    accumulate(same, shadow);
    accumulate(shadow_ref(shadow), shadow);
    BOOST_TEST(shadow[0] == 8);
    BOOST_TEST(&*ref == &shadow);
    BOOST_TEST(ref->size() == 1u);
}

BOOST_AUTO_TEST_CASE(every_layout_is_added_element_by_element) {
    xt::xtensor<double, 2, xt::layout_type::column_major> c{{1, 2, 3}, {4, 5, 6}};
    accumulate(c, c);
    BOOST_TEST(c(0, 2) == 6);
    using dynamic = xt::xarray<double, xt::layout_type::dynamic>;
    dynamic rows(std::vector<std::size_t>{2, 3}, xt::layout_type::row_major);
    dynamic columns(std::vector<std::size_t>{2, 3}, xt::layout_type::column_major);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) rows(i, j) = columns(i, j) = 3. * i + j;
    auto sum = zero_tangent(columns);
    BOOST_TEST(sum.strides() == columns.strides(), boost::test_tools::per_element());
    accumulate(sum, rows);
    accumulate(sum, columns);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) BOOST_TEST(sum(i, j) == 2 * (3. * i + j));
}

BOOST_AUTO_TEST_CASE(empty_and_scalar_arrays_are_arrays) {
    xt::xtensor<float, 0> scalar;
    scalar() = 2;
    xt::xarray<float> rank_zero;
    rank_zero() = 3;
    xt::xtensor<float, 2> empty;
    accumulate(scalar, scalar);
    accumulate(rank_zero, rank_zero);
    accumulate(empty, zero_tangent(empty));
    BOOST_TEST(scalar() == 4);
    BOOST_TEST(rank_zero() == 6);
    BOOST_TEST(zero_tangent(empty).size() == 0u);
    BOOST_TEST(zero_tangent(rank_zero)() == 0);
}

BOOST_AUTO_TEST_CASE(views_write_through) {
    xt::xtensor<double, 2> a = xt::ones<double>({2, 3});
    auto row = xt::view(a, 1, xt::all());
    accumulate(row, row);
    BOOST_TEST(a(0, 0) == 1);
    BOOST_TEST(a(1, 1) == 2);
    std::vector<double> memory{1, 2, 3, 4, 5, 6};
    auto adapted = xt::adapt(memory, std::array<std::size_t, 2>{2, 3});
    accumulate(adapted, adapted);
    BOOST_TEST(memory[5] == 12);
    auto pointed = xt::adapt(memory.data(), memory.size(), xt::no_ownership(), std::vector<std::size_t>{6});
    accumulate(pointed, pointed);
    BOOST_TEST(memory[0] == 4);
}

template <class T>
void refused(T xbar, T const& t, std::string const& found) {
    auto const says = [&found](std::invalid_argument const& e) {
        std::string const text = e.what();
        return text.starts_with("xgrad[E010]: ") && text.find(found) != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(accumulate(xbar, t), std::invalid_argument, says);
}

BOOST_AUTO_TEST_CASE(what_differs_in_shape_is_refused) {
    refused<std::vector<double>>({1, 2}, {1, 2, 3}, "sizes (found 2 and 3)");
    refused<xt::xarray<double>>(xt::ones<double>({2, 3}), xt::ones<double>({3, 2}), "shapes (found (2, 3) and (3, 2))");
    refused<xt::xarray<double>>(xt::ones<double>({2}), xt::ones<double>({2, 1}), "shapes (found (2) and (2, 1))");
    refused<std::optional<double>>(1.0, std::nullopt, "presence (found a value and none)");
    refused<std::shared_ptr<double>>(nullptr, std::make_shared<double>(1), "presence (found none and a value)");
    refused<std::variant<double, float>>(1.0, 1.0f, "alternatives (found 0 and 1)");
    refused<std::map<int, double>>({{1, 2}}, {{2, 2}}, "keys");
    refused<std::map<int, double>>({{1, 2}}, {}, "sizes (found 1 and 0)");
}
