# A header includes its own room and rooms to the left: host <- tangent <- rule <- {ruleset, scope} <- loops <- lanes <- parallel <-
# mpi <- public verbs <- umbrella.
# Only host.hpp opens xtensor, only the hosts in ruleset/linalg/ xtensor-blas, only mpi/communicator.hpp MPI, only tbb.hpp oneTBB, and the
# core does not know linear algebra.
# The rule is tried on a bad tree first: each wrong include must be found, and nothing else.

set(level_host 0)
set(level_tangent 1)
set(level_rule 2)
set(level_ruleset 3)
set(level_scope 3)
set(level_loops 4)
set(level_lanes 5)
set(level_parallel 6)
set(level_mpi 7)
set(level_public 8)
set(level_linalg 8)
set(level_umbrella 9)

# Inside scope/ the rooms have an order of their own; small/ is met at one place.
set(rooms_of_scope memory kernel operand storage node arguments small place call)
set(seam_of_small "scope/node/make_formula.hpp scope/small/small.hpp")

# The room of a path below include/xgrad/.
function(room_of out path)
  if(path STREQUAL "host.hpp")
    set(room host)
  elseif(path STREQUAL "xgrad.hpp")
    set(room umbrella)
  elseif(path MATCHES "^([^/]+)/")
    set(room ${CMAKE_MATCH_1})
  else()
    set(room public)
  endif()
  set(${out} ${room} PARENT_SCOPE)
endfunction()

# Why header HEADER may not include INCLUDED, or nothing.
function(objection out header included)
  set(why)
  room_of(mine ${header})
  if(included MATCHES "^xgrad/(.*)$")
    set(path ${CMAKE_MATCH_1})
    room_of(theirs ${path})
    if(NOT DEFINED level_${theirs})
      set(why "there is no room ${theirs}/")
    elseif(path MATCHES "^(linalg\\.hpp|linalg/|ruleset/linalg/)" AND NOT header MATCHES "^(linalg\\.hpp|linalg/|ruleset/linalg/)")
      set(why "linear algebra is not part of the core")
    elseif(path MATCHES "^(mpi|tbb|parallel|gradient_pool)(\\.hpp$|/)" AND mine STREQUAL "umbrella")
      set(why "threads and MPI are not part of the core")
    elseif(header MATCHES "^scope/([a-z_]+)/" AND path MATCHES "^scope/")
      string(REGEX MATCH "^scope/([a-z_]+)/" ignored ${header})
      list(FIND rooms_of_scope "${CMAKE_MATCH_1}" here)
      string(REGEX MATCH "^scope/([a-z_]+)/" ignored ${path})
      list(FIND rooms_of_scope "${CMAKE_MATCH_1}" there)
      if(here EQUAL -1 OR there EQUAL -1)
        set(why "scope/ has no such room")
      elseif(there GREATER here AND NOT "${header} ${path}" STREQUAL seam_of_small)
        set(why "its room in scope/ does not know that one")
      endif()
    elseif(header MATCHES "^linalg(\\.hpp$|/)" OR mine STREQUAL theirs)
    elseif(NOT level_${theirs} LESS level_${mine})
      set(why "${mine} does not know ${theirs}")
    endif()
  elseif(included MATCHES "^(xtensor|xtl|xsimd)/")
    if(included MATCHES "/xio\\.hpp$")
      set(why "it costs every user 0.7 s")
    elseif(NOT mine STREQUAL "host")
      set(why "only host.hpp opens the host")
    endif()
  elseif(included MATCHES "^(xtensor-blas|xflens)/")
    if(NOT header MATCHES "^ruleset/linalg/(blas|lapack)_host\\.hpp$")
      set(why "only blas_host.hpp and lapack_host.hpp of ruleset/linalg/ open xtensor-blas")
    endif()
  elseif(included STREQUAL "mpi.h")
    if(NOT header STREQUAL "mpi/communicator.hpp")
      set(why "only mpi/communicator.hpp opens MPI")
    endif()
  elseif(included MATCHES "^(oneapi/)?tbb/")
    if(NOT header STREQUAL "tbb.hpp")
      set(why "only tbb.hpp opens oneTBB")
    endif()
  elseif(included STREQUAL "boost/hana.hpp")
    set(why "Hana is taken by its single headers")
  elseif(included MATCHES "^boost/test/")
    set(why "headers know no test framework")
  endif()
  set(${out} "${why}" PARENT_SCOPE)
endfunction()

# The objections to the headers below FOLDER, one line each.
function(objections out folder)
  set(found)
  file(GLOB_RECURSE headers RELATIVE ${folder} ${folder}/*.hpp)
  foreach(header IN LISTS headers)
    room_of(mine ${header})
    if(NOT DEFINED level_${mine})
      list(APPEND found "${header}: there is no room ${mine}/")
      continue()
    endif()
    file(STRINGS ${folder}/${header} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(line IN LISTS lines)
      if(line MATCHES "include[ \t]*\"([^\"]*)\"")
        list(APPEND found "${header} may not include \"${CMAKE_MATCH_1}\": headers include each other as <xgrad/...>")
      elseif(line MATCHES "<([^>]*)>")
        set(included ${CMAKE_MATCH_1})
        objection(why ${header} ${included})
        if(why)
          list(APPEND found "${header} may not include <${included}>: ${why}")
        endif()
      endif()
    endforeach()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# A tree of one header for each pair of a header and what it includes.
function(tree folder)
  file(REMOVE_RECURSE ${folder})
  foreach(pair IN LISTS ARGN)
    string(REGEX MATCH "^(.*) (.*)$" pair ${pair})
    file(APPEND ${folder}/${CMAKE_MATCH_1} "#include ${CMAKE_MATCH_2}\n")
  endforeach()
endfunction()

set(good
  "host.hpp <xtensor/xarray.hpp>" "host.hpp <xsimd/xsimd.hpp>" "tangent/zero.hpp <xgrad/tangent/dual.hpp>" "tangent/zero.hpp <xgrad/host.hpp>"
  "rule/rule.hpp <boost/hana/tuple.hpp>" "ruleset/scalar.hpp <xgrad/rule/rule.hpp>" "ruleset/linalg/dot.hpp <xgrad/ruleset/shape.hpp>"
  "ruleset/linalg/blas_host.hpp <xtensor-blas/xblas.hpp>" "ruleset/linalg/lapack_host.hpp <xflens/cxxlapack/interface/potrf.tcc>"
  "scope/memory/slot.hpp <xgrad/tangent/zero.hpp>" "scope/memory/slot.hpp <vector>"
  "scope/operand/leaf.hpp <xgrad/scope/kernel/array_cursor.hpp>" "scope/node/make_formula.hpp <xgrad/scope/small/small.hpp>"
  "gradient.hpp <xgrad/ruleset/scalar.hpp>" "gradient.hpp <xgrad/scope/memory/slot.hpp>" "gradient.hpp <xgrad/vjp.hpp>" "xgrad.hpp <xgrad/gradient.hpp>"
  "lanes/loop.hpp <xgrad/scope/call/call.hpp>" "lanes/loop.hpp <xgrad/loops/state.hpp>" "map.hpp <xgrad/lanes/node.hpp>"
  "parallel/items.hpp <xgrad/loops/items.hpp>" "mpi/communicator.hpp <mpi.h>" "mpi/rows.hpp <xgrad/parallel/items.hpp>" "mpi.hpp <xgrad/mpi/rows.hpp>"
  "tbb.hpp <oneapi/tbb/parallel_for.h>" "tbb.hpp <xgrad/parallel/executor.hpp>" "parallel.hpp <xgrad/parallel/items.hpp>"
  "loops/call.hpp <xgrad/scope/call/call.hpp>" "loop.hpp <xgrad/loops/schedule.hpp>"
  "linalg.hpp <xgrad/ruleset/linalg/dot.hpp>" "linalg.hpp <xgrad/xgrad.hpp>" "linalg/einsum.hpp <xgrad/shape.hpp>"
  "linalg/einsum.hpp <xgrad/ruleset/linalg/dot.hpp>"
  "linalg.hpp <xgrad/linalg/einsum.hpp>")
set(bad
  "host.hpp <xgrad/tangent/zero.hpp>" "host.hpp <xtensor/xio.hpp>" "tangent/zero.hpp <xgrad/rule/rule.hpp>" "tangent/zero.hpp <xtl/xcomplex.hpp>"
  "rule/rule.hpp <boost/hana.hpp>" "rule/rule.hpp <xgrad/scope/memory/slot.hpp>" "rule/rule.hpp \"linear.hpp\""
  "scope/kernel/cursor.hpp <xgrad/scope/node/array.hpp>" "scope/node/array.hpp <xgrad/scope/small/array.hpp>"
  "scope/node/array.hpp <xgrad/scope/other/slot.hpp>" "ruleset/scalar.hpp <xgrad/scope/memory/slot.hpp>"
  "scope/slot.hpp <xgrad/ruleset/scalar.hpp>" "scope/slot.hpp <xsimd/xsimd.hpp>" "scope/slot.hpp <xgrad/gradient.hpp>"
  "scope/call/call.hpp <xgrad/lanes/node.hpp>" "scope/call/call.hpp <xgrad/loops/schedule.hpp>" "loops/schedule.hpp <xgrad/lanes/node.hpp>"
  "loops/call.hpp <xgrad/parallel/items.hpp>" "mpi.hpp <mpi.h>"
  "parallel/chunks.hpp <oneapi/tbb/parallel_for.h>" "xgrad.hpp <xgrad/mpi.hpp>" "xgrad.hpp <xgrad/parallel.hpp>" "parallel/items.hpp <xgrad/mpi/call.hpp>"
  "ruleset/linalg/dot.hpp <xtensor-blas/xlinalg.hpp>" "ruleset/shape.hpp <xgrad/ruleset/linalg/dot.hpp>" "gradient.hpp <xgrad/xgrad.hpp>"
  "gradient.hpp <xgrad/linalg.hpp>" "gradient.hpp <xgrad/linalg/einsum.hpp>" "ruleset/linalg/dot.hpp <xgrad/linalg/einsum.hpp>"
  "xgrad.hpp <xgrad/linalg.hpp>" "check.hpp <boost/test/unit_test.hpp>" "vjp.hpp <xgrad/util/misc.hpp>")
tree(${SCRATCH}/good ${good})
tree(${SCRATCH}/bad ${bad})
objections(unjust ${SCRATCH}/good)
objections(just ${SCRATCH}/bad)
foreach(pair IN LISTS bad)
  string(REGEX MATCH "^(.*) (.*)$" pair ${pair})
  set(sentence "${CMAKE_MATCH_1} may not include ${CMAKE_MATCH_2}: ")
  string(FIND "${just}" "${sentence}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "This script does not see that ${sentence}...")
  endif()
endforeach()
foreach(line IN LISTS unjust)
  message(SEND_ERROR "This script objects to a good tree: ${line}")
endforeach()

objections(found ${ROOT}/include/xgrad)
foreach(line IN LISTS found)
  message(SEND_ERROR "${line}")
endforeach()
