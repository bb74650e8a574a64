# No call leaves the upper halves of vector registers in use: scalar code is slow on some processors then, up to ten times in libm.
# A program for this processor is run, where that has AVX2.
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
set(flags)
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo flags LIMIT_COUNT 1 REGEX "^flags.* avx2 .* xgetbv1 ")
endif()
if(NOT flags)
  message("Skipped: a processor with AVX2 is required, and one that says what is in use")
  return()
endif()
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -I${ROOT} -g0 -O2 -DNDEBUG -march=native -UXGRAD_DETAIL_PLAIN_INLINE
    ${ROOT}/perf/compile/upper_halves.cpp -o ${SCRATCH}/upper_halves
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/upper_halves OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(output MATCHES "Skipped: |leaves" OR NOT status EQUAL 0)
  message("${output}")
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "What loops over packs requires a clean_registers (xgrad/rule/clean_registers.hpp)")
endif()
