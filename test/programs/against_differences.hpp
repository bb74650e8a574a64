// Defines agree and XGRAD_BOTH_MODES: a program's value and gradient, by every verb, against central differences of its plain version.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

// A program's body once with an auto result and once with a declared one. In both it sees what stands around it.
#define XGRAD_BOTH_MODES(PARAMETERS, ...) \
    std::pair { [&] PARAMETERS { __VA_ARGS__ }, [&] PARAMETERS -> xgrad::real { __VA_ARGS__ } }

namespace programs {

// Whether every operation of a family is tested with every kind of operand, or one of them is, and the others with a few kinds.
#if defined(XGRAD_TEST_FULL)
inline constexpr bool every_product = true;
#else
inline constexpr bool every_product = false;
#endif

// One number inside an argument or a tangent.
struct number_in {
    double* d;
    float* f;
    double get() const { return d ? *d : static_cast<double>(*f); }
    void set(double v) const {
        if (d) *d = v;
        else *f = static_cast<float>(v);
    }
};

template <class T>
void collect([[maybe_unused]] T& t, [[maybe_unused]] std::vector<number_in>& r) {
    if constexpr (std::is_same_v<T, double>) r.push_back({&t, nullptr});
    else if constexpr (std::is_same_v<T, float>) r.push_back({nullptr, &t});
    else if constexpr (xgrad::differentiable<T>) xgrad::parts<T>::each([&](auto& part) { collect(part, r); }, t);
}

template <class X>
inline constexpr bool is_constant = false;
template <class P>
inline constexpr bool is_constant<xgrad::constant_argument<P>> = true;

template <class X, class T>
void collect_argument([[maybe_unused]] T& t, [[maybe_unused]] std::vector<number_in>& r) {
    if constexpr (!is_constant<X>) collect(t, r);
}

// The plain version is computed in double, whatever the argument's type.
template <class X>
X widened(X const& x) { return x; }
inline double widened(float x) { return static_cast<double>(x); }
template <std::size_t N, xt::layout_type L>
xt::xtensor<double, N, L> widened(xt::xtensor<float, N, L> const& x) { return xt::cast<double>(x); }
template <class P>
auto widened(xgrad::constant_argument<P> const& x) { return widened(x.value); }

// Memory that nobody has written yet holds this: a program that reads it is caught.
inline void soil(xgrad::workspace& w) {
    for (std::size_t bytes : {std::size_t{12000}, std::size_t{12000}, std::size_t{24000}}) std::memset(w.get().memory.take(bytes), 0x7f, bytes);
    w.get().memory.reset();
}

inline bool close(double found, double expected, double scale, double tolerance) {
    return std::abs(found - expected) <= tolerance * (std::abs(expected) + std::max(1.0, std::abs(scale)));
}
inline void check_value(char const* verb, double found, double expected, double tolerance) {
    BOOST_CHECK_MESSAGE(close(found, expected, 0.0, tolerance), verb << ": the value is " << found << ", the plain version gives " << expected);
}
inline void check_gradient(char const* verb, std::vector<number_in> const& found, std::vector<double> const& expected, double times, double scale,
                           double tolerance) {
    BOOST_REQUIRE_EQUAL(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        BOOST_CHECK_MESSAGE(close(found[i].get(), times * expected[i], scale, times * tolerance),
                            verb << ": derivative " << i << " is " << found[i].get() << ", the differences say " << times * expected[i]);
}
inline std::vector<double> central_differences(std::function<double()> const& f, std::vector<number_in> const& at) {
    std::vector<double> r;
    for (auto const& n : at) {
        double const v = n.get(), h = 6e-6 * std::max(1.0, std::abs(v));
        n.set(v + h);
        double const above = f();
        n.set(v - h);
        double const below = f();
        n.set(v);
        r.push_back((above - below) / (2 * h));
    }
    return r;
}

template <class... T>
std::vector<number_in> numbers_of(std::tuple<T...>& t) {
    std::vector<number_in> r;
    std::apply([&](auto&... a) { (collect(a, r), ...); }, t);
    return r;
}

// f(x...) of active values has the value of plain(x...) and the gradient that its central differences say; the workspace is left empty.
template <class F, class P, class... X>
void agree(F const& f, P const& plain, X const&... x) {
    using call_type = xgrad::detail::call_of<F const, X...>;
    using gradient_type = std::tuple<xgrad::gradient_type_t<X>...>;
    constexpr bool has_float = std::is_same_v<typename call_type::value_type, float> || (... || !std::is_same_v<X, decltype(widened(x))>);
    double const value_tolerance = has_float ? 1e-5 : 1e-12, tolerance = has_float ? 1e-4 : 1e-7;

    auto arguments = std::make_tuple(widened(x)...);
    std::vector<number_in> at;
    std::apply([&](auto&... a) { (collect_argument<X>(a, at), ...); }, arguments);
    double const expected = std::apply(plain, arguments);
    auto const differences = central_differences([&] { return std::apply(plain, arguments); }, at);

    struct verb {
        char const* name;
        bool reverse;
        xgrad::gradient_memory memory;
        double times;
    };
    using enum xgrad::gradient_memory;
    gradient_type gradient;
    xgrad::workspace w;
    soil(w);
    call_type call;
    for (auto const& v :
         {verb{"gradient", true, own, 1}, verb{"gradient again", true, own, 1}, verb{"value", false, own, 1}, verb{"add_gradient", true, add, 2}}) {
        auto const value = v.reverse ? call.run(f, w, x..., &gradient, v.memory) : xgrad::call_for_value(f, w, x...);
        BOOST_CHECK_EQUAL(w.get().live, 0u);
        check_value(v.name, static_cast<double>(value), expected, value_tolerance);
        check_gradient(v.name, numbers_of(gradient), differences, v.times, expected, tolerance);
    }
}

template <class F, class G, class P, class... X>
void agree(std::pair<F, G> const& both, P const& plain, X const&... x) {
    {
        BOOST_TEST_CONTEXT("in default mode") agree(both.first, plain, x...);
    }
    {
        BOOST_TEST_CONTEXT("in scoped mode") agree(both.second, plain, x...);
    }
}

}
