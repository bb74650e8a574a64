// Hana's structs and tuples have tangents, and reflected structs and their tangents are Hana's structs.
#include <boost/test/unit_test.hpp>

#include <xgrad/check_tangent.hpp>
#include <xgrad/hana.hpp>

#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/keys.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace hana = boost::hana;
using namespace xgrad;

namespace app {

struct defined {
    BOOST_HANA_DEFINE_STRUCT(defined, (double, x), (int, n), (std::vector<double>, v));
};
struct adapted {
    double x;
    defined inside;
    std::string name;
};
struct reflected_one {
    double a;
    int n;
    std::vector<double> b;
};
XGRAD_REFLECT(reflected_one, a, n, b)

}  // namespace app
BOOST_HANA_ADAPT_STRUCT(app::adapted, x, inside, name);

constexpr auto key_x = BOOST_HANA_STRING("x");
constexpr auto key_name = BOOST_HANA_STRING("name");

BOOST_AUTO_TEST_CASE(adapted_structs_have_maps_of_tangents) {
    app::adapted const x{1, {2, 3, {4, 5}}, "name"};
    auto t = zero_tangent(x);
    static_assert(std::is_same_v<decltype(t), tangent_type_t<app::adapted>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(hana::at_key(t, key_name))>, no_tangent>);
    hana::at_key(t, key_x) = 10;
    hana::at_key(hana::at_key(t, BOOST_HANA_STRING("inside")), BOOST_HANA_STRING("v"))[1] = 20;
    auto const y = add_to_primal(x, t);
    BOOST_TEST(y.x == 11);
    BOOST_TEST(y.inside.v[1] == 25);
    BOOST_TEST(y.name == "name");
    auto const law = check_tangent(x);
    BOOST_TEST(bool(law), law.text());
    static_assert(std::is_same_v<rdata_type_t<std::vector<app::defined>>, no_rdata>);
}

BOOST_AUTO_TEST_CASE(tuples_have_tuples_of_tangents) {
    static_assert(std::is_same_v<tangent_type_t<hana::tuple<double, int, std::vector<float>>>, hana::tuple<double, no_tangent, std::vector<float>>>);
    static_assert(std::is_same_v<tangent_type_t<hana::tuple<>>, no_tangent> && std::is_same_v<tangent_type_t<hana::tuple<int>>, no_tangent>);
    auto const law = check_tangent(hana::make_tuple(1.5, 2, std::vector<float>{3, 4}));
    BOOST_TEST(bool(law), law.text());
}

BOOST_AUTO_TEST_CASE(reflected_structs_are_structs_of_hana) {
    static_assert(hana::Struct<app::reflected_one>::value && hana::Struct<tangent<app::reflected_one>>::value);
    static_assert(!hana::Struct<double>::value && !hana::Struct<std::string>::value);
    app::reflected_one x{1, 2, {3}};
    std::string names;
    hana::for_each(hana::keys(x), [&names](auto key) { names += key.c_str(); });
    BOOST_TEST(names == "anb");
    auto t = zero_tangent(x);
    hana::at_key(t, BOOST_HANA_STRING("a")) = 5;
    BOOST_TEST(t.a == 5);
    int absent_fields = 0;
    hana::for_each(hana::accessors<tangent<app::reflected_one>>(), [&](auto const& pair) { absent_fields += absent<decltype(hana::second(pair)(t))>; });
    BOOST_TEST(absent_fields == 1);
}
