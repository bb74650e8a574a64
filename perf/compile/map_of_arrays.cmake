# The optimised object of a map whose function is on arrays is 510 kB at most, on which the time goes that its compilation takes.
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -I${ROOT} -g0 -O2 -DNDEBUG -UXGRAD_DETAIL_PLAIN_INLINE
    -c ${ROOT}/perf/compile/map_of_arrays.cpp -o ${SCRATCH}/map_of_arrays.o
  COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${SCRATCH}/map_of_arrays.o bytes)
message(STATUS "map_of_arrays: ${bytes} bytes")
if(bytes GREATER 510000)
  message(FATAL_ERROR "The object of map_of_arrays has ${bytes} bytes with -O2; 510000 are allowed")
endif()
