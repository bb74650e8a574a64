// error: xgrad[E062]
#include <xgrad/xgrad.hpp>

struct first_op {};
template <>
struct xgrad::line_rule<first_op> {
    static constexpr bool reduces = true;
    template <class T>
    static T value(first_op, line<T const> const& x) { return x[0]; }
    template <class T>
    static void pullback(first_op, line<T> const& xbar, bool add, T const& ybar, T const&, line<T const> const&) {
        for (std::size_t k = 0; k < xbar.size(); ++k) xbar.give(k, k == 0 ? ybar : T(0), add);
    }
};
auto good = [](auto const& x) { return xgrad::reduce_with(first_op{}, x); };
auto bad = [](auto const& x) { return xgrad::reduce_with(first_op{}, sum(x)); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
