# What a reflected struct costs to compile grows linearly with its fields: clang counts the instantiations of the three types, of
# zero_tangent and of accumulate for 25, 50 and 100 fields. Any compiler compiles 100 fields.

set(kinds double int float std::vector<double> "xt::xtensor<double, 2>" std::optional<double>)

function(compile count)
  set(fields)
  set(names)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    math(EXPR kind "${i} % 6")
    list(GET kinds ${kind} type)
    string(APPEND fields "    ${type} field_${i}{};\n")
    string(APPEND names ", field_${i}")
  endforeach()
  file(WRITE ${SCRATCH}/fields_${count}.cpp "#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/rdata.hpp>
#include <xgrad/tangent/zero_tangent.hpp>
struct many {
${fields}};
XGRAD_REFLECT(many${names})
static_assert(sizeof(xgrad::fdata<many>) + sizeof(xgrad::rdata<many>) > 0);
void add(many const& x) {
    auto xbar = xgrad::zero_tangent(x);
    xgrad::accumulate(xbar, xgrad::zero_tangent(x));
}
")
  execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} ${ARGN} -O0 -c fields_${count}.cpp -o fields_${count}.o
    WORKING_DIRECTORY ${SCRATCH} RESULT_VARIABLE failed ERROR_VARIABLE text)
  if(failed)
    message(FATAL_ERROR "A struct of ${count} fields does not compile:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
execute_process(COMMAND ${CXX} --version OUTPUT_VARIABLE version)
if(NOT version MATCHES "clang")
  compile(100)
  return()
endif()
foreach(count IN ITEMS 25 50 100)
  compile(${count} -ftime-trace -ftime-trace-granularity=0)
  file(READ ${SCRATCH}/fields_${count}.json trace)
  string(REGEX MATCHALL "\"Instantiate(Class|Function)\"" events "${trace}")
  list(LENGTH events events_${count})
endforeach()
math(EXPR first "${events_50} - ${events_25}")
math(EXPR second "${events_100} - ${events_50}")
math(EXPR most "2 * ${first} + 10")
message(STATUS "Instantiations: ${events_25} for 25 fields, ${events_50} for 50, ${events_100} for 100.")
if(second GREATER most)
  message(FATAL_ERROR "From 50 fields to 100 there are ${second} more instantiations, from 25 to 50 only ${first}: that is more than linear.")
endif()
