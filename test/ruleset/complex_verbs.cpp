// Complex numbers by the verbs of the forward mode: derivative, jvp with results and rules of all kinds, jacobian, hessian and check_rule.
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/check_rule.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using number = std::complex<double>;
using line = xt::xtensor<number, 1>;
using reals = xt::xtensor<double, 1>;

void close_to(number const& found, number const& expected, double tolerance = 1e-14) {
    BOOST_TEST(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)), "found " << found << ", expected " << expected);
}

struct signal { line samples; number gain; double rate; };
XGRAD_REFLECT(signal, samples, gain, rate)

struct half_turn {
    number operator()(number const& z) const { return z * number(0, 1); }
};
// one that has no forward rule
struct quarter_turn {
    number operator()(number const& z) const { return z * std::exp(number(0, 1)); }
};
// real arrays and a complex number: the phases of a signal
struct phases {
    line operator()(reals const& t, number const& z) const { return xt::exp(number(0, 1) * t) * z; }
};
// a rule that is wrong in the forward mode (1), in the reverse mode (2) or right
template <int Wrong>
struct squared {
    number operator()(number const& z) const { return z * z; }
};

}  // namespace

template <>
struct xgrad::rule<half_turn> {
    static auto frule(dual<std::complex<double>> const& z) {
        std::complex<double> const i(0, 1);
        return dual<std::complex<double>>(z.primal * i, z.tangent * i);
    }
};
template <>
struct xgrad::rule<quarter_turn> {
    static auto rrule(codual<std::complex<double>> const& z) {
        std::complex<double> const e = std::exp(std::complex<double>(0, 1));
        return value_with_pullback{z.primal * e, [e](std::complex<double> const& ybar) { return std::tuple(ybar * std::conj(e)); }};
    }
};
template <>
struct xgrad::rule<phases> {
    static auto frule(dual<reals> const& t, dual<std::complex<double>> const& z) {
        std::complex<double> const i(0, 1);
        using values = xt::xtensor<std::complex<double>, 1>;
        values const e = xt::exp(i * t.primal);
        return dual<values>{e * z.primal, e * z.tangent + i * t.tangent * e * z.primal};
    }
};
template <int Wrong>
struct xgrad::rule<squared<Wrong>> {
    using C = std::complex<double>;
    static auto frule(dual<C> const& z) { return dual<C>(z.primal * z.primal, 2.0 * z.primal * (Wrong == 1 ? std::conj(z.tangent) : z.tangent)); }
    template <class T>
    static auto rrule(codual<T> const& z) {
        T const x = z.primal;
        return value_with_pullback{x * x, [x](T const& ybar) {
                                       using std::conj;
                                       if constexpr (Wrong == 2) return std::tuple(T(ybar * x * 2.0));
                                       else return std::tuple(T(ybar * conj(x) * 2.0));
                                   }};
    }
};

BOOST_AUTO_TEST_CASE(derivatives_of_one_number) {
    number const z(0.7, -0.4), i(0, 1);
    close_to(xgrad::derivative([](auto const& a) { return exp(a) * a; }, z), std::exp(z) * (z + 1.0));
    BOOST_TEST((xgrad::derivative([](auto const& a) { return a * line{number(1, 2), number(3, 4)}; }, z) == line{number(1, 2), number(3, 4)}));
    // of a function without f'(z)
    auto const refused = [](auto const& f) {
        BOOST_CHECK_EXCEPTION((void)xgrad::derivative(f, number(0.7, -0.4)), std::invalid_argument, [](std::exception const& e) {
            return std::string(e.what()).starts_with("xgrad[E211]: derivative(f, z) of a complex z requires a holomorphic f");
        });
    };
    refused([](auto const& a) { return conj(a) * a; });
    refused([](auto const& a) { return std::tuple(a * a, abs(a)); });
    // nested; and of a real number, through complex ones
    auto const cubed = [](auto const& b) { return b * b * b; };
    close_to(xgrad::derivative([&](auto const& a) { return xgrad::derivative(cubed, a); }, z), 6.0 * z);
    close_to(xgrad::derivative([&](auto const& a) { return xgrad::derivative([&](auto const& b) { return a * exp(i * b * a); }, 0.3); }, 0.7),
             (2.0 * i * 0.7 - 0.49 * 0.3) * std::exp(i * 0.21));
    close_to(xgrad::derivative([&](auto const& a) { return xgrad::derivative([&](auto const& b) { return exp(b * a); }, number(0.3, 0.1)); }, 0.7),
             (1.0 + 0.7 * number(0.3, 0.1)) * std::exp(number(0.21, 0.07)));
    BOOST_TEST(xgrad::derivative([&](auto const& x) { return real(exp(x * i)); }, 0.3) == -std::sin(0.3), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(forms_of_arguments_and_results) {
    number const z(0.4, 0.9), w(0.3, -2.0);
    auto const y = xgrad::jvp([](auto const& a) { return std::tuple(a * a, abs(a), 2.0); }, std::tuple(z), std::tuple(w));
    close_to(std::get<0>(y.tangent), 2.0 * z * w);
    line const x{z, number(1, -1)}, along{w, number(0.5, 0.25)};
    auto const v = xgrad::jvp([](auto const& a) { return exp(a) + conj(a); }, std::tuple(x), std::tuple(along));
    for (std::size_t k = 0; k < 2; ++k) close_to(v.tangent(k), std::exp(x(k)) * along(k) + std::conj(along(k)));
    // a tangent of another layout
    xt::xtensor<number, 2> const rows{{z, w}, {1.0, 2.0}}, rows_along{{w, 1.0}, {z, 3.0}};
    using columns = xt::xtensor<number, 2, xt::layout_type::dynamic>;
    columns turned(std::array<std::size_t, 2>{2, 2}, xt::layout_type::column_major), turned_along(std::array<std::size_t, 2>{2, 2}, xt::layout_type::row_major);
    turned = rows;
    turned_along = rows_along;
    auto const norms = [](auto const& a) { return sum(norm_sq(a * a)); };
    auto const h = xgrad::hvp(norms, rows, rows_along);
    auto const t = xgrad::hvp(norms, turned, turned_along);
    for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t k = 0; k < 2; ++k) {
            close_to(std::get<0>(t.gradient)(j, k), std::get<0>(h.gradient)(j, k));
            close_to(std::get<0>(t.product)(j, k), std::get<0>(h.product)(j, k));
        }
    // structs and vectors
    signal const s{{number(1, 2), number(-1, 0.5)}, number(0.3, -0.2), 2.0};
    auto const f = [](auto const& m) { return sum(abs(m.samples * m.gain)) * m.rate; };
    xgrad::tangent<signal> const sdot{{number(0.2, 1), number(-1, 0.1)}, number(0.4, -0.7), 0.3};
    auto const g = xgrad::gradient(f, s);
    BOOST_TEST(xgrad::jvp(f, std::tuple(s), std::tuple(sdot)).tangent == xgrad::pairing(std::get<0>(g), sdot), boost::test_tools::tolerance(1e-14));
    auto const twice = xgrad::hvp(f, s, sdot);
    close_to(std::get<0>(twice.gradient).gain, std::get<0>(g).gain);
    close_to(std::get<0>(twice.gradient).samples(1), std::get<0>(g).samples(1));
    std::vector<number> const pair{number(1, 2), number(0.2, 0.3)};
    close_to(xgrad::jvp([](auto const& a) { return a[0] * a[1]; }, std::tuple(pair), std::tuple(std::vector<number>{number(0, 1), number(1, 0)})).tangent,
             number(0, 1) * pair[1] + pair[0]);
    // owners and maps
    auto const owner = std::make_shared<number>(z);
    auto owner_along = xgrad::zero_tangent(owner);
    *owner_along = w;
    close_to(xgrad::jvp([](auto const& a, auto const& b) { return *a * *b; }, std::tuple(owner, owner), std::tuple(owner_along, owner_along)).tangent,
             2.0 * z * w);
    std::map<std::string, number> const named{{"a", z}}, named_along{{"a", w}};
    close_to(xgrad::jvp([](auto const& a) { return a.at("a") * a.at("a"); }, std::tuple(named), std::tuple(named_along)).tangent, 2.0 * z * w);
    close_to(xgrad::jvp([](auto const& a) { return a * xgrad::stop_gradient(a); }, std::tuple(z), std::tuple(w)).tangent, z * w);
    // rules
    close_to(xgrad::jvp([](auto const& a) { return xgrad::call(half_turn{}, a * a); }, std::tuple(z), std::tuple(w)).tangent, number(0, 2) * z * w);
    close_to(xgrad::jvp(half_turn{}, std::tuple(z), std::tuple(w)).tangent, number(0, 1) * w);
    close_to(xgrad::jvp(quarter_turn{}, std::tuple(z), std::tuple(w)).tangent, std::exp(number(0, 1)) * w);
    reals const times{0.3, 0.8}, times_along{1.0, -0.5};
    auto const p = xgrad::jvp([](auto const& a, auto const& b) { return xgrad::call(phases{}, a * 2.0, b); }, std::tuple(times, z), std::tuple(times_along, w));
    for (std::size_t k = 0; k < 2; ++k) close_to(p.tangent(k), std::exp(number(0, 2 * times(k))) * (w + number(0, 2 * times_along(k)) * z));
    auto const hooked = xgrad::hvp([](auto const& a) { return real(xgrad::hook(a * a, [](auto&) {})); }, z, w);
    close_to(std::get<0>(hooked.product), std::conj(2.0 * w));
    // other precisions
    std::complex<float> const single(0.5f, -0.25f);
    auto const of_singles = xgrad::jvp([](auto const& a) { return abs(a * a * 2.0f); }, std::tuple(single), std::tuple(single));
    static_assert(std::is_same_v<decltype(of_singles.tangent), float>);
    BOOST_TEST(std::abs(of_singles.tangent - 4 * std::norm(single)) < 1e-6);
    close_to(xgrad::jvp([](auto const& a, auto const& b) { return a * b; }, std::tuple(single, 2.0), std::tuple(single, 1.0)).tangent, number(1.5, -0.75),
             1e-6);
    close_to(xgrad::jvp([](auto const& a) { return a * number(0, 1) + 2.0 * a; }, std::tuple(2.0f), std::tuple(1.0f)).tangent, number(2, 1), 1e-6);
    std::complex<long double> const wide(0.5L, -0.25L);
    auto const of_wides = xgrad::hvp([](auto const& a) { return norm_sq(a * a); }, wide, wide);
    BOOST_TEST(std::abs(std::get<0>(of_wides.product) - 12.0L * std::norm(wide) * wide) < 1e-17L);
    // what is not a number stays with its element
    line const n{number(std::numeric_limits<double>::quiet_NaN(), 0), number(1, 1)};
    auto const nan = xgrad::jvp([](auto const& a) { return abs(a); }, std::tuple(n), std::tuple(along));
    BOOST_TEST(std::isnan(nan.tangent(0)));
    BOOST_TEST(nan.tangent(1) == 0.75 / std::sqrt(2.0), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(jacobians_and_hessians_by_coordinates) {
    number const z(0.7, -0.4), i(0, 1);
    auto const f = [](auto const& a) { return a * conj(a) * a; };
    auto const jf = xgrad::jacobian<xgrad::direction::forward>(f, z), jr = xgrad::jacobian<xgrad::direction::reverse>(f, z), js = xgrad::jacobian(f, z);
    auto const at = [&](number w) { return w * std::conj(w) * w; };
    static_assert(std::is_same_v<std::remove_const_t<decltype(jf)>, xt::xtensor<double, 2>>);
    for (std::size_t k = 0; k < 2; ++k) {
        number const d = (at(z + (k ? i : number(1)) * 1e-6) - at(z - (k ? i : number(1)) * 1e-6)) / 2e-6;
        for (auto const& j : {jf, jr, js}) {
            BOOST_TEST(std::abs(j(0, k) - d.real()) < 1e-8);
            BOOST_TEST(std::abs(j(1, k) - d.imag()) < 1e-8);
        }
    }
    line x(std::array<std::size_t, 1>{6});
    for (std::size_t k = 0; k < 6; ++k) x(k) = number(0.3 * k - 1, 0.2 * k * k + 0.1);
    auto const g = [](auto const& a) { return xgrad::view(a * abs(a), xt::range(0, 2)); };
    auto const gf = xgrad::jacobian<xgrad::direction::forward>(g, x), gr = xgrad::jacobian<xgrad::direction::reverse>(g, x);
    BOOST_TEST((gf.shape() == gr.shape() && gf.shape(0) == 4 && gf.shape(1) == 12));
    for (std::size_t k = 0; k < gf.size(); ++k) BOOST_TEST(std::abs(gf.data()[k] - gr.data()[k]) < 1e-13);
    // hessian: of coordinates, by hvp
    auto const phi = [](auto const& a) { return sum(norm_sq(a * a)) + real(a(0) * a(1)) + abs(a(2)); };
    auto const h = xgrad::hessian(phi, x);
    BOOST_TEST((h.shape(0) == 12 && h.shape(1) == 12));
    for (std::size_t k = 0; k < 12; ++k) {
        line along = xt::zeros<number>({6});
        along(k / 2) = k % 2 ? i : number(1);
        auto const p = std::get<0>(xgrad::hvp(phi, x, along).product);
        for (std::size_t j = 0; j < 12; ++j) {
            BOOST_TEST(std::abs(h(j, k) - (j % 2 ? p(j / 2).imag() : p(j / 2).real())) < 1e-13);
            BOOST_TEST(std::abs(h(j, k) - h(k, j)) < 1e-13);
        }
    }
    // beside a real number
    auto const both = xgrad::hessian([](auto const& a, auto const& t) { return real(a * a) * t; }, z, 0.5);
    BOOST_TEST((both == xt::xtensor<double, 2>{{1.0, 0.0, 1.4}, {0.0, -1.0, 0.8}, {1.4, 0.8, 0.0}}));
    // of real numbers, through complex ones
    auto const j = xgrad::jacobian([](auto const& t) { return exp(number(0, 1) * t); }, reals{0.2, 0.3});
    BOOST_TEST((j.shape(0) == 4 && j.shape(1) == 2));
    close_to(number(j(0, 0), j(1, 0)), i * std::exp(i * 0.2));
    close_to(number(j(2, 1), j(3, 1)), i * std::exp(i * 0.3));
    BOOST_TEST((j(0, 1) == 0 && j(1, 1) == 0));
}

BOOST_AUTO_TEST_CASE(rules_and_programs_are_checked) {
    number const z(0.7, -0.4), w(0.2, 1.3);
    auto const good = [](xgrad::rule_report const& r) { BOOST_TEST(static_cast<bool>(r), r.text()); };
    good(xgrad::check_rule([](auto const& a, auto const& b) { return a * exp(b) + conj(a) / b; }, z, w));
    good(xgrad::check_rule([](auto const& a, auto const& b) { return sin(a * b) * number(0, 1); }, line{z, w, 1.0}, 0.7));
    good(xgrad::check_rule([](auto const& a) { return std::tuple(a * a, abs(a)); }, z));
    good(xgrad::check_rule(squared<0>{}, z));
    for (auto const& [report, wrong] : {std::pair(xgrad::check_rule(squared<1>{}, z), "jvp"), std::pair(xgrad::check_rule(squared<2>{}, z), "gradient")}) {
        BOOST_TEST(report.broken(wrong));
        BOOST_TEST(report.broken("dot product"));
        BOOST_TEST(!report.broken("value"));
    }
    BOOST_TEST(xgrad::check_rule(squared<2>{}, z).broken("second order"));
    good(xgrad::check_rule(xgrad::op::abs{}, z));
    good(xgrad::check_rule(xgrad::op::conj{}, z));
    good(xgrad::check_rule(xgrad::op::imag{}, z));
    good(xgrad::check_rule(xgrad::op::divide{}, z, w));
    good(xgrad::check_rule(xgrad::op::pow{}, 0.7, w));
}
