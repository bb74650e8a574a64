// The element type is a parameter of the engine: a dual number of the user's, found by argument-dependent lookup, and a SIMD batch as a scalar.
#include "elements.hpp"

using namespace elements;

BOOST_AUTO_TEST_CASE(duals_on_scalars) {
#define BODY \
    auto a = sin(x) * y; \
    auto b = a * a + 2.0 * x; \
    auto c = b; \
    return exp(-b / y) * c + tanh(a) * sqrt(y) + log(x + y) + pow(x, y) + square(x) + 3 * cos(y);
    scalars<xgrad::counted>([](auto const& x, auto const& y) { BODY });
    auto declared = []<class X>(X const& x, X const& y) -> xgrad::result<typename X::value_type> { BODY };
    scalars<xgrad::scoped>(declared);
    scalars<xgrad::unchecked>(declared);
#undef BODY
    scalars<xgrad::counted>([](auto const& x, auto const& y) {
        auto a = x * y;
        auto b = abs(a - y) + maximum(x, y) * minimum(x, 2.0);
        return a < y ? b * a : b * b;
    });
    scalars<xgrad::scoped>([]<class X>(X const& x, X const& y) -> xgrad::result<typename X::value_type> {
        auto a = x * y;
        auto b = abs(a - y) + maximum(x, y) * minimum(x, 2.0);
        if (a < y) return b * a;
        return b;
    });
    // a helper's locals are deferred
    scalars<xgrad::counted>([](auto const& x, auto const& y) {
        auto helper = [](auto const& u) {
            auto t = sin(u);
            return t * t * u;
        };
        return helper(x * y) * helper(y);
    });
}

BOOST_AUTO_TEST_CASE(duals_in_declared_results) {
    backward_call call;
    argument<dual, rank_c<0>> a;
    a.bind(call.w.get(), dual(0.7, 1.0));
    auto f = [](auto const& x) -> xgrad::result<dual> { auto s = sin(x); auto t = s * s; return t * x; };
    dual const value = run<dual>(call.w, f, a.handle<xgrad::scoped>());
    double const s = std::sin(0.7), c = std::cos(0.7);
    BOOST_CHECK_CLOSE(value.v, s * s * 0.7, 1e-10);
    BOOST_CHECK_CLOSE(value.d, 2 * s * c * 0.7 + s * s, 1e-10);
    BOOST_CHECK_CLOSE(a.s.cotangent.v, 2 * s * c * 0.7 + s * s, 1e-10);
    BOOST_CHECK_CLOSE(a.s.cotangent.d, 2 * (c * c - s * s) * 0.7 + 4 * s * c, 1e-10);
}

BOOST_AUTO_TEST_CASE(variables_of_duals) {
    scalars<xgrad::counted>([](auto const& x, auto const& y) { xgrad::variable s = x * y; for (int i = 0; i < 3; ++i) s = s * x + y; return s * s; });
}

BOOST_AUTO_TEST_CASE(a_batch_is_a_scalar) {
    using batch = xsimd::batch<double>;
    constexpr std::size_t w = batch::size;
    alignas(64) double lanes[w], found[w], value[w];
    for (std::size_t i = 0; i < w; ++i) lanes[i] = 0.3 + 0.1 * double(i);
    auto f = [](auto const& x) { auto a = exp(x); auto b = a * x - 1.0; return b * a + tanh(b); };
    backward_call call;
    argument<batch, rank_c<0>> a;
    a.bind(call.w.get(), batch::load_aligned(lanes));
    run<batch>(call.w, f, a.handle<xgrad::counted>()).store_aligned(value);
    a.s.cotangent.store_aligned(found);
    for (std::size_t i = 0; i < w; ++i) {
        auto const [v, g] = xgrad::value_and_gradient(f, lanes[i]);
        BOOST_CHECK_CLOSE(value[i], v, 1e-10);
        BOOST_CHECK_CLOSE(found[i], std::get<0>(g), 1e-10);
    }
}
