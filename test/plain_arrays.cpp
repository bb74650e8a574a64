// Functions of plain arrays under the names of xgrad: what each gives alone is what it gives inside of a call.
#include <boost/test/unit_test.hpp>

#include <complex>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
namespace x = xgrad;

vector const line{0.5, -1.25, 2.0, 0.75};
matrix const table{{2.0, 0.5, -1.0}, {0.25, 3.0, 1.5}};

template <class A>
xt::xarray<double> plain(A const& a) {
    if constexpr (std::is_arithmetic_v<A>) return xt::xarray<double>(static_cast<double>(a));
    else return xt::xarray<double>(a);
}
// What f gives of a plain operand, and in a call: numbers, arrays, or several of them.
template <class A, class B>
bool same(A const& a, B const& b) {
    if constexpr (requires { std::tuple_size<A>::value; typename A::value_type; } || !requires { std::tuple_size<A>::value; }) {
        auto const p = plain(a), q = plain(xgrad::primal(b));
        return p.shape() == q.shape() && xt::allclose(p, q, 1e-14, 1e-14);
    } else
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (same(std::get<I>(a), std::get<I>(b)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>());
}
template <class A>
bool same(std::vector<A> const& a, auto const& b) {
    bool all = a.size() == b.size();
    for (std::size_t i = 0; all && i < a.size(); ++i) all = same(a[i], b[i]);
    return all;
}
template <class F, class P>
void check(char const* what, F f, P const& operand) {
    bool agrees = false;
    xgrad::value([&](auto const& a) { return agrees = same(f(operand), f(a)), sum(a); }, operand);
    BOOST_TEST(agrees, what);
}
#define OF(OPERAND, ...) check(#__VA_ARGS__, [](auto const& a) { return __VA_ARGS__; }, OPERAND)

}

BOOST_AUTO_TEST_CASE(reductions) {
    OF(table, x::sum(a, {0})); OF(table, x::prod(a, 1)); OF(table, x::mean(a)()); OF(table, x::nansum(a, 0)); OF(table, x::nanmean(a, 0));
    OF(table, x::average(a, table)); OF(table, x::variance(a, {0})); OF(table, x::stddev(a, {1})); OF(table, x::amax(a, 0)); OF(table, x::amin(a, 1));
    OF(table, x::logsumexp(a)); OF(table, x::logsumexp(a, -1)); OF(table, x::logsumexp(a, {0, 1})); OF(table, x::logsumexp(a, 0, xt::keep_dims));
    OF(line, x::trapz(a)); OF(line, x::trapz(a, line)); OF(table, x::trapz(a, 0.5, 0));
    OF(table, x::norm_l0(a, {0})); OF(table, x::norm_l1(a)); OF(table, x::norm_l2(a, {1})); OF(table, x::norm_l2(a, {1}, xt::keep_dims));
    OF(table, x::norm_sq(a));
    OF(table, x::norm_linf(a, {0})); OF(table, x::norm_lp(a, 3.0, {0})); OF(table, x::norm_lp_to_p(a, 3));
    OF(table, x::cumsum(a, 0)); OF(table, x::cumprod(a, 1)); OF(table, x::diff(a, 1, 0)); OF(table, x::softmax(a, 0)); OF(table, x::log_softmax(a));
    OF(table, x::nanprod(a, 0)); OF(table, x::nanmax(a, 0)); OF(table, x::nanmin(a, 1)); OF(table, x::nancumsum(a, 0)); OF(table, x::nancumprod(a, 1));
    OF(table, x::norm_induced_l1(a)); OF(table, x::norm_induced_linf(a)); OF(table, x::logcumsumexp(a, 0)); OF(line, x::trim_zeros(a));
    OF(table, x::cummax(a)); OF(table, x::cummin(a, 0));
}

BOOST_AUTO_TEST_CASE(shapes_and_indices) {
    OF(table, x::view(a, 0)); OF(table, x::transpose(a)); OF(table, x::reshape(a, {3, 2})); OF(table, x::reshape_view(a, {3, 2})); OF(table, x::flatten(a));
    OF(table, x::squeeze(a)); OF(table, x::expand_dims(a, 1)); OF(table, x::swapaxes(a, 0, 1)); OF(table, x::moveaxis(a, 0, 1)); OF(table, x::flip(a, 0));
    OF(table, x::rot90(a)); OF(table, x::diagonal(a)); OF(table, x::hsplit(a, 3)); OF(table, x::row(a, 1)); OF(table, x::col(a, 1));
    OF(table, x::broadcast(a, {2, 2, 3})); OF(line, x::meshgrid(a, line)); OF(table, x::roll(a, 1)); OF(line, x::tile(a, 2)); OF(table, x::repeat(a, 2, 0));
    OF(table, x::pad(a, 1)); OF(line, tile(a, 2)); OF(table, pad(a, 1, xt::pad_mode::wrap)); OF(line, x::diag(a)); OF(table, x::tril(a)); OF(table, x::triu(a));
    OF(table, x::concatenate(xt::xtuple(a, table))); OF(table, x::stack(xt::xtuple(a, table), 1)); OF(table, x::hstack(xt::xtuple(table, a)));
    OF(line, x::vstack(xt::xtuple(a, line))); OF(table, x::index_view(a, {{0, 0}, {1, 2}})); OF(table, x::filter(a, table > 0.75));
    OF(table, x::take(a, {2, 0}, 1)); OF(table, x::take(a, {5})); OF(line, x::take(a, xt::xtensor<int, 1>{1, -1}));
    OF(line, x::scatter_add(a, {1, 1}, vector{2.0, 3.0})); OF(line, x::scatter_add(line, std::vector<int>{1, 1, 0, 2}, a));
}

BOOST_AUTO_TEST_CASE(order_and_choice) {
    OF(table, x::sort(a, 0)); OF(table, x::sort(a)); OF(table, x::sort(a, xt::xnone())); OF(table, x::partition(a, 1));
    OF(table, x::median(a)); OF(table, x::quantile(a, 0.3));
    OF(table, x::median(a, 1)); OF(table, x::unique(a)); OF(table, x::argsort(a)); OF(table, x::argmax(a)); OF(table, x::argmin(a, 0));
    OF(table, x::any(a > 0.0));
    OF(table, x::clip(a, 0.0, 1.0)); OF(table, x::where(a > 0.0, a, table)); OF(table, x::select(xt::xtuple(a > 1.0), xt::xtuple(a), table));
    OF(table, x::isnan(a)); OF(table, x::isclose(a, table)); OF(table, x::allclose(a, table)); OF(table, x::less(a, table + 1.0));
    OF(table, x::clamp(a, 0.0, 1.0));
}

// A helper that is given plain arrays alone may return what has elements of its own, of its locals, and lazy expressions of its temporaries.
BOOST_AUTO_TEST_CASE(helpers) {
    auto const scaled = [](auto const& a) { return xt::eval(a * 2.0); };
#define HELPED(...)                                                                                    \
    {                                                                                                  \
        auto const in_a_helper = [&](auto const& operand) { auto const a = scaled(operand); return __VA_ARGS__; }; \
        auto const of = [](auto const& a) { return __VA_ARGS__; };                                     \
        matrix const twice = table * 2.0;                                                              \
        auto const got = in_a_helper(table);                                                           \
        BOOST_TEST(same(got, of(twice)), #__VA_ARGS__);                                                \
    }
    HELPED(x::softmax(a, 0)) HELPED(x::log_softmax(a)) HELPED(x::logsumexp(a)) HELPED(x::logsumexp(a, 0)) HELPED(x::trapz(a, 0.5, 0))
    HELPED(x::norm_l2(a)) HELPED(x::norm_l2(a, {0})) HELPED(x::norm_lp(a, 3.0)) HELPED(x::cumsum(a, 0)) HELPED(x::cummax(a)) HELPED(x::diff(a))
    HELPED(x::logcumsumexp(a, 0)) HELPED(x::reshape(a, {3, 2})) HELPED(x::swapaxes(a, 0, 1))
    HELPED(x::moveaxis(a, 0, 1)) HELPED(x::roll(a, 1)) HELPED(x::tile(a, 2)) HELPED(x::repeat(a, 2, 0)) HELPED(x::pad(a, 1))
    HELPED(x::select(xt::xtuple(a > 1.0), xt::xtuple(a), a)) HELPED(x::index_view(a, {{0, 0}, {1, 2}})) HELPED(x::filter(a, a > 0.75))
    HELPED(x::take(a, {2, 0}, 1)) HELPED(x::sort(a)) HELPED(x::median(a)) HELPED(x::quantile(a, 0.3)) HELPED(x::argsort(a)) HELPED(x::unique(a))
    HELPED(x::stop_gradient(a)) HELPED(x::eval(a * a)) HELPED(x::eval(x::sum(a, {0}))) HELPED(x::zeros_like(a))
    HELPED(x::sigmoid(x::eval(a * 0.5)) + x::softplus(x::pow<3>(x::eval(a * 0.5)))) HELPED(x::sum(x::exp(x::eval(a * 0.1)), {1}))
    HELPED(x::transpose(x::eval(a + 1.0)) * x::where(x::eval(x::transpose(a)) > 0.0, 2.0, x::eval(x::transpose(a))))
#undef HELPED
}

BOOST_AUTO_TEST_CASE(numbers) {
    OF(0.75, x::sum(a)); OF(0.75, x::mean(a * a)); OF(0.75, x::amax(a)); OF(0.75, x::clip(a, 0.0, 0.5)); OF(0.75, x::where(a > 0.5, a, 1.0));
    OF(0.75, x::stack(xt::xtuple(a, 1.0))); OF(0.75, x::isnan(a)); OF(0.75, x::isclose(a, 0.75)); OF(0.75, x::less_equal(a, 0.75));
    OF(-0.75, x::norm_l0(a)); OF(-0.75, x::norm_l1(a)); OF(-0.75, x::norm_l2(a)); OF(-0.75, x::norm_sq(a)); OF(-0.75, x::norm_linf(a));
    OF(-0.75, x::norm_lp(a, 3.0)); OF(-0.75, x::norm_lp_to_p(a, 3.0)); OF(0.75, x::nanmean(a)); OF(0.75, x::average(a)); OF(0.75, x::squeeze(a));
    BOOST_CHECK_THROW(x::norm_lp(0.75, 0.0), std::invalid_argument);
    static_assert(std::is_same_v<decltype(x::norm_sq(0.5f)), float> && std::is_same_v<decltype(x::norm_lp_to_p(0.5f, 3.0)), float>);
    double const none = std::numeric_limits<double>::quiet_NaN();
    OF(none, x::nansum(a)); OF(none, x::nanprod(a)); OF(0.75, x::nanmax(a)); OF(0.75, x::nanmin(a));
    std::complex<double> const c(1.0, -2.0);
    auto const in_a_call = [&](auto f) {
        std::complex<double> got;
        xgrad::value([&](auto const& z) { return got = xgrad::primal(f(z)), abs(z); }, c);
        return got == std::complex<double>(f(c));
    };
    BOOST_TEST(in_a_call([](auto const& z) { return x::norm_sq(z) + x::norm_l1(z) + x::norm_l2(z) + x::norm_linf(z); }));
    BOOST_TEST(in_a_call([](auto const& z) { return x::sum(z) * x::mean(z) + x::prod(x::eval(z)); }));
    BOOST_TEST(in_a_call([](auto const& z) { return x::where(true, z, 0.0) + x::ones_like(z); }));
    BOOST_TEST(x::stack(std::vector<double>{1.0, 2.0})(1) == 2.0);
    BOOST_TEST(!x::isinf(1.0f));
    BOOST_TEST(x::conj(std::complex<double>(1, 2)).imag() == -2);
    BOOST_TEST(x::arg(std::complex<double>(0, 2)) == std::arg(std::complex<double>(0, 2)));
    xt::xtensor<std::complex<double>, 1> const z = x::conj(xt::xtensor<std::complex<double>, 1>{{1, 2}, {3, 4}});
    BOOST_TEST(z(1).imag() == -4);
}

// What stop_gradient gives is plain: the names that xtensor does not have are found on it without a prefix.
BOOST_AUTO_TEST_CASE(without_a_prefix) {
    auto const f = [](auto const& a) {
        auto const still = xgrad::stop_gradient(a);
        return sum(softmax(still, 0) * a) + sum(a) * logsumexp(still) + sum(take(still, {0, 1}, 0) * a);
    };
    auto const [value, gradient] = xgrad::value_and_gradient(f, table);
    matrix const expected = x::softmax(table, 0) + x::logsumexp(table) + table;
    BOOST_TEST(xt::allclose(std::get<0>(gradient), expected));
    BOOST_TEST(value == f(table)(), boost::test_tools::tolerance(1e-14));
}
