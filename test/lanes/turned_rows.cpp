// options: -UXGRAD_DETAIL_PLAIN_INLINE -march=native
// Packs and rows of numbers: of every length, one behind the other, anywhere, and one row for all lanes, beside the same number by number.
#include <cstddef>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/lanes/turned_rows.hpp>

namespace {

namespace x = xgrad::detail;

template <class T>
T lane(xgrad::pack_t<T, xgrad::lanes<T>> const& v, std::size_t j) {
    T t[xgrad::lanes<T>];
    xgrad::store_lanes<T, xgrad::lanes<T>>(t, v);
    return t[j];
}
template <class T>
auto pack(std::size_t k) {
    T t[xgrad::lanes<T>];
    for (std::size_t j = 0; j < xgrad::lanes<T>; ++j) t[j] = T(1000 * k + j);
    return x::load_lanes<T, xgrad::lanes<T>>(t);
}

template <class T>
void moves() {
    static constexpr std::size_t W = xgrad::lanes<T>;
    using V = xgrad::pack_t<T, W>;
    for (std::size_t length = 0; length < 3 * W + 8; ++length) {
        std::size_t const n = W * length;
        // nothing is read or written but the rows: they are all of their memory
        std::vector<T> from(n), to(n, T(0.5));
        for (std::size_t i = 0; i < n; ++i) from[i] = T(i);
        std::vector<V> found(length, V(T(-1)));
        auto const set = [&](std::size_t k, V const& v) { found[k] = v; };
        auto const number = [](std::size_t k) { return pack<T>(k); };
        bool loads = true, stores = true, adds = true;
        auto const in_turn = x::row_after_row(length);
        auto const backwards = [&](std::size_t j) { return static_cast<std::ptrdiff_t>((W - 1 - j) * length); };
        auto check = [&](auto load, auto store, auto add, auto const& at) {
            load();
            for (std::size_t k = 0; k < length; ++k)
                for (std::size_t j = 0; j < W; ++j) loads = loads && lane<T>(found[k], j) == from[static_cast<std::size_t>(at(j)) + k];
            store();
            for (std::size_t k = 0; k < length; ++k)
                for (std::size_t j = 0; j < W; ++j) stores = stores && to[static_cast<std::size_t>(at(j)) + k] == T(1000 * k + j);
            to.assign(n, T(0.5));
            add();
            for (std::size_t k = 0; k < length; ++k)
                for (std::size_t j = 0; j < W; ++j) adds = adds && to[static_cast<std::size_t>(at(j)) + k] == T(1000 * k + j) + T(0.5);
            to.assign(n, T(0.5));
        };
        check([&] { x::load_dense_rows<T, W>(length, from.data(), set); }, [&] { x::store_dense_rows<false, T, W>(length, to.data(), number); },
              [&] { x::store_dense_rows<true, T, W>(length, to.data(), number); }, in_turn);
        check([&] { x::load_rows<T, W>(length, from.data(), backwards, set); }, [&] { x::store_rows<false, T, W>(length, to.data(), backwards, number); },
              [&] { x::store_rows<true, T, W>(length, to.data(), backwards, number); }, backwards);
        // all lanes have one row
        x::store_rows<true, T, W>(length, to.data(), [](std::size_t) { return std::ptrdiff_t{0}; }, number);
        for (std::size_t k = 0; k < length; ++k) {
            T sum(0.5);
            for (std::size_t j = 0; j < W; ++j) sum += T(1000 * k + j);
            adds = adds && to[k] == sum;
        }
        BOOST_TEST_CONTEXT(length << " numbers, " << W << " lanes") {
            BOOST_TEST(loads);
            BOOST_TEST(stores);
            BOOST_TEST(adds);
        }
    }
}

}

BOOST_AUTO_TEST_CASE(rows_of_doubles) { moves<double>(); }
BOOST_AUTO_TEST_CASE(rows_of_floats) { moves<float>(); }
