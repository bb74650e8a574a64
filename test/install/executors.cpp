// A sum on the threads of oneTBB, by the target xgrad::parallel alone.
#include <xgrad/parallel.hpp>
#include <xgrad/tbb.hpp>
#include <xgrad/xgrad.hpp>

int main() {
    auto f = [](auto const& x) {
        return xgrad::parallel_sum(xgrad::tbb_threads{}, 100, [](std::size_t i, auto const& y) -> xgrad::real { return y * static_cast<double>(i); }, x);
    };
    return std::get<0>(xgrad::gradient(f, 2.0)) == 4950.0 ? 0 : 1;
}
