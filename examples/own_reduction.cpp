// A reduction of one's own: the root of the mean square, whose derivative is 0 at 0, where that of sqrt(mean(x * x)) is not a number.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include <xgrad/check_rule.hpp>
#include <xgrad/xgrad.hpp>

struct rms_op {
    static constexpr char const* name = "rms(x)";
};

// The rule is about one line of elements; which lines there are, and how they lie in memory, is xgrad's business. T is a number or a dual, or a pack
// of them: then each lane has a line of its own.
template <>
struct xgrad::line_rule<rms_op> {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = true;
    static void check(rms_op, std::size_t n) {
        if (n == 0) throw std::invalid_argument("rms(x) requires an element");
    }
    template <class T>
    static T value(rms_op, line<T const> const& x) {
        T const squares = fold(x, T(0), [](auto const& v) { return v * v; }, [](auto const& a, auto const& b) { return a + b; });
        return op::sqrt{}(squares / literal(squares, static_cast<double>(x.size())));
    }
    // x̄[k] = ȳ x[k] / (n y)
    template <class T>
    static void pullback(rms_op, line<T> const& xbar, bool add, T const& ybar, T const& y, line<T const> const& x) {
        T const c = choose(y == T(0), T(0), T(ybar / (y * literal(y, static_cast<double>(x.size())))));
        transform(xbar, add, [&](auto const& v) { return v * like(v, c); }, x);
    }
};

// The function: rms(x), rms(x, 1), rms(x, std::array{0, 1}), rms(x, 1, xt::keep_dims).
auto rms = [](auto&& x, auto const&... axes) { return xgrad::reduce_with(rms_op{}, std::forward<decltype(x)>(x), axes...); };

int main() {
    xt::xtensor<double, 2> x{{3.0, 4.0}, {0.0, 0.0}};
    auto ours = [](auto const& a) { return sum(rms(a, 1)); };
    auto naive = [](auto const& a) { return sum(sqrt(mean(a * a, {1}))); };
    auto [y, dy] = xgrad::value_and_gradient(ours, x);
    auto [z, dz] = xgrad::value_and_gradient(naive, x);
    auto const &ours_at = std::get<0>(dy), &naive_at = std::get<0>(dz);
    std::printf("rms of each row, summed: %g; the gradient of the row of zeros: %g by the rule, %g by sqrt(mean(x * x))\n", y, ours_at(1, 0), naive_at(1, 0));

    auto report = xgrad::check_rule(ours, xt::xtensor<double, 2>{{0.3, -0.7, 1.1}, {0.4, 0.2, -0.5}});
    std::puts(report.text().c_str());
    bool const same = std::abs(ours_at(0, 0) - naive_at(0, 0)) < 1e-15 && ours_at(1, 0) == 0;
    bool const plain = rms(x) == 2.5 && rms(x, 1)(0) == std::sqrt(12.5);
    return report && same && plain ? 0 : 1;
}
