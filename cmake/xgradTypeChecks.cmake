# xgrad_add_type_checks(PREFIX FILES file... [LINK target...] [OPTIONS option...]) adds ctests that only compile.
#
# A file of static_asserts is one test, PREFIX/file: it must compile.
# A file whose first line is `// error: REGEX` is a refusal, two tests: PREFIX/file.control, that it compiles as it is, and
# PREFIX/file, that it does not with XGRAD_MUST_FAIL defined, and that REGEX is met in the compiler's first error, early. The
# wrong line stands between `#ifdef XGRAD_MUST_FAIL` and `#endif`; `xgrad[E012]` in REGEX means itself.
#
# The tests share nothing and run in parallel. This file is also the script that runs each of them.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  include_guard(GLOBAL)

  # The compiler's arguments for a source of TARGET, as generator expressions.
  function(xgrad_compile_arguments out target)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
    set(arguments ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} ${flags})
    foreach(kind IN ITEMS -I:INCLUDE_DIRECTORIES -D:COMPILE_DEFINITIONS :COMPILE_OPTIONS)
      string(REGEX MATCH "^(.*):(.*)$" kind ${kind})
      set(values "$<TARGET_PROPERTY:${target},${CMAKE_MATCH_2}>")
      list(APPEND arguments "$<$<BOOL:${values}>:${CMAKE_MATCH_1}$<JOIN:${values},;${CMAKE_MATCH_1}>>")
    endforeach()
    set(${out} "${arguments}" PARENT_SCOPE)
  endfunction()

  function(xgrad_add_type_checks prefix)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;LINK;OPTIONS")
    # Never built: it lends its flags to the tests, and its commands to editors.
    add_library(${prefix}.type_checks OBJECT EXCLUDE_FROM_ALL ${arg_FILES})
    target_link_libraries(${prefix}.type_checks PRIVATE xgrad::xgrad ${arg_LINK})
    # Without carets: the quoted source could match, and it pushes the sentence down.
    target_compile_options(${prefix}.type_checks PRIVATE ${arg_OPTIONS}
      $<IF:$<CXX_COMPILER_ID:GNU>,-fno-diagnostics-show-caret,-fno-caret-diagnostics>)
    xgrad_compile_arguments(arguments ${prefix}.type_checks)
    foreach(file IN LISTS arg_FILES)
      cmake_path(ABSOLUTE_PATH file)
      cmake_path(GET file STEM LAST_ONLY stem)
      file(STRINGS ${file} refusal LIMIT_COUNT 1 REGEX "^// error: ")
      set(expectations compiles)
      if(refusal)
        set(expectations compiles refused)
      endif()
      foreach(expectation IN LISTS expectations)
        set(name ${prefix}/${stem})
        if(refusal AND expectation STREQUAL compiles)
          string(APPEND name .control)
        endif()
        add_test(NAME ${name} COMMAND_EXPAND_LISTS COMMAND ${CMAKE_COMMAND} -DEXPECT=${expectation} -DFILE=${file}
          -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE} -- ${CMAKE_CXX_COMPILER} "${arguments}")
        set_tests_properties(${name} PROPERTIES LABELS ${prefix} TIMEOUT 300)
      endforeach()
    endforeach()
  endfunction()
  return()
endif()

math(EXPR last "${CMAKE_ARGC} - 1")
set(command)
foreach(i RANGE ${last})
  if(DEFINED command_begins)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(command_begins TRUE)
  endif()
endforeach()
list(APPEND command -w -fsyntax-only -fdiagnostics-color=never)
if(EXPECT STREQUAL "refused")
  list(APPEND command -DXGRAD_MUST_FAIL)
endif()
set(ENV{LC_ALL} C)
execute_process(COMMAND ${command} ${FILE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(EXPECT STREQUAL "compiles")
  if(NOT status EQUAL 0)
    message("${output}")
    message(FATAL_ERROR "${FILE} does not compile")
  endif()
  return()
endif()

file(STRINGS ${FILE} expected LIMIT_COUNT 1)
string(REGEX REPLACE "^// error: " "" expected "${expected}")
string(REGEX REPLACE "xgrad\\[(E[0-9]+)]" "xgrad\\\\[\\1]" regex "${expected}")
set(early 60)
if(status EQUAL 0)
  message(FATAL_ERROR "${FILE} compiles with XGRAD_MUST_FAIL, and must be refused with: ${expected}")
endif()
if(NOT output MATCHES "${regex}")
  message("${output}")
  message(FATAL_ERROR "${FILE} is refused, but not with: ${expected}")
endif()
set(sentence "${CMAKE_MATCH_0}")
string(FIND "${output}" "${sentence}" position)
string(SUBSTRING "${output}" 0 ${position} before)
string(REGEX MATCHALL "error: " errors "${before}")
list(LENGTH errors errors)
string(REGEX REPLACE "[^\n]" "" before "${before}")
string(LENGTH "${before}" line)
if(errors GREATER 1 OR line GREATER_EQUAL early)
  message("${output}")
  math(EXPR line "${line} + 1")
  message(FATAL_ERROR "${FILE} is refused with the sentence, but too late: it is on line ${line} and in error ${errors}; \
it must be in the first error, by line ${early}")
endif()
message("${sentence}")
