# Every scalar operation, a line partials<op::NAME> in ruleset/, has a row ROW...(NAME, ...) in a test; another test may
# check it in a way of its own, and then names op::NAME. The rule is tried on a bad tree first.
cmake_policy(VERSION 3.25)

# Operations that only stand inside functions of other names, by which they are tested: OPERATION=FUNCTION.
set(inside where=where sigmoid_slope=sigmoid length=stddev absolute_power=norm_lp signed_power=norm_lp is_not_zero=norm_l0 is_number=nanmean zero_for_nan=nansum
  one_for_nan=nanprod least_for_nan=nanmax nan_for_none=nanmax left=broadcast
  log_of_positive=normal_lpdf normal_element=normal_lpdf lognormal_element=lognormal_lpdf cauchy_element=cauchy_lpdf laplace_element=laplace_lpdf
  logistic_element=logistic_lpdf student_t_element=student_t_lpdf student_t_log_norm=student_t_lpdf exponential_element=exponential_lpdf
  gamma_element=gamma_lpdf gamma_log_norm=gamma_lpdf beta_element=beta_lpdf beta_log_norm=beta_lpdf)

# The operations below HEADERS that no test below TESTS names.
function(missing out headers tests)
  set(found)
  file(GLOB_RECURSE sources ${tests}/*.cpp)
  set(text)
  foreach(source IN LISTS sources)
    file(READ ${source} one)
    string(APPEND text "${one}")
  endforeach()
  # brackets and semicolons mean something to CMake
  string(REGEX REPLACE "[][;]" " " text "${text}")
  foreach(pair IN LISTS inside)
    string(REGEX MATCH "^(.*)=(.*)$" pair ${pair})
    set(operation ${CMAKE_MATCH_1})
    if(text MATCHES "[^a-z_]${CMAKE_MATCH_2}\\(")
      string(APPEND text " op::${operation} ")
    endif()
  endforeach()
  string(REGEX MATCHALL "(ROW[A-Z0-9_]*\\([ \n]*|op::)[a-z0-9_]+" rows "${text}")
  list(TRANSFORM rows REPLACE "^(ROW[A-Z0-9_]*\\([ \n]*|op::)" "")
  file(GLOB_RECURSE rules ${headers}/*.hpp)
  foreach(header IN LISTS rules)
    file(STRINGS ${header} lines REGEX "constexpr auto partials<")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "partials<op::([a-z0-9_]+)" name "${line}")
      if(name AND NOT CMAKE_MATCH_1 IN_LIST rows)
        list(APPEND found ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/rules/a.hpp
  "template <> inline constexpr auto partials<op::seen> = 1;\ntemplate <> inline constexpr auto partials<op::seen_elsewhere>  = 1;\n"
  "template <> inline constexpr auto partials<op::unseen> = 1;\ntemplate <class N> inline constexpr auto partials<op::family<N>> = 1;\n")
file(WRITE ${SCRATCH}/tests/a.cpp "ROW_OF_OURS(seen, x, 0, 1, {}, {}); xgrad::op::seen_elsewhere{}; array[0];")
missing(found ${SCRATCH}/rules ${SCRATCH}/tests)
if(NOT "${found}" STREQUAL "unseen;family")
  message(SEND_ERROR "This script finds that ${found} have no row, where unseen and family have none")
endif()

missing(found ${ROOT}/include/xgrad/ruleset ${ROOT}/test)
foreach(name IN LISTS found)
  message(SEND_ERROR "op::${name} has partials, but no row in test/ruleset/: write ROW(${name}, FROM, TO, {}, {}), or name op::${name} where it is tested")
endforeach()
