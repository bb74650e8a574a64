# What checking the types of a struct of 20 fields costs beyond the includes: its tangent type, that it is differentiable, and check_tangent_types. By the
# shortest of several runs of each in turn, syntax only, as a part of what xtensor's own header takes, so that the machine and its load say little:
# with g++ 12 that header takes about a second.
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
file(WRITE ${SCRATCH}/xtensor.cpp "#include <xtensor/xtensor.hpp>\n")
set(head "#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <xgrad/check_tangent_types.hpp>
#include <xgrad/xgrad.hpp>
")
file(WRITE ${SCRATCH}/includes.cpp "${head}")
file(WRITE ${SCRATCH}/checks.cpp "${head}
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
")
list(FILTER CXX_ARGUMENTS EXCLUDE REGEX "^-(O|g|march|fsanitize)")
foreach(round RANGE 1 6)
  foreach(file IN ITEMS xtensor includes checks)
    string(TIMESTAMP begin "%s%f")
    execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -fsyntax-only ${SCRATCH}/${file}.cpp COMMAND_ERROR_IS_FATAL ANY)
    string(TIMESTAMP end "%s%f")
    math(EXPR milliseconds "(${end} - ${begin}) / 1000")
    if(NOT DEFINED ${file} OR milliseconds LESS ${file})
      set(${file} ${milliseconds})
    endif()
  endforeach()
endforeach()
math(EXPR cost "${checks} - ${includes}")
math(EXPR percent "100 * ${cost} / ${xtensor}")
message(STATUS "The type checks of 20 fields take ${cost} ms beyond the includes, ${percent} % of the ${xtensor} ms of <xtensor/xtensor.hpp>")
if(percent GREATER 50)
  message(FATAL_ERROR "The type checks of 20 fields may take 50 % of what <xtensor/xtensor.hpp> takes, and take ${percent} %")
endif()
