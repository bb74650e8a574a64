// What checking the types of a struct of 20 fields costs: its tangent type, that it is differentiable, and check_tangent_types.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <xgrad/check_tangent_types.hpp>
#include <xgrad/xgrad.hpp>

struct layer {
    xt::xtensor<double, 2> weights;
    xt::xtensor<double, 1> bias;
};
struct model {
    double a;
    float b;
    int steps;
    bool trained;
    std::string name;
    xt::xtensor<double, 1> line;
    xt::xtensor<float, 3> cube;
    xt::xarray<double> any;
    xt::xtensor_fixed<double, xt::xshape<3, 3>> turn;
    layer first;
    layer second;
    std::vector<layer> others;
    std::vector<double> rates;
    std::array<double, 4> corners;
    std::pair<double, int> choice;
    std::tuple<float, xt::xtensor<double, 2>> both;
    std::optional<double> penalty;
    std::map<std::string, double> named;
    std::unique_ptr<layer> owned;
    std::shared_ptr<layer> shared;
};
using tangent = xgrad::tangent_type_t<model>;
static_assert(xgrad::differentiable<model> && xgrad::differentiable<layer>);
static_assert(!std::is_same_v<tangent, xgrad::no_tangent> && std::is_same_v<xgrad::tangent_type_t<tangent>, tangent>);
static_assert(std::is_same_v<xgrad::tangent_type_t<std::string>, xgrad::no_tangent> && !xgrad::differentiable<int>);
static_assert(xgrad::check_tangent_types<model>());
