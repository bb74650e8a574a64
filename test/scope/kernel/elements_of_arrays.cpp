// Arrays of a number type of the user's: kernels, reductions, views and slots are the same for it, one element at a time.
#include "elements.hpp"

using namespace elements;

BOOST_AUTO_TEST_CASE(duals_in_arrays) {
    static_assert(xgrad::lanes<dual> == 1);
    arrays([](auto const& x, auto const& y) {
        auto h = tanh(x * y) + y;
        auto s = sum(h * h, 0);
        auto m = mean(x);
        return sum(exp(s) * y) * m + h(1, 2) * 2.0;
    });
    // plain arrays of doubles are constants
    xt::xtensor<double, 1> const k{1, 2, 3};
    arrays([&](auto const& x, auto const& y) { auto h = x * k; auto q = h * h - k; return sum(q * y); });
}

BOOST_AUTO_TEST_CASE(duals_in_parts_of_arrays) {
    arrays([](auto const& x, auto const& y) {
        auto h = x * y;
        auto t = transpose(view(h, xt::all(), xt::range(0, 2)));
        return sum(sin(t) * view(x, xt::all(), xt::range(1, 3))) + h(1, 2) * y(0);
    });
    arrays([](auto const& x, auto const& y) {
        auto m = maximum(x, y * 0.3) / (1.0 + y);
        auto s = sum(m, 1, xt::keep_dims);
        auto p = pow(y, 3.0) - minimum(y, 1.0);
        return mean(s * p) + sum(m / sum(m));
    });
}

BOOST_AUTO_TEST_CASE(duals_in_arrays_that_are_moved_and_dead) {
    arrays([](auto const& x, auto const& y) {
        auto h = exp(x) * y;
        auto k = h * h;
        auto dead = sqrt(h - h);
        auto c = std::move(h);
        auto q = k + std::move(c) * 2.0;
        (void)dead;
        return sum(std::move(q));
    });
}

BOOST_AUTO_TEST_CASE(duals_in_arrays_of_scoped_functions) {
#define PROGRAM \
    []<class X, class Y>(X const& x, Y const& y) -> xgrad::result<typename X::value_type> { \
        auto h = tanh(x * y); \
        auto s = sum(h * h, 0); \
        auto m = mean(h); \
        auto e = m * y(1); \
        auto t = sum(s * y) * e; \
        auto c = e; \
        return t * c + h(0, 2); \
    }
    arrays<xgrad::scoped>(PROGRAM);
    arrays<xgrad::unchecked>(PROGRAM);
#undef PROGRAM
}

BOOST_AUTO_TEST_CASE(duals_in_arrays_of_helpers) {
    arrays([](auto const& x, auto const& y) {
        auto helper = [](auto const& u) {
            auto t = sin(u);
            return t * t * u;
        };
        auto h = helper(x * y);
        auto c = h;
        return sum(helper(c) + std::move(h));
    });
}

BOOST_AUTO_TEST_CASE(variables_of_arrays_of_duals) {
    arrays([](auto const& x, auto const& y) { xgrad::variable s = x * y; s = s * x + y; return sum(s * s); });
}
