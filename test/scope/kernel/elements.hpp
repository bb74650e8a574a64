// Defines toy::dual, a number type of the user's, and scalars and arrays: a program over duals against differences of its gradients over doubles.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace toy {

// v + d e, e e = 0.
struct dual {
    double v = 0, d = 0;
    dual() = default;
    explicit dual(double a, double b = 0) : v(a), d(b) {}
    friend dual operator+(dual a, dual b) { return dual(a.v + b.v, a.d + b.d); }
    friend dual operator-(dual a, dual b) { return dual(a.v - b.v, a.d - b.d); }
    friend dual operator-(dual a) { return dual(-a.v, -a.d); }
    friend dual operator*(dual a, dual b) { return dual(a.v * b.v, a.d * b.v + a.v * b.d); }
    friend dual operator/(dual a, dual b) { return dual(a.v / b.v, (a.d - a.v / b.v * b.d) / b.v); }
    friend bool operator<(dual a, dual b) { return a.v < b.v; }
    friend bool operator==(dual a, dual b) { return a.v == b.v; }
    friend dual exp(dual a) { return dual(std::exp(a.v), std::exp(a.v) * a.d); }
    friend dual log(dual a) { return dual(std::log(a.v), a.d / a.v); }
    friend dual sqrt(dual a) { return dual(std::sqrt(a.v), a.d / (2 * std::sqrt(a.v))); }
    friend dual sin(dual a) { return dual(std::sin(a.v), std::cos(a.v) * a.d); }
    friend dual cos(dual a) { return dual(std::cos(a.v), -std::sin(a.v) * a.d); }
    friend dual tanh(dual a) { return dual(std::tanh(a.v), (1 - std::tanh(a.v) * std::tanh(a.v)) * a.d); }
    friend dual abs(dual a) { return a.v < 0 ? -a : a; }
    friend dual pow(dual a, dual b) { return exp(b * log(a)); }
};

}

namespace elements {

using toy::dual;
using xgrad::input, xgrad::rank_c;

// One argument of a call over elements T, bound by hand.
template <class T, class R>
struct argument {
    xgrad::slot<T, R> s;
    void bind(xgrad::context& c, T const& x) { s.owner = &c, s.value = x, s.cotangent = T(0.0), s.has_cotangent = false; }
    template <std::size_t N>
    void bind(xgrad::context& c, std::array<T, N>& x, std::array<T, N>& xbar) {
        s.owner = &c;
        s.value = x.data();
        s.cotangent = xbar.data();
        if constexpr (R::value == 1) s.shape = {{N}};
        else s.shape = {{2, N / 2}};
        s.stride = xgrad::row_major_strides(s.shape);
        s.size = N;
        s.has_cotangent = false;
    }
    template <class M>
    input<T, R, M> handle() { return input<T, R, M>(&s); }
};

// Runs f and pulls its result with 1; gives the value.
template <class T, class F, class... H>
T run(xgrad::workspace& w, F const& f, H... h) {
    xgrad::context& c = w.get();
    T value;
    {
        auto&& r = f(h...);
        if constexpr (xgrad::declared_result<decltype(r)>) value = r.value();
        else value = xgrad::detail::deliver(static_cast<decltype(r)>(r), &c, T(1.0));
    }
    BOOST_CHECK_EQUAL(c.live, 0u);
    return value;
}

struct backward_call {
    xgrad::workspace w;
    xgrad::context* const outer = std::exchange(xgrad::running_call, &w.get());
    backward_call() { w.get().begin(true); }
    ~backward_call() { xgrad::running_call = outer; }
    backward_call(backward_call const&) = delete;
};

// Forward over reverse: the d of value and gradient against differences of the values and gradients of doubles along (u, w).
// In the scoped modes f has a declared result.
template <class M, class F>
void scalars(F const& f) {
    double const x = 0.7, y = 1.3, u = 0.4, w = -0.6, h = 1e-5;
    backward_call call;
    argument<dual, rank_c<0>> a, b;
    a.bind(call.w.get(), dual(x, u));
    b.bind(call.w.get(), dual(y, w));
    dual const value = run<dual>(call.w, f, a.template handle<M>(), b.template handle<M>());
    auto const at = [&](double t) { return xgrad::value_and_gradient(f, x + t * u, y + t * w); };
    auto const [v, g] = at(0);
    auto const above = at(h), below = at(-h);
    BOOST_CHECK_CLOSE(value.v, v, 1e-10);
    BOOST_CHECK_CLOSE(value.d, (above.value - below.value) / (2 * h), 1e-6);
    BOOST_CHECK_CLOSE(a.s.cotangent.v, std::get<0>(g), 1e-10);
    BOOST_CHECK_CLOSE(b.s.cotangent.v, std::get<1>(g), 1e-10);
    BOOST_CHECK_CLOSE(a.s.cotangent.d, (std::get<0>(above.gradient) - std::get<0>(below.gradient)) / (2 * h), 1e-6);
    BOOST_CHECK_CLOSE(b.s.cotangent.d, (std::get<1>(above.gradient) - std::get<1>(below.gradient)) / (2 * h), 1e-6);
}

// The same with a matrix (2, 3) and a vector of 3.
template <class M = xgrad::counted, class F>
void arrays(F const& f) {
    constexpr std::size_t n = 6;
    double const h = 1e-5;
    std::array<dual, n> x, xbar;
    std::array<dual, 3> y, ybar;
    xt::xtensor<double, 2> px = xt::zeros<double>({2, 3}), du = px;
    xt::xtensor<double, 1> py = xt::zeros<double>({3}), dw = py;
    for (std::size_t i = 0; i < n; ++i) x[i] = dual(px.flat(i) = 0.2 + 0.1 * double(i), du.flat(i) = 0.5 - 0.2 * double(i));
    for (std::size_t i = 0; i < 3; ++i) y[i] = dual(py(i) = 1.2 - 0.3 * double(i), dw(i) = 0.1 + 0.2 * double(i));
    backward_call call;
    argument<dual, rank_c<2>> a;
    argument<dual, rank_c<1>> b;
    a.bind(call.w.get(), x, xbar);
    b.bind(call.w.get(), y, ybar);
    dual const value = run<dual>(call.w, f, a.template handle<M>(), b.template handle<M>());
    auto const at = [&](double t) { return xgrad::value_and_gradient(f, xt::xtensor<double, 2>(px + t * du), xt::xtensor<double, 1>(py + t * dw)); };
    auto const [v, g] = at(0);
    auto const above = at(h), below = at(-h);
    BOOST_CHECK_CLOSE(value.v, v, 1e-10);
    BOOST_CHECK_CLOSE(value.d, (above.value - below.value) / (2 * h), 1e-5);
    for (std::size_t i = 0; i < n; ++i) {
        BOOST_CHECK_CLOSE(xbar[i].v, std::get<0>(g).flat(i), 1e-10);
        BOOST_CHECK_CLOSE(xbar[i].d, (std::get<0>(above.gradient).flat(i) - std::get<0>(below.gradient).flat(i)) / (2 * h), 1e-4);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        BOOST_CHECK_CLOSE(ybar[i].v, std::get<1>(g)(i), 1e-10);
        BOOST_CHECK_CLOSE(ybar[i].d, (std::get<1>(above.gradient)(i) - std::get<1>(below.gradient)(i)) / (2 * h), 1e-4);
    }
}

}
