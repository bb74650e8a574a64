// Slices of arrays as items, additive losses over slices of their data, and prepared gradients with an executor of their own.
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/parallel/model_rows.hpp>
#include <test/parallel/own_threads.hpp>

namespace {

struct samples {
    matrix x;
    vector y;
};
XGRAD_REFLECT(samples, x, y)

// A sum over rows.
auto const misfit = [](auto const& t, auto const& x, auto const& y) {
    auto r = sum(x * t, {1}) - y;
    return sum(r * r * r);
};
auto const of_pieces = [](auto const& pieces, auto const& t) {
    auto const& [x, y] = pieces;
    return misfit(t, x, y);
};
vector const theta{0.3, -0.2, 0.9};
// one row more than is in so many slices of one length
std::size_t const n = 129;
matrix const data = rows(n);
vector const targets = xt::linspace(0.0, 1.0, n);
bool is_e326(std::exception const& e) { return std::string(e.what()).starts_with("xgrad[E326]"); }

}

BOOST_AUTO_TEST_CASE(a_sum_over_slices_has_the_derivatives_of_the_whole) {
    own_threads const e{3};
    auto f = [e](auto const& t, auto const& x, auto const& y) { return xgrad::parallel_sum(e, xgrad::slices(x, y), of_pieces, t); };
    auto const a = xgrad::value_and_gradient(f, theta, data, targets), b = xgrad::value_and_gradient(misfit, theta, data, targets);
    BOOST_TEST(gap(a.value, b.value) < tight);
    BOOST_TEST(gap(std::get<0>(a.gradient), std::get<0>(b.gradient)) < tight);
    BOOST_TEST(gap(std::get<1>(a.gradient), std::get<1>(b.gradient)) < tight);
    BOOST_TEST(gap(std::get<2>(a.gradient), std::get<2>(b.gradient)) < tight);
    // active beside plain, plain that does not lie row behind row, second order
    xt::xtensor<double, 2, xt::layout_type::column_major> const columns = data;
    auto const c = xgrad::value_and_gradient(f, theta, xgrad::constant(columns), targets);
    BOOST_TEST(gap(c.value, b.value) < tight);
    BOOST_TEST(gap(std::get<2>(c.gradient), std::get<2>(b.gradient)) < tight);
    auto by_data = [&](auto g) { return [&, g](auto const& x) { return g(theta, x, targets); }; };
    bends(std::get<0>(xgrad::hvp(by_data(f), data, data).product), by_data(misfit), data, data);
    // a struct of arrays, and no rows
    auto of_samples = [](auto const& s, auto const& t) { return misfit(t, s.x, s.y); };
    auto s = [&](auto const& t, auto const& all) { return xgrad::parallel_sum(e, xgrad::slices(all), of_samples, t); };
    auto const d = xgrad::value_and_gradient(s, theta, samples{data, targets});
    BOOST_TEST(gap(d.value, b.value) < tight);
    BOOST_TEST(gap(std::get<1>(d.gradient).x, std::get<1>(b.gradient)) < tight);
    BOOST_TEST(xgrad::value(s, theta, xgrad::constant(samples{data, targets})) == d.value);
    BOOST_TEST(xgrad::value(s, theta, samples{rows(0), vector::from_shape({0})}) == 0.0);
    // 128 rows make as many slices as 127 do
    matrix const fewer = xt::view(data, xt::range(0, 127));
    vector const others = xt::view(targets, xt::range(0, 128));
    BOOST_CHECK_EXCEPTION(xgrad::gradient(f, theta, fewer, others), std::invalid_argument, is_e326);
    BOOST_CHECK_EXCEPTION(xgrad::gradient(f, theta, xgrad::constant(fewer), xgrad::constant(others)), std::invalid_argument, is_e326);
    // of plain values alone
    auto count = [](auto const& pieces, double k) { return k * static_cast<double>(std::get<0>(pieces).size() + std::get<1>(pieces).shape()[0]); };
    std::vector<int> const list(n);
    BOOST_TEST(xgrad::parallel_sum(e, xgrad::slices(list, data), count, 0.5) == static_cast<double>(n));
    BOOST_CHECK_EXCEPTION(xgrad::parallel_sum(e, xgrad::slices(others, fewer), count, 0.5), std::invalid_argument, is_e326);
}

BOOST_AUTO_TEST_CASE(an_additive_loss_is_a_sum_over_slices_of_its_data) {
    auto loss = [](auto const& t, auto const& scale, auto const& x, auto const& y) { return misfit(t, x, y) * scale; };
    auto const whole = xgrad::value_and_gradient(loss, theta, 0.5, data, xgrad::constant(targets));
    auto const sliced = xgrad::data_parallel(loss);
    auto const first = xgrad::value_and_gradient(sliced, theta, 0.5, data, xgrad::constant(targets));
    BOOST_TEST(gap(first.value, whole.value) < tight);
    BOOST_TEST(gap(std::get<0>(first.gradient), std::get<0>(whole.gradient)) < tight);
    BOOST_TEST(gap(std::get<1>(first.gradient), std::get<1>(whole.gradient)) < tight);
    BOOST_TEST(gap(std::get<2>(first.gradient), std::get<2>(whole.gradient)) < tight);
    for (std::size_t threads : {1u, 2u, 3u, 8u}) {
        auto g = xgrad::prepare_gradient(own_threads{threads}, sliced, theta, 0.5, data, xgrad::constant(targets));
        for (int again = 0; again < 3; ++again) {
            auto const& r = g(theta, 0.5, data, xgrad::constant(targets));
            BOOST_TEST(r.value == first.value);
            BOOST_TEST((r.gradient == first.gradient));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_prepared_gradient_has_its_executor_on_any_thread) {
    struct counting : own_threads {
        std::atomic<int>* runs;
        void run(std::size_t count, xgrad::task_ref t) const {
            ++*runs;
            own_threads::run(count, t);
        }
    };
    std::atomic<int> runs = 0;
    // on the way back, too
    auto f = [](auto const& t) {
        auto y = xgrad::parallel_map(100, [](std::size_t i, auto const& u) { return u(i % 3) * u(0); }, t);
        return sum(y * y);
    };
    counting const e{{2}, &runs};
    auto g = xgrad::prepare_gradient(e, f, theta);
    auto const expected = xgrad::value_and_gradient(f, theta);
    BOOST_TEST(runs == 0);
    auto const pool = xgrad::make_gradient_pool(e, f, theta);
    std::thread([&] {
        BOOST_TEST((g(theta).gradient == expected.gradient));
        BOOST_TEST(runs == 2);
        BOOST_TEST((pool(theta).gradient == expected.gradient));
    }).join();
    BOOST_TEST(runs == 4);
    auto moved = std::move(g);
    auto copy = moved;
    BOOST_TEST((copy(theta).gradient == expected.gradient));
    BOOST_TEST((moved(theta).gradient == expected.gradient));
    BOOST_TEST(runs == 8);
    BOOST_TEST((xgrad::gradient(f, theta) == expected.gradient));
    BOOST_TEST(runs == 8);
}
