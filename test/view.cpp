// view, row and col refuse slices that an array does not have, of which only the call knows where its rank is dynamic.
#include <stdexcept>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

xt::xarray<double> const line{1, 2, 3}, matrix{{1, 2, 3}, {4, 5, 6}};

template <class F>
double sum_of(F f, xt::xarray<double> const& x) {
    return xgrad::value([&](auto const& a) { return sum(f(a)); }, x);
}

}

BOOST_AUTO_TEST_CASE(more_slices_than_axes) {
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return view(x, xt::all(), 0); }, line), std::invalid_argument);
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return view(x, xt::all(), xt::all(), xt::range(0, 1)); }, matrix), std::invalid_argument);
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return view(x, xt::all(), xt::keep(0)); }, line), std::invalid_argument);
    BOOST_TEST(sum_of([](auto const& x) { return view(x, xt::newaxis(), xt::all()); }, line) == 6);
    BOOST_TEST(sum_of([](auto const& x) { return view(x, -1); }, line) == 3);
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return view(x, 3); }, line), std::out_of_range);
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return view(x, xt::drop(9)); }, line), std::out_of_range);
    BOOST_TEST(sum_of([](auto const& x) { return view(x, xt::drop(0, -1)); }, line) == 2);
}

BOOST_AUTO_TEST_CASE(rows_and_columns_of_what_is_no_matrix) {
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return row(x, 0); }, line), std::invalid_argument);
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return col(x, 0); }, line), std::invalid_argument);
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return row(x, 2); }, matrix), std::out_of_range);
    BOOST_TEST(sum_of([](auto const& x) { return row(x, 1); }, matrix) == 15);
    BOOST_TEST(sum_of([](auto const& x) { return col(x, -1); }, matrix) == 9);
}

BOOST_AUTO_TEST_CASE(negative_widths) {
    BOOST_CHECK_THROW(sum_of([](auto const& x) { return pad(x, -1); }, matrix), std::invalid_argument);
    BOOST_TEST(sum_of([](auto const& x) { return pad(x, 1); }, matrix) == 21);
}
