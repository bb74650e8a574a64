# A static check that fails is shown with the types that it asked about, in plain text.
file(WRITE ${SCRATCH}/wrong.cpp [[
#include <xgrad/check_tangent.hpp>
struct layer { xt::xtensor<double, 2> weights; double offset; };
XGRAD_REFLECT(layer, weights, offset)
struct model { layer first; int epochs; };
XGRAD_REFLECT(model, first, epochs)
static_assert(xgrad::check_tangent_types<model, double>());
]])
execute_process(COMMAND ${CMAKE_COMMAND} -DEXPECT=compiles -DFILE=${SCRATCH}/wrong.cpp -P ${ROOT}/cmake/xgradTypeChecks.cmake -- ${CXX} ${CXX_ARGUMENTS}
  WORKING_DIRECTORY ${SCRATCH} RESULT_VARIABLE status ERROR_VARIABLE output)
set(expected "
model
  first: layer
    weights: xtensor<double, 2> | tangent xtensor<double, 2> | fdata reference to xtensor<double, 2> | rdata none
    offset: double | tangent double | fdata none | rdata double
  epochs: int | no tangent
")
string(FIND "${output}" "${expected}" position)
if(status EQUAL 0 OR position EQUAL -1)
  message(FATAL_ERROR "Expected a failure that shows${expected}but found (status ${status})\n${output}")
endif()
