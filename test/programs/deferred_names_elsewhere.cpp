// Names that are deferred, where not all lies flat, where somebody writes, where a call throws, in every verb; and what memory they take.
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <xgrad/explain.hpp>
#include <xgrad/vjp.hpp>

#include "../count_allocations.hpp"
#include "deferred_names.hpp"

using deferred::agree_with_pieces, deferred::check_close, deferred::matrix, deferred::names, deferred::numbers, deferred::piece, deferred::vector;

BOOST_AUTO_TEST_CASE(of_numbers_and_constants) {
    std::size_t const n = 18003;
    vector const x = numbers(n, 0.7, 0.1), weight = numbers(n, 0.3, 1.0);
    auto const f = [&](auto const& a, auto const& scale, auto const& shift) {
        auto e = exp(a * scale);
        auto r = log(1.0 + e) - shift * weight;
        auto s = scale * shift;
        auto t = tanh(r) * s;
        return mean(t * e);
    };
    auto const whole = xgrad::value_and_gradient(f, x, 0.8, 0.3);
    double value = 0, scale_bar = 0, shift_bar = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double const e = std::exp(x(i) * 0.8), r = std::log(1 + e) - 0.3 * weight(i), s = 0.8 * 0.3, t = std::tanh(r) * s;
        double const by_r = e * s * (1 - std::tanh(r) * std::tanh(r)), by_e = t + by_r / (1 + e);
        value += t * e;
        scale_bar += by_e * e * x(i) + std::tanh(r) * e * 0.3;
        shift_bar += -by_r * weight(i) + std::tanh(r) * e * 0.8;
        check_close(std::get<0>(whole.gradient)(i), by_e * e * 0.8 / static_cast<double>(n));
    }
    check_close(whole.value, value / static_cast<double>(n));
    check_close(std::get<1>(whole.gradient), scale_bar / static_cast<double>(n));
    check_close(std::get<2>(whole.gradient), shift_bar / static_cast<double>(n));
}

BOOST_AUTO_TEST_CASE(what_does_not_lie_flat_is_evaluated) {
    std::size_t const n = 150;
    matrix const x = xt::reshape_view(numbers(n * n, 0.7, 0.1), {n, n});
    xt::xtensor<double, 2, xt::layout_type::column_major> const by_columns = x;
    vector const row = numbers(n, 0.5, 0.3);
    auto const f = [](auto const& a, auto const& b) {
        auto e = exp(a) + b;
        auto s = sin(e) * e;
        return sum(s * e);
    };
    auto const rows = xgrad::value_and_gradient(f, x, row);
    auto const columns = xgrad::value_and_gradient(f, by_columns, row);
    check_close(columns.value, rows.value);
    double row_bar = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double const e = std::exp(x(i, j)) + row(j), by_e = std::cos(e) * e * e + 2 * std::sin(e) * e;
            check_close(std::get<0>(rows.gradient)(i, j), by_e * std::exp(x(i, j)));
            check_close(std::get<0>(columns.gradient)(i, j), by_e * std::exp(x(i, j)));
            if (j == 3) row_bar += by_e;
        }
    check_close(std::get<1>(rows.gradient)(3), row_bar);
    check_close(std::get<1>(columns.gradient)(3), row_bar);
}

BOOST_AUTO_TEST_CASE(what_was_read_before_a_write_is_what_it_was) {
    std::size_t const n = 17005;
    vector const x = numbers(n, 0.7, 0.1);
    agree_with_pieces([](auto const& a) {
        xgrad::variable u = a * 1.0;
        auto e = exp(u);
        auto s = sin(e) * u;
        u *= 2.0;
        std::size_t const length = u.size();
        xt::view(u, xt::range(0, length)) += 0.5 * e;
        auto t = cos(u) * s;
        u = u * e;
        return sum(t * e + u);
    }, x);
    auto const assigns = [](auto& a) {
        auto e = exp(a);
        auto s = sin(e) * a;
        auto v = assign(a, a * a);
        auto t = cos(a) * s;
        return sum(t * e + v);
    };
    vector whole = x;
    auto const all = xgrad::value_and_gradient(assigns, whole);
    BOOST_TEST((whole == x));
    vector part = piece(x, 17000, 5);
    auto const some = xgrad::value_and_gradient(assigns, part);
    for (std::size_t i = 0; i < 5; ++i) check_close(std::get<0>(all.gradient)(17000 + i), std::get<0>(some.gradient)(i));
}

BOOST_AUTO_TEST_CASE(with_elements_of_the_arrays) {
    std::size_t const n = 17005;
    vector const x = numbers(n, 0.7, 0.1), y = numbers(n, -0.4, 2.0);
    auto check = [&](auto const& f) {
        auto const g = xgrad::value_and_gradient(f, x, y);
        for (std::size_t i : {std::size_t{3}, std::size_t{7}, std::size_t{15000}, n - 1}) {
            vector more = x, less = x;
            more(i) += 1e-5;
            less(i) -= 1e-5;
            double const expected = (xgrad::value(f, more, y) - xgrad::value(f, less, y)) / 2e-5;
            BOOST_TEST(std::abs(std::get<0>(g.gradient)(i) - expected) <= 1e-5 * (1 + std::abs(expected)));
        }
        check_close(g.value, xgrad::value(f, x, y));
    };
    check([](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto s = sin(e) * e(5);
        return sum(s * e * a(3));
    });
    check([](auto const& a, auto const& b) {
        xgrad::variable u = a * 1.0;
        auto e = exp(u);
        auto s = sin(e);
        auto q = e(7);
        return sum(s * e * u(3) * b) * q + sum(where(s > a(15000), e, s * s) * e);
    });
}

BOOST_AUTO_TEST_CASE(as_many_arrays_as_a_pass_takes) {
    std::size_t const n = 17000;
    vector const x = numbers(n, 0.1, 0.1);
    agree_with_pieces([](auto const& a, auto const& b, auto const&... c) {
        auto e = exp(a * b);
        auto s = sin(e);
        return sum(((e * s * a * b) * ... * c)) + sum(e * b);
    }, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x);
}

BOOST_AUTO_TEST_CASE(of_a_declared_result) {
    std::size_t const n = 17003;
    vector const x = numbers(n, 0.7, 0.1), y = numbers(n, -0.4, 2.0);
    auto const declared = [](auto const& a, auto const& b) -> xgrad::real {
        auto e = exp(a * b);
        auto l = log(1.0 + e) * b;
        auto k = sum(a);
        auto u = l * tanh(e) + k;
        return sum(u * l) / k;
    };
    auto const g = xgrad::value_and_gradient(declared, x, y);
    auto const expected = xgrad::value_and_gradient([&](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto l = log(1.0 + e) * b;
        auto k = sum(a);
        auto u = l * tanh(e) + k;
        auto all = sum(u) + sum(l);  // so that no name is deferred
        return sum(u * l) / k + 0.0 * all;
    }, x, y);
    check_close(g.value, expected.value);
    for (std::size_t i = 0; i < n; i += 501) {
        check_close(std::get<0>(g.gradient)(i), std::get<0>(expected.gradient)(i));
        check_close(std::get<1>(g.gradient)(i), std::get<1>(expected.gradient)(i));
    }
    auto prepared = xgrad::prepare_gradient([](auto const& a, auto const& b) -> xgrad::real {
        auto e = exp(a * b);
        auto l = log(1.0 + e) * b;
        return sum(e * l);
    }, x, y);
    static_cast<void>(prepared(x, y));
    BOOST_TEST(prepared.workspace_bytes() < 200000u);
}

BOOST_AUTO_TEST_CASE(by_every_verb) {
    std::size_t const n = 16900;
    vector const x = numbers(n, 0.7, 0.1), y = numbers(n, -0.4, 2.0), direction = numbers(n, 1.0, 0.7);
    auto const g = xgrad::gradient(names, x, y);
    auto [value, pullback] = xgrad::vjp(names, x, y);
    check_close(value, xgrad::value(names, x, y));
    for (double const seed : {1.0, -2.0}) {
        auto const pulled = pullback(seed);
        for (std::size_t i = 0; i < n; i += 997) check_close(std::get<0>(pulled)(i), seed * std::get<0>(g)(i));
    }
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += std::get<0>(g)(i) * direction(i);
    check_close(xgrad::jvp(names, std::tie(x, y), std::tuple(direction, vector(xt::zeros<double>({n})))).tangent, along);
    // an array as a result
    auto const array = [](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto s = sin(e);
        return s * e;
    };
    auto [result, pull] = xgrad::vjp(array, x, y);
    auto const by_array = pull(direction);
    for (std::size_t i = 0; i < n; i += 997) {
        double const e = std::exp(x(i) * y(i));
        check_close(result(i), std::sin(e) * e);
        check_close(std::get<0>(by_array)(i), direction(i) * (std::cos(e) * e + std::sin(e)) * e * y(i));
    }
}

BOOST_AUTO_TEST_CASE(not_numbers_go_where_they_belong) {
    std::size_t const n = 16999;
    vector x = numbers(n, 0.7, 0.1);
    x(3) = x(n - 1) = std::numeric_limits<double>::quiet_NaN();
    auto const g = std::get<0>(xgrad::gradient([](auto const& a) {
        auto e = exp(a);
        auto s = sin(e) * e;
        return sum(s * e);
    }, x));
    for (std::size_t i = 0; i < n; ++i) BOOST_TEST(std::isnan(g(i)) == (i == 3 || i == n - 1));
}

BOOST_AUTO_TEST_CASE(a_call_that_throws_leaves_nothing) {
    std::size_t const n = 17000;
    vector const x = numbers(n, 0.7, 0.1), y = numbers(n, -0.4, 2.0);
    bool throws = true;
    auto g = xgrad::prepare_gradient([&](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto s = sin(e);
        if (throws) throw std::runtime_error("stop");
        return sum(s * e);
    }, x, y);
    BOOST_CHECK_THROW(g(x, y), std::runtime_error);
    throws = false;
    double const e = std::exp(x(7) * y(7));
    check_close(std::get<0>(g(x, y).gradient)(7), (std::cos(e) * e + std::sin(e)) * e * y(7));
    // shapes that do not fit are found where the name is made
    auto const misfit = [&](auto const& a, auto const& b) {
        auto c = exp(a);
        auto s = c + b;
        return sum(s * c);
    };
    BOOST_CHECK_THROW(static_cast<void>(xgrad::gradient(misfit, x, vector{1.0, 2.0})), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(memory_is_that_of_stretches) {
    std::size_t const n = 40000;
    vector const x = numbers(n, 0.7, 0.1), y = numbers(n, -0.4, 2.0);
    auto const e = xgrad::explain(names, x, y);
    BOOST_TEST(e.value_bytes < 100000u);  // four names, value and cotangent: 2.6 MB
    BOOST_TEST(e.forward_passes == 1);
    BOOST_TEST(e.backward_passes == 0);
    BOOST_TEST(e.text().find("v1 = exp(x0 * x1)    [(40000,); stretch by stretch]") != std::string::npos);
    // one that is asked for as a whole has its arrays
    auto const whole = xgrad::explain([](auto const& a, auto const& b) {
        auto c = exp(a * b);
        auto s = sin(c) * tanh(b);
        auto m = amax(c);
        return sum(s * c) + m;
    }, x, y);
    BOOST_TEST(whole.values.at(0).bytes > 2 * n * sizeof(double));
    BOOST_TEST(!whole.values.at(0).in_stretches);
    BOOST_TEST(whole.values.at(1).in_stretches);
    // what two sums use is computed once for both
    auto const twice = xgrad::explain([](auto const& a, auto const& b) {
        auto c = exp(a * b);
        auto s = sin(c) * tanh(b);
        return sum(s * c) + sum(c * a);
    }, x, y);
    BOOST_TEST(!twice.values.at(0).in_stretches);
    BOOST_TEST(twice.values.at(1).in_stretches);
    auto const inside = xgrad::explain([](auto const& a, auto const& b) {
        auto c = exp(a * b);
        return sum(c * b) + sum(c * sum(c * c));
    }, x, y);
    BOOST_TEST(inside.values.at(0).forward_passes == 1);
    BOOST_TEST(inside.value_bytes < 3 * n * sizeof(double));
    // of each pass one value has it
    auto const chain = xgrad::explain([](auto const& a) {
        auto b = exp(-a * a);
        auto c = exp(-b);
        auto d = exp(-c);
        auto s = sum(d);
        return sum(d * d) + s;
    }, x);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(chain.values.at(i).forward_passes == 1);
    BOOST_TEST(chain.forward_passes == 5);
    // nor do numbers change that
    auto const scaled = [](auto const& a, auto const& k) {
        auto c = exp(a * k);
        auto s = sin(c) * k + 2.0 * k * c;
        return mean(s * c);
    };
    BOOST_TEST(xgrad::explain(scaled, x, 0.3).value_bytes < 100000u);
    // a value alone needs no arrays either
    std::size_t const bytes = allocated_bytes;
    xgrad::release_workspaces();
    static_cast<void>(xgrad::value(names, x, y) + xgrad::value(scaled, x, 0.3));
    BOOST_TEST(allocated_bytes - bytes < n * sizeof(double));
    // prepared, and called again
    auto g = xgrad::prepare_gradient(names, x, y);
    static_cast<void>(g(x, y));
    std::size_t const before = allocations;
    static_cast<void>(g(x, y));
    BOOST_TEST(allocations == before);
}
