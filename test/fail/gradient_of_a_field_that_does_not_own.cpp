// error: xgrad[E038]: gradient\(f, x...\) requires arguments that own what they refer to
#include <xgrad/xgrad.hpp>

#include <optional>
#include <span>
#include <vector>

struct owner {
    std::vector<double> data;
    std::span<int const> counts;
};
XGRAD_REFLECT(owner, data, counts)
struct borrower {
    std::optional<std::span<double const>> data;
};
XGRAD_REFLECT(borrower, data)

int main() {
    auto const first = [](auto const& x) { return x.data[0]; };
    std::vector<double> const data{1, 2};
    (void)xgrad::gradient(first, owner{data, {}});
#ifdef XGRAD_MUST_FAIL
    auto const first_if_there = [](auto const& x) { return (*x[0].data)[0]; };
    (void)xgrad::value_and_gradient(first_if_there, std::vector<borrower>{{data}});
#endif
}
