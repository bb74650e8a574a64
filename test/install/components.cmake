# What find_package(xgrad) says of components and versions, asked by small projects.
file(REMOVE_RECURSE ${SCRATCH})

# asks(NAME CALL SENTENCE [OPTION...]) configures a project with CALL in it. It must succeed and print SENTENCE, or if SENTENCE begins
# with `refused: `, fail with what follows.
function(asks name call sentence)
  file(WRITE ${SCRATCH}/${name}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(${name} CXX)\n${call}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SCRATCH}/${name} -B ${SCRATCH}/${name}/build -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${PREFIX} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " text "${output}")
  set(expected 0)
  if(sentence MATCHES "^refused: (.*)$")
    set(sentence ${CMAKE_MATCH_1})
    set(expected 1)
  endif()
  string(FIND "${text}" "${sentence}" at)
  if(at EQUAL -1 OR NOT status EQUAL expected)
    message("${output}")
    message(SEND_ERROR "${call} ${ARGN}: expected status ${expected} and `${sentence}`, found status ${status}")
  endif()
endfunction()

set(print [[
foreach(target IN ITEMS xgrad::xgrad xgrad::linalg xgrad::parallel xgrad::mpi)
  if(TARGET ${target})
    list(APPEND targets ${target})
  endif()
endforeach()
message(STATUS "xgrad ${xgrad_VERSION}: ${targets}, linalg ${xgrad_linalg_FOUND}.")
]])

# Whether the headers of xtensor-blas are there.
file(WRITE ${SCRATCH}/probe.cpp "#if !__has_include(<xtensor-blas/xblas.hpp>)\n#error\n#endif\n")
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -fsyntax-only ${SCRATCH}/probe.cpp RESULT_VARIABLE without_linalg ERROR_QUIET)

asks(plain "find_package(xgrad 0.1 REQUIRED)\n${print}" "xgrad 0.1.0: xgrad::xgrad, linalg .")
asks(core "find_package(xgrad REQUIRED COMPONENTS core)\n${print}" "xgrad 0.1.0: xgrad::xgrad, linalg .")
asks(unknown "find_package(xgrad REQUIRED COMPONENTS lapack)" "refused: xgrad has the components core, linalg, parallel and mpi, but lapack is asked for")
asks(newer "find_package(xgrad 0.2 REQUIRED)" "refused: that is compatible with requested version \"0.2\"")
asks(older "find_package(xgrad 0.0.9 REQUIRED)" "refused: that is compatible with requested version \"0.0.9\"")

# Threads and MPI: a component that is there brings its target, and one that is not says what it lacks.
foreach(pair IN ITEMS "parallel|tbb/tbb.h|xgrad's component parallel requires oneTBB (Debian: libtbb-dev)"
    "mpi|mpi.h|xgrad's component mpi requires an MPI with its C interface (Debian: libopenmpi-dev)")
  string(REPLACE "|" ";" pair "${pair}")
  list(POP_FRONT pair component header lack)
  set(call "find_package(xgrad REQUIRED COMPONENTS ${component})\n${print}")
  file(WRITE ${SCRATCH}/probe.cpp "#include <${header}>\n")
  execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -w -E ${SCRATCH}/probe.cpp RESULT_VARIABLE without OUTPUT_QUIET ERROR_QUIET)
  if(without EQUAL 0)
    asks(${component} "${call}" "xgrad::xgrad;xgrad::${component}, linalg .")
  else()
    asks(${component} "${call}" "refused: ${lack}")
  endif()
  asks(no_${component} "${call}" "refused: ${lack}" -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
endforeach()
if(NOT without_linalg EQUAL 0)
  return()
endif()

asks(linalg "find_package(xgrad 0.1 REQUIRED COMPONENTS core linalg)\n${print}" "xgrad 0.1.0: xgrad::xgrad;xgrad::linalg, linalg TRUE.")
asks(later "find_package(xgrad REQUIRED)\nfind_package(xgrad REQUIRED COMPONENTS linalg)\n${print}" "xgrad::xgrad;xgrad::linalg, linalg TRUE.")
asks(optional "find_package(xgrad REQUIRED OPTIONAL_COMPONENTS linalg plots)\n${print}" "xgrad::xgrad;xgrad::linalg, linalg TRUE.")

# Without the headers of xtensor-blas the core is whole, and linalg says what it lacks.
set(without_blas "-DCMAKE_IGNORE_PATH=/usr/include\\;/usr/local/include")
asks(no_blas_core "find_package(xgrad REQUIRED OPTIONAL_COMPONENTS linalg)\n${print}" "xgrad::xgrad, linalg ." ${without_blas})
asks(no_blas "find_package(xgrad REQUIRED COMPONENTS linalg)"
  "refused: xgrad's component linalg requires the headers of xtensor-blas (Debian: libxtensor-blas-dev)" ${without_blas})
