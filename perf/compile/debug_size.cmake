# A debug build of the bundle-adjustment residual's gradient is an object of 5 MB at most.

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
foreach(case IN ITEMS bundle_adjustment scoped_bundle_adjustment)
  execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -I${ROOT} -DRESIDUAL=${case} -g -O0 -c ${ROOT}/perf/compile/residual.cpp -o ${SCRATCH}/${case}.o
    COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE ${SCRATCH}/${case}.o bytes)
  message(STATUS "${case}: ${bytes} bytes")
  if(bytes GREATER 5000000)
    message(SEND_ERROR "The object of ${case} has ${bytes} bytes with -g -O0; 5000000 are allowed")
  endif()
endforeach()
