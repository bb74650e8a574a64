# xtensor 0.26 moved its headers into folders. Where the installed xtensor is an older one, its headers are put behind those of the
# new names, which include them: so host.hpp's branch for the new names compiles, and a program runs through it. What the newer headers
# themselves say is not tested here; a build with a newer xtensor in CMAKE_PREFIX_PATH does that.
cmake_policy(VERSION 3.25)
set(folders
  containers/xadapt containers/xarray containers/xbuffer_adaptor containers/xcontainer containers/xfixed containers/xscalar containers/xstorage
  containers/xtensor core/xassign core/xeval core/xexpression core/xexpression_traits core/xfunction core/xiterable core/xiterator core/xlayout
  core/xmath core/xnoalias core/xoperation core/xsemantic core/xshape core/xstrides core/xtensor_config core/xtensor_forward core/xvectorize
  generators/xbuilder generators/xgenerator generators/xrandom misc/xcomplex misc/xmanipulation misc/xpad misc/xsort optional/xoptional
  reducers/xaccumulator reducers/xnorm reducers/xreducer utils/xexception utils/xutils views/xbroadcast views/xdynamic_view views/xindex_view
  views/xmasked_view views/xrepeat views/xslice views/xstrided_view views/xview)

file(READ ${ROOT}/include/xgrad/host.hpp host)
if(NOT host MATCHES "#if __has_include\\(<xtensor/containers/xarray.hpp>\\)\n(.*)\n#elif __has_include\\(<xtensor/xarray.hpp>\\)\n(.*)\n#else\n#error")
  message(FATAL_ERROR "host.hpp has no branches for the two places of xtensor's headers")
endif()
set(new "${CMAKE_MATCH_1}")
set(old "${CMAKE_MATCH_2}")
string(REGEX MATCHALL "#include <xtensor/[^>]*>" included "${new}")
if(NOT included)
  message(FATAL_ERROR "host.hpp includes nothing from xtensor's folders")
endif()
foreach(line IN LISTS included)
  string(REGEX REPLACE "#include <xtensor/(.*)\\.hpp>" "\\1" name "${line}")
  if(NOT name IN_LIST folders)
    message(FATAL_ERROR "xtensor 0.27 has no header <xtensor/${name}.hpp>, which host.hpp includes (or this script's list lacks it)")
  endif()
endforeach()

file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/probe.cpp "#if __has_include(<xtensor/containers/xarray.hpp>)\n#error has folders\n#endif\n")
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -fsyntax-only ${SCRATCH}/probe.cpp RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message("Skipped: the installed xtensor has its headers in folders, so every test takes that branch")
  return()
endif()
# The old branch's patches come along: the headers behind the new names need them.
file(WRITE ${SCRATCH}/include/old_branch.hpp "#pragma once\n${old}\n")
foreach(name IN LISTS folders)
  file(WRITE ${SCRATCH}/include/xtensor/${name}.hpp "#pragma once\n#include <old_branch.hpp>\n")
endforeach()
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -w -O0 -isystem ${SCRATCH}/include ${ROOT}/examples/hello.cpp -o ${SCRATCH}/hello
  RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "examples/hello.cpp does not compile by host.hpp's branch for xtensor's folders")
endif()
execute_process(COMMAND ${SCRATCH}/hello RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "hello, by host.hpp's branch for xtensor's folders, ends with ${status}")
endif()
