# A program compiles with all that the compiler's sanitizer of undefined behaviour checks, its addresses in constant expressions, too.
execute_process(COMMAND ${CXX} ${CXX_ARGUMENTS} -O0 -w -fsanitize=undefined -fsyntax-only ${ROOT}/examples/hello.cpp
  RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "examples/hello.cpp does not compile with -fsanitize=undefined")
endif()
