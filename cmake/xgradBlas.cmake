# Defines xgrad::blas, what xgrad::linalg stands on: the headers of xtensor-blas with a BLAS and LAPACK library where there
# is one, or else (or by XGRAD_USE_FLENS) xtensor-blas' own products, which need no library. Shared by the build and the
# installed package. The headers are searched for by name: xtensor-blas' own package file stops where there is no BLAS.
option(XGRAD_USE_FLENS "Multiply matrices without a BLAS library" OFF)
find_path(XGRAD_XTENSOR_BLAS_INCLUDE_DIR xtensor-blas/xblas.hpp)
mark_as_advanced(XGRAD_XTENSOR_BLAS_INCLUDE_DIR)
if(XGRAD_XTENSOR_BLAS_INCLUDE_DIR AND NOT TARGET xgrad::blas)
  add_library(xgrad::blas INTERFACE IMPORTED GLOBAL)
  target_include_directories(xgrad::blas INTERFACE ${XGRAD_XTENSOR_BLAS_INCLUDE_DIR})
  if(NOT XGRAD_USE_FLENS)
    find_package(BLAS QUIET)
    find_package(LAPACK QUIET)
  endif()
  if(BLAS_FOUND AND LAPACK_FOUND AND NOT XGRAD_USE_FLENS)
    target_link_libraries(xgrad::blas INTERFACE LAPACK::LAPACK BLAS::BLAS)
  else()
    target_compile_definitions(xgrad::blas INTERFACE XTENSOR_USE_FLENS_BLAS)
  endif()
endif()
