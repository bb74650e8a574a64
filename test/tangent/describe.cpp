// describe and type_name: the same text from every compiler.
#include <boost/test/unit_test.hpp>

#include <xgrad/tangent/describe.hpp>

#include <list>
#include <map>
#include <string>
#include <vector>

namespace app {

enum class color { red };
struct layer {
    xt::xtensor<double, 2> W;
    xt::xarray<float> b;
};
XGRAD_REFLECT(layer, W, b)
struct model {
    layer hidden;
    int epochs;
    double const rate;
    std::vector<layer> more;
    std::map<std::string, std::list<float>> named;
    std::tuple<int, double, std::vector<double>> rest;
    double corners[3];
    color tint;
};
XGRAD_REFLECT(model, hidden, epochs, rate, more, named, rest, corners, tint)

}  // namespace app

BOOST_AUTO_TEST_CASE(types_are_named_as_one_writes_them) {
    using xgrad::type_name;
    BOOST_TEST(type_name<long double>() == "long double");
    BOOST_TEST(type_name<unsigned long>() == "uint64");
    BOOST_TEST(type_name<app::color>() == "color");
    BOOST_TEST(type_name<std::string>() == "string");
    BOOST_TEST((type_name<std::map<int, std::vector<std::complex<double>>>>() == "map<vector<complex<double>>>"));
    BOOST_TEST((type_name<std::unique_ptr<app::layer>>() == "unique_ptr<layer>"));
    BOOST_TEST((type_name<xt::xtensor_fixed<double, xt::xshape<2, 3>>>() == "xtensor_fixed<double, 2, 3>"));
    BOOST_TEST((type_name<std::array<double const*, 2>>() == "array<double const*, 2>"));
}

BOOST_AUTO_TEST_CASE(a_struct_is_described_field_by_field) {
    BOOST_TEST(xgrad::describe<app::model>() ==
               "model\n"
               "  hidden: layer\n"
               "    W: xtensor<double, 2> | tangent xtensor<double, 2> | fdata reference to xtensor<double, 2> | rdata none\n"
               "    b: xarray<float> | tangent xarray<float> | fdata reference to xarray<float> | rdata none\n"
               "  epochs: int | no tangent\n"
               "  rate: double | tangent double | fdata none | rdata double\n"
               "  more: vector<layer> | tangent vector<tangent<layer>> | fdata reference to vector<tangent<layer>> | rdata none\n"
               "  named: map<list<float>> | tangent map<list<float>> | fdata reference to map<list<float>> | rdata none\n"
               "  rest: tuple<int, double, vector<double>> | tangent tuple<none, double, vector<double>>"
               " | fdata tuple<none, none, reference to vector<double>> | rdata tuple<none, double, none>\n"
               "  corners: double[3] | tangent array<double, 3> | fdata none | rdata array<double, 3>\n"
               "  tint: color | no tangent\n");
    BOOST_TEST(xgrad::describe<double>() == "double | tangent double | fdata none | rdata double\n");
    BOOST_TEST(xgrad::describe<int const&>() == "int | no tangent\n");
}
