# The optimised object of a map whose function is on arrays is 500 kB at most, on which the time goes that its compilation takes: for one processor on all
# machines, as the same program is a third larger for some.
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
execute_process(COMMAND ${CXX} -dumpmachine OUTPUT_VARIABLE machine COMMAND_ERROR_IS_FATAL ANY)
if(machine MATCHES "^x86_64")
  set(processor -march=x86-64-v3)
endif()
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} ${processor} -I${ROOT} -g0 -O2 -DNDEBUG -UXGRAD_DETAIL_PLAIN_INLINE
    -c ${ROOT}/perf/compile/map_of_arrays.cpp -o ${SCRATCH}/map_of_arrays.o
  COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${SCRATCH}/map_of_arrays.o bytes)
message(STATUS "map_of_arrays: ${bytes} bytes")
if(bytes GREATER 500000)
  message(FATAL_ERROR "The object of map_of_arrays has ${bytes} bytes with -O2; 500000 are allowed")
endif()
