// options: -fopenmp
// Every executor, a program's own among them, and those of oneTBB inside of its own tasks.
#include <oneapi/tbb/parallel_for.h>

#include <test/parallel/check_executor.hpp>
#include <xgrad/tbb.hpp>

BOOST_AUTO_TEST_CASE(own_threads_give_the_same_bits) {
    check_executor(own_threads{3});
    check_executor(own_threads{8}, (repetitions() + 9) / 10);
}
BOOST_AUTO_TEST_CASE(openmp_gives_the_same_bits) {
    check_executor(xgrad::openmp_threads{});
    check_executor(xgrad::openmp_threads{3});
}
BOOST_AUTO_TEST_CASE(tbb_gives_the_same_bits) {
    check_executor(xgrad::serial{}, 1);
    check_executor(xgrad::tbb_threads{});
    check_executor(xgrad::tbb_threads{3});
}

BOOST_AUTO_TEST_CASE(sums_in_tasks_of_the_programs_own) {
    vector const x{0.3, 0.7, -0.4};
    auto f = [](auto const& v) {
        return xgrad::parallel_sum(xgrad::tbb_threads{}, 300, [](std::size_t i, auto const& u) -> xgrad::real {
            double more = 0;  // work of oneTBB inside of an item
            tbb::parallel_for(0, 2, [&](int k) { if (k == 0) more = 0.01 * static_cast<double>(i); });
            return sin(u(0) * more) * u(1);
        }, v);
    };
    auto const expected = std::get<0>(xgrad::gradient(f, x));
    std::vector<vector> found(8);
    tbb::parallel_for(std::size_t(0), found.size(), [&](std::size_t i) { found[i] = std::get<0>(xgrad::gradient(f, x)); });
    for (auto const& g : found) BOOST_TEST((g == expected));
}
