# A header defines one idea: it has up to 300 lines, unless its first sentence says that it is a table.
set(most 300)
file(GLOB_RECURSE headers RELATIVE ${ROOT}/include ${ROOT}/include/xgrad/*.hpp)
# Not yet brought to it:
list(FILTER headers EXCLUDE REGEX "^xgrad/scope/")
foreach(header IN LISTS headers)
  file(READ ${ROOT}/include/${header} text)
  string(REGEX MATCHALL "\n" lines "${text}")
  list(LENGTH lines count)
  if(count GREATER most AND NOT text MATCHES "^// [^\n]*\\(a table\\)")
    message(SEND_ERROR "${header} has ${count} lines; ${most} are allowed, but for tables: part it by what it defines")
  endif()
endforeach()
