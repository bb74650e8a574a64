// map on an executor: the derivatives of the map on one thread, and the same bits on any number of threads.
#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/parallel/own_threads.hpp>

namespace {

using indices = xt::xtensor<int, 1>;
using xgrad::each, xgrad::pick;

std::size_t const n = 1003;
vector const a = xt::linspace(0.1, 1.0, n), b = xt::linspace(-1.0, 1.0, n), table = xt::linspace(0.5, 1.5, 50);
indices const places = [] {
    auto all = indices::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) all(i) = static_cast<int>((i * 37) % 50);
    return all;
}();
auto const item = [](auto const& p, auto const& q, auto const& t, auto const& c) -> xgrad::real { return exp(-c * p * p) * q * t * t; };

// f, a function whose first argument is an executor or nothing, on threads and without.
template <class F, class... X>
void check_threads(F f, X const&... x) {
    auto on = [&](auto... e) { return xgrad::value_and_gradient([&](auto const&... v) { return f(std::tuple(e...), v...); }, x...); };
    auto const serial = on(), first = on(own_threads{1});
    BOOST_TEST(gap(first.value, serial.value) < tight);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        for (double const one : {gap(std::get<I>(first.gradient), std::get<I>(serial.gradient))...}) BOOST_TEST(one < tight);
    }(std::index_sequence_for<X...>());
    for (std::size_t threads : {2u, 3u, 8u, 64u}) {
        auto const r = on(own_threads{threads});
        BOOST_TEST(r.value == first.value);
        BOOST_TEST((r.gradient == first.gradient));
    }
}
// map(e..., f, a...)
template <class E, class F, class... A>
auto map_on(E const& e, F f, A&&... all) {
    return std::apply([&](auto const&... one) { return xgrad::map(one..., f, std::forward<A>(all)...); }, e);
}

}

BOOST_AUTO_TEST_CASE(sums_of_maps_on_threads) {
    check_threads([](auto const& e, auto const& x, auto const& y, auto const& t, auto const& c) {
        return sum(map_on(e, item, each(x), each(y), pick(t, places), c));
    }, a, b, table, 0.7);
}

BOOST_AUTO_TEST_CASE(arrays_of_maps_on_threads) {
    check_threads([](auto const& e, auto const& x, auto const& y, auto const& t, auto const& c) {
        auto m = map_on(e, item, each(x), each(y), pick(t, places), c);
        return sum(m * m * y);
    }, a, b, table, 0.7);
    // items that read what lies in one memory, and several results
    auto f = [](auto const& e, auto const& x) {
        auto stencil = [](auto const& p, auto const& q, auto const& r) { return std::tuple(sin(p) * q, q * r); };
        auto [u, v] = map_on(e, stencil, each(view(x, xt::range(0, n - 1))), each(view(x, xt::range(1, n))), pick(x, xt::view(places, xt::range(1, n))));
        return sum(u * v);
    };
    check_threads(f, a);
    auto on = [&](auto... e) { return [&f, e...](auto const& x) { return f(std::tuple(e...), x); }; };
    bends(std::get<0>(xgrad::hvp(on(own_threads{4}), a, b).product), on(), a, b);
    auto pulled = xgrad::vjp(on(own_threads{4}), a);
    for (int i = 0; i < 2; ++i) BOOST_TEST(gap(std::get<0>(pulled.pullback(1.0)), std::get<0>(xgrad::gradient(on(), a))) < tight);
}

BOOST_AUTO_TEST_CASE(maps_of_plain_values_of_none_and_exceptions) {
    own_threads const e{3};
    BOOST_TEST((xgrad::map(e, item, each(a), each(b), pick(table, places), 0.7) == xgrad::map(item, each(a), each(b), pick(table, places), 0.7)));
    auto product = [](auto const& p, auto const& k) -> xgrad::real { return p * k; };
    auto of_none = [&](auto const& x, auto const& c) { return sum(xgrad::map(e, product, each(x), c)); };
    auto const none = xgrad::value_and_gradient(of_none, vector::from_shape({0}), 2.0);
    BOOST_TEST(none.value == 0.0);
    BOOST_TEST(std::get<1>(none.gradient) == 0.0);
    auto throws = [](auto const& p, int i) {
        if (i == 700 || i == 300) throw std::runtime_error(std::to_string(i));
        return p * p;
    };
    indices const numbers = xt::arange<int>(n);
    auto const is_first = [](auto const& error) { return std::string(error.what()) == "300"; };
    for (int again = 0; again < 20; ++again) {
        auto f = [&](auto const& x) { return sum(xgrad::map(e, throws, each(x), each(numbers))); };
        BOOST_CHECK_EXCEPTION(xgrad::gradient(f, a), std::runtime_error, is_first);
    }
    // inside of a parallel sum the items run on its thread
    auto nested = [&](auto const& x) {
        return xgrad::parallel_sum(e, xgrad::slices(x), [&](auto const& piece, auto const& all) {
            return sum(xgrad::map(e, [](auto const& p, auto const& q) -> xgrad::real { return p * q(0); }, each(piece), all));
        }, x);
    };
    auto const g = std::get<0>(xgrad::gradient(nested, a));
    BOOST_TEST(gap(g(0), xt::sum(a)() + a(0)) < tight);
    BOOST_TEST(gap(g(1), a(0)) < tight);
}
