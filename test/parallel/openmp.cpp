// options: -fopenmp
// The executor of OpenMP.
#include <test/parallel/check_executor.hpp>

BOOST_AUTO_TEST_CASE(openmp_gives_the_same_bits) {
    check_executor(xgrad::openmp_threads{});
    check_executor(xgrad::openmp_threads{3});
}
