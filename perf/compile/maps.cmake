# The optimised object of a map whose function is on arrays, or has a loop, has so many bytes at most, on which the time goes that its compilation takes: for
# one processor on all machines, as the same program is a third larger for some.
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
execute_process(COMMAND ${CXX} -dumpmachine OUTPUT_VARIABLE machine COMMAND_ERROR_IS_FATAL ANY)
if(machine MATCHES "^x86_64")
  set(processor -march=x86-64-v3)
endif()
foreach(object IN ITEMS "map_of_arrays 500000" "map_of_loops 300000" "map_of_while 330000")
  separate_arguments(object)
  list(POP_FRONT object name allowed)
  execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} ${processor} -I${ROOT} -g0 -O2 -DNDEBUG -UXGRAD_DETAIL_PLAIN_INLINE
      -c ${ROOT}/perf/compile/${name}.cpp -o ${SCRATCH}/${name}.o
    COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE ${SCRATCH}/${name}.o bytes)
  message(STATUS "${name}: ${bytes} bytes")
  if(bytes GREATER allowed)
    message(FATAL_ERROR "The object of ${name} has ${bytes} bytes with -O2; ${allowed} are allowed")
  endif()
endforeach()
