// The mirror of a struct: its names, its order, its room; forms of XGRAD_REFLECT; operations in constant expressions.
#include <xgrad/check_tangent.hpp>

#include <array>
#include <string_view>
#include <tuple>
#include <vector>

using namespace xgrad;

namespace {

struct nothing_at_all {};
XGRAD_REFLECT(nothing_at_all)
struct mixed {
    int a;
    double x;
    int b;
    bool c;
    double y;
    char d;
};
XGRAD_REFLECT(mixed, a, x, b, c, y, d)
struct nested {
    int a;
    mixed first, second;
    int b;
    mixed third;
};
XGRAD_REFLECT(nested, a, first, second, b, third)
struct integers {
    int a, b;
};
XGRAD_REFLECT(integers, a, b)

class secret {
    double a = 1;
    int n = 2;
    double b = 3;

public:
    constexpr double sum() const { return a + b; }
    XGRAD_REFLECT_INSIDE(secret, a, n, b)
};
template <class T, int N>
struct net {
    T w;
    std::array<T, N> h;
    XGRAD_REFLECT_INSIDE(net, w, h)
};
struct outer {
    struct inner {
        double u;
        XGRAD_REFLECT_INSIDE(inner, u)
    };
    inner i;
};
XGRAD_REFLECT(outer, i)
struct derived : mixed, outer {
    double z;
};
XGRAD_REFLECT_DERIVED(derived, (mixed, outer), z)
struct forgotten : mixed {
    double extra;
};

struct to_reference {
    template <class P>
    using type = P const&;
};

}  // namespace

namespace library {

struct foreign {
    double x, y;
};
template <class T, int N>
struct foreign_template {
    T x;
    std::array<T, N> y;
};

}  // namespace library
XGRAD_REFLECT_FOREIGN(library::foreign, x, y)
XGRAD_REFLECT_TEMPLATE((class T, int N), (library::foreign_template<T, N>), x, y)

// n doubles and m others take the room of n doubles
static_assert(sizeof(tangent<mixed>) == 2 * sizeof(double) && sizeof(tangent<nested>) == 6 * sizeof(double));
static_assert(sizeof(tangent<secret>) == 2 * sizeof(double) && sizeof(tangent<derived>) == 4 * sizeof(double));
static_assert(std::is_empty_v<mirror_t<integers, detail::to_tangent>> && sizeof(mirror_t<integers, detail::to_tangent>) == 1);
static_assert(std::is_aggregate_v<tangent<nested>> && std::is_trivially_copyable_v<tangent<nested>> &&
              std::is_nothrow_default_constructible_v<tangent<nested>>);

// recognition
static_assert(reflected<mixed> && reflected<mixed const&> && reflected<nothing_at_all> && !reflected<double> && !reflected<tangent<mixed>>);
static_assert(mirror<tangent<mixed>> && mirror<rdata<mixed> const&> && !mirror<mixed> && !mirror<double>);
static_assert(std::is_same_v<mirrored_t<tangent<derived>>, derived> && std::is_same_v<mirror_function_t<tangent<derived>>, detail::to_tangent>);
static_assert(reflected<secret> && reflected<net<double, 2>> && reflected<outer::inner> && reflected<derived>);
static_assert(reflected<library::foreign> && reflected<library::foreign_template<float, 2>>);
static_assert(!reflected<forgotten> && !has_tangent_type<forgotten>);

// names, types, order
static_assert(field_count<nothing_at_all> == 0 && field_count<derived> == 8 && field_count<tangent<mixed>> == 6);
static_assert(struct_name<nested> == "nested" && field_names<nested> == std::array<std::string_view, 5>{"a", "first", "second", "b", "third"});
static_assert(field_names<derived>[0] == "a" && field_names<derived>[6] == "i" && field_names<derived>[7] == "z");
static_assert(std::is_same_v<field_types<integers>, type_list<int, int>>);
static_assert(std::is_same_v<decltype(fields(std::declval<integers const&>())), std::tuple<int const&, int const&>>);
static_assert(std::is_same_v<decltype(fields(std::declval<outer&>())), std::tuple<outer::inner&>>);

// 200 fields
#define TEN(x) x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7, x##8, x##9
#define HUNDRED(x) TEN(x##0), TEN(x##1), TEN(x##2), TEN(x##3), TEN(x##4), TEN(x##5), TEN(x##6), TEN(x##7), TEN(x##8), TEN(x##9)
struct large {
    double HUNDRED(a), HUNDRED(b);
};
XGRAD_REFLECT(large, HUNDRED(a), HUNDRED(b))
static_assert(field_count<large> == 200 && field_names<large>[199] == "b99" && sizeof(tangent<large>) == sizeof(large));

// assigning to a member without room overwrites none of its neighbours
constexpr bool absent_members_are_harmless() {
    tangent<mixed> t{{}, 1.5, {}, {}, 2.5, {}};
    tangent<mixed> s{};
    s = t;
    s.a = {};
    s.b = no_tangent{};
    s.c = t.c;
    auto const [a, x, b, c, y, d] = s;
    return x == 1.5 && y == 2.5 && s.x == 1.5 && s.y == 2.5 && tangent<mixed>{}.x == 0;
}
static_assert(absent_members_are_harmless());

constexpr bool handles_refer() {
    mixed m{1, 2, 3, true, 4, 'x'};
    auto const r = make_mirror<mirror_t<mixed, to_reference>>([](auto const& x) -> auto const& { return x; }, m);
    m.x = 7;
    int count = 0;
    for_each_field([&count](auto const& x, auto const& y) { count += &x == &y; }, m, r);
    return r.x == 7 && r.d == 'x' && count == 6;
}
static_assert(handles_refer());

constexpr bool reach_private_members() {
    secret x;
    auto t = zero_tangent(x);
    t.a = 10;
    return add_to_primal(x, t).sum() == 14 && difference(add_to_primal(x, t), x).a == 10;
}
static_assert(reach_private_members());

// the operations are constant expressions where the types are
constexpr std::tuple<double, std::array<double, 2>, int, std::pair<float, char>> x{1, {2, 3}, 4, {7, 'x'}};
constexpr tangent_type_t<decltype(x)> t{1, {2, 3}, {}, {4, {}}};
static_assert(accumulate(zero_tangent(x), t) == t);
static_assert(accumulate(t, t) == scale(2, t) && accumulate(t, t) != t);
static_assert(pairing(t, t) == 1 + 4 + 9 + 16 && pairing(t, zero_tangent(x)) == 0);
static_assert(add_to_primal(x, zero_tangent(x)) == x && difference(add_to_primal(x, t), x) == t);
static_assert(join(fdata_of(t), rdata_of(t)) == t && zero_rdata<decltype(x)>() == rdata_of(zero_tangent(x)));
constexpr auto emptied() {
    auto s = t;
    return set_to_zero(s);
}
static_assert(emptied() == zero_tangent(x));

constexpr bool constant_vectors() {
    std::vector<mixed> v(3, mixed{1, 2, 3, true, 4, 'x'});
    auto s = zero_tangent(v);
    s[1].y = 5;
    accumulate(s, s);
    return s.size() == 3 && s[1].y == 10 && add_to_primal(v, s)[1].y == 14 && pairing(s, s) == 100;
}
static_assert(constant_vectors());
static_assert(std::is_empty_v<no_tangent> && sizeof(std::tuple<no_tangent, double>) == sizeof(double));
