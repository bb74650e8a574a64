// Second derivatives of operations on whole arrays: products with the Hessian against central differences of the gradient.
#include <cmath>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector const v6{0.3, -1.2, 0.9, 0.7, -0.4, 1.6};

template <class F>
void check(char const* name, F f, vector const& x = v6) {
    for (std::size_t j = 0; j < x.size(); ++j) {
        double const step = 1e-5;
        vector above = x, below = x, along = xt::zeros_like(x);
        along(j) = 1;
        vector const column = std::get<0>(xgrad::hvp(f, x, along).product);
        above(j) += step;
        below(j) -= step;
        vector const a = std::get<0>(xgrad::gradient(f, above)), b = std::get<0>(xgrad::gradient(f, below));
        for (std::size_t i = 0; i < x.size(); ++i) {
            double const expected = (a(i) - b(i)) / (2 * step);
            BOOST_CHECK_MESSAGE(std::abs(column(i) - expected) < 1e-6 * (1 + std::abs(expected)),
                                name << ": second derivative (" << i << ", " << j << ") is " << column(i) << ", the differences say " << expected);
        }
    }
}
#define CHECK(...) check(#__VA_ARGS__, [](auto const& x) { return __VA_ARGS__; })

}

BOOST_AUTO_TEST_CASE(reductions) {
    CHECK(prod(x) * 2.0);
    CHECK(sum(prod(reshape(x, {2, 3}), {1}) * amax(reshape(x, {3, 2}), {0})(0)));
    CHECK(variance(x * x) + stddev(x, 1));
    CHECK(logsumexp(x * 2.0) * amin(x));
    CHECK(norm_l2(x * x) + norm_lp(x, 3.0) + norm_linf(x) * norm_l1(x) + norm_l0(x) * norm_sq(x));
    CHECK(trapz(x * x, 0.5) * trapz(x));
    // one zero: the product of the others has a second derivative
    check("prod of a zero", [](auto const& x) { return prod(x); }, {2.0, 0.0, 5.0});
}
BOOST_AUTO_TEST_CASE(lines) {
    CHECK(sum(square(cumsum(x * x))) + sum(cumprod(x)));
    CHECK(sum(square(diff(x * x, 2))));
    CHECK(sum(square(softmax(x))) + sum(log_softmax(reshape(x, {2, 3}) * x(0), 0) * reshape(x, {2, 3})));
    CHECK(sum(sort(x * x) * x) + median(x) * median(x));
}
BOOST_AUTO_TEST_CASE(choices_and_shapes) {
    CHECK(sum(where(x > 0.0, x * x * x, exp(x))) + sum(square(clip(x, -1.0, 1.0))));
    CHECK(sum(square(concatenate(xt::xtuple(x * x, x))) * 2.0) + sum(prod(stack(xt::xtuple(x, x * x)), {0})));
    CHECK(sum(roll(x, 2, 0) * x * x) + sum(square(pad(x, 2, {}, 0.5))) + sum(tile(x, 2) * repeat(x, 2, 0)));
    CHECK(sum(broadcast(x, {2, 6}) * broadcast(expand_dims(x, 1), {6, 2})(0, 1)) + sum(flip(x) * square(x)));
    CHECK(sum(square(diag(x)) * tril(expand_dims(x, 1) * x)) + sum(square(diagonal(reshape(x, {2, 3})))));
}
BOOST_AUTO_TEST_CASE(indices) {
    CHECK(sum(square(take(x, {0, 0, 3})) * x(1)) + sum(square(index_view(x * x, std::vector<std::size_t>{5, 1}))));
    CHECK(sum(square(scatter_add(x, {1, 1}, view(x, xt::range(0, 2)) * x(5)))));
    CHECK(sum(square(filter(x * x, x > 0.0))) + sum(view(x, xt::keep(0, 2)) * view(x, xt::keep(2, 4)) * x(0)));
}
