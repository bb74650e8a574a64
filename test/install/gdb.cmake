# gdb shows active values by their numbers and tangents by their fields, with the installed printers.
find_program(gdb gdb)
if(NOT gdb)
  message("Skipped: there is no gdb")
  return()
endif()
file(MAKE_DIRECTORY ${SCRATCH})
list(FILTER CXX_ARGUMENTS EXCLUDE REGEX "^-fsanitize")
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -w -O0 -g ${ROOT}/test/install/debugged.cpp -o ${SCRATCH}/debugged RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "debugged.cpp does not compile")
endif()
file(WRITE ${SCRATCH}/commands "set pagination off
set width 0
set disable-randomization off
source ${PREFIX}/share/xgrad/gdb/xgrad_printers.py
break stop
run
up
info args
info locals
continue
up
info args
info locals
continue
up
info locals
print/r derivative
kill
")
execute_process(COMMAND ${gdb} -nx -q -batch -x ${SCRATCH}/commands ${SCRATCH}/debugged RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(errors MATCHES "[Pp]trace|Python scripting is not supported|not being run")
  message("Skipped: gdb may not run a program here, or has no Python: ${errors}")
  return()
endif()
set(sentences
  "f = active of line = {slope = argument (2, 2) {{1, 2}, {4, 5}}, cotangent none yet"
  "offset = argument 3, cotangent none yet, name = "
  "bias = argument (2,) {1.5, 2.5}, cotangent "
  "x = argument (2,) {4, 5}, cotangent none yet"
  "s = argument 2, cotangent none yet"
  "product = formula times = (2, 2) {{4, 10}, {16, 25}}, cotangent none yet, owed 1"
  "total = formula times = 165, cotangent none yet, owed "
  "moved = formula times, moved from"
  "moved_to = formula times, not evaluated"
  "running = variable "
  "row = part (2,) {1, 2}"
  "element = part 4"
  "fused = formula times, not evaluated"
  "a = argument 2, cotangent none yet"
  "b = formula times = 4, cotangent none yet, owed 2"
  "c = formula plus = 8, cotangent none yet"
  "p = argument (2, 1) {{3}, {4}}, cotangent none yet"
  "q = formula times = (2, 1) {{9}, {16}}, cotangent none yet, owed 1"
  "r = formula plus = (2, 1) {{12}, {20}}, cotangent none yet, owed 1"
  "t = formula sum, not evaluated"
  "f = {slope = (2, 2) {{1, 2}, {4, 5}}, offset = 3, name = \"first\", bias = (2,) {1.5, 2.5}}"
  "gradient = std::tuple containing = {[1] = tangent of line = {slope = (2, 2) {{37, 46}, {37, 45}}, offset = 171, name = none, bias = (2,) {1, 1}}, "
  "bias = (2,) {1, 1}}, [2] = (2,) {45, 63}, [3] = 1}"
  "slopes = (2, 2) {{37, 46}, {37, 45}}"
  "large = (4, 5, 6) {1, 1, 1, 1, 1, 1, ...}"
  "empty = (0,)")
foreach(sentence IN LISTS sentences)
  string(FIND "${output}" "${sentence}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "gdb does not print: ${sentence}")
    set(wrong TRUE)
  endif()
endforeach()
if(wrong OR errors MATCHES "Python Exception")
  message("${output}${errors}")
  message(FATAL_ERROR "the printers do not print what they should")
endif()
