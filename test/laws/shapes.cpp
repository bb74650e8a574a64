// All laws on generated structs: 0 to 3 fields of a double, an integer, an array, a vector of integers, a struct, an optional.
#include <boost/test/unit_test.hpp>

#include <xgrad/check_tangent.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

struct inside {
    int n;
    double x;
    std::vector<double> v;
};
XGRAD_REFLECT(inside, n, x, v)

using kinds = std::tuple<double, int, xt::xtensor<double, 2>, std::vector<int>, inside, std::optional<double>>;
template <std::size_t K>
using kind = std::tuple_element_t<K, kinds>;

kinds const samples{1.5, 2, {{1, 2, 3}, {4, 5, 6}}, {7, 8}, {9, 2.5, {3.5, 4.5}}, 5.5};

struct none {
    XGRAD_REFLECT_INSIDE(none)
};
template <class A>
struct one {
    A a;
    XGRAD_REFLECT_INSIDE(one, a)
};
template <class A, class B>
struct two {
    A a;
    B b;
    XGRAD_REFLECT_INSIDE(two, a, b)
};
template <class A, class B, class C>
struct three {
    A a;
    B b;
    C c;
    XGRAD_REFLECT_INSIDE(three, a, b, c)
};

template <class S, class... A>
void laws_hold(A const&... a) {
    auto const report = xgrad::check_tangent(S{a...});
    BOOST_TEST(bool(report), report.text());
    constexpr bool collapses = (true && ... && !xgrad::differentiable<A>);
    static_assert(collapses == std::is_same_v<xgrad::tangent_type_t<S>, xgrad::no_tangent>);
    if constexpr (!collapses && (true && ... && (sizeof(xgrad::tangent_type_t<A>) % sizeof(double) == 0 || !xgrad::differentiable<A>)))
        static_assert(sizeof(xgrad::tangent<S>) == (0 + ... + (xgrad::differentiable<A> ? sizeof(xgrad::tangent_type_t<A>) : 0)));
}

template <std::size_t... K>
void of_one(std::index_sequence<K...>) {
    (laws_hold<one<kind<K>>>(std::get<K>(samples)), ...);
}
template <std::size_t A, std::size_t... K>
void of_two(std::index_sequence<K...>) {
    (laws_hold<two<kind<A>, kind<K>>>(std::get<A>(samples), std::get<K>(samples)), ...);
}
template <std::size_t A, std::size_t B, std::size_t... K>
void of_three(std::index_sequence<K...>) {
    (laws_hold<three<kind<A>, kind<B>, kind<K>>>(std::get<A>(samples), std::get<B>(samples), std::get<K>(samples)), ...);
}
using all = std::make_index_sequence<6>;

}  // namespace

BOOST_AUTO_TEST_CASE(seven_of_at_most_one_field) {
    laws_hold<none>();
    of_one(all{});
}

BOOST_AUTO_TEST_CASE(thirty_six_of_two_fields) {
    [&]<std::size_t... A>(std::index_sequence<A...>) { (of_two<A>(all{}), ...); }(all{});
}

BOOST_AUTO_TEST_CASE(seventy_eight_of_three_fields) {
    of_three<0, 1>(all{});
    of_three<0, 2>(all{});
    of_three<1, 0>(all{});
    of_three<1, 1>(all{});
    of_three<1, 3>(all{});
    of_three<1, 4>(all{});
    of_three<2, 3>(all{});
    of_three<2, 5>(all{});
    of_three<3, 0>(all{});
    of_three<3, 4>(all{});
    of_three<4, 1>(all{});
    of_three<4, 4>(all{});
    of_three<5, 5>(all{});
}
