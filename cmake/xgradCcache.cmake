# The same compile twice costs nothing where ccache is there, not even in a clean checkout beside a warm one: paths below the project's folder
# count as relative. (clang's precompiled headers name their folder; with clang it is another build in the same folder that costs nothing.)
if(NOT PROJECT_IS_TOP_LEVEL OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER OR DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
  return()
endif()
find_program(XGRAD_CCACHE ccache DOC "The program that keeps what the compiler has made")
mark_as_advanced(XGRAD_CCACHE)
if(XGRAD_CCACHE)
  # A header is known by its text, not by its date, and none holds the time of day.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${XGRAD_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-Xclang -fno-pch-timestamp)
  else()
    add_compile_options(-fpch-preprocess)
  endif()
endif()
