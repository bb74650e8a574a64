#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <tuple>
#include <vector>

#include <xgrad/rule/few_lanes.hpp>

namespace {

using xgrad::lanes;

// Exactly n numbers: what is behind them belongs to nobody.
template <class T>
std::vector<T> numbers(std::size_t n) {
    std::vector<T> x;
    for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<T>(i + 1));
    x.shrink_to_fit();
    return x;
}

}

BOOST_AUTO_TEST_SUITE(few_lanes)

using element_types = std::tuple<float, double>;

BOOST_AUTO_TEST_CASE_TEMPLATE(the_first_lanes_are_loaded_and_the_rest_is_given, T, element_types) {
    constexpr std::size_t w = lanes<T>;
    for (std::size_t n = 1; n < w; ++n) {
        auto const x = numbers<T>(n);
        T lane[w];
        xgrad::store_lanes<T, w>(lane, xgrad::load_few<T, w>(x.data(), n, T(-7)));
        for (std::size_t j = 0; j < w; ++j) BOOST_TEST(lane[j] == (j < n ? x[j] : T(-7)));
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_first_lanes_are_stored_and_nothing_else, T, element_types) {
    constexpr std::size_t w = lanes<T>;
    auto const x = numbers<T>(w);
    auto const pack = xgrad::load<T, w>(x.data());
    for (std::size_t n = 1; n < w; ++n) {
        std::vector<T> exact(n, T(0)), more(w, T(-7));
        xgrad::store_few<T, w>(exact.data(), n, pack);
        xgrad::store_few<T, w>(more.data(), n, pack);
        for (std::size_t j = 0; j < n; ++j) BOOST_TEST(exact[j] == x[j]);
        for (std::size_t j = 0; j < w; ++j) BOOST_TEST(more[j] == (j < n ? x[j] : T(-7)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
