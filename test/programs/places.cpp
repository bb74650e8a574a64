// Statements that write into an array variable, compared with the same program on a plain array, in both modes and in second derivatives.
#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "writes.hpp"

using programs::agree, programs::copy_of, programs::same, programs::weighed;

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const v{0.3, 0.5, 0.9, -0.4}, w{1.1, 0.2, 0.4, 0.7};
matrix const m{{2.1, 0.3, 0.4}, {0.2, 1.7, 0.6}, {0.5, 0.1, 1.9}};
}

BOOST_AUTO_TEST_CASE(elements_are_assigned_to) {
    same([](auto const& x) {
        auto u = copy_of(x);
        u(0) = u(1) * u(2);
        u[1] += 3.0 * u(0);
        u.at(2) -= x(0);
        u(3) *= u(3);
        u(2) /= u(0) + 2.0;
        u.front() = u.back();
        u.flat(1) = 2.0;
        return weighed(u, x);
    }, v);
}
BOOST_AUTO_TEST_CASE(what_was_read_before_keeps_its_value) {
    same([](auto const& x) {
        auto u = copy_of(x);
        auto const old = u(1);
        auto const product = u(0) * u(1);
        u(1) = 5.0;
        u(0) = u(1) * x(2);
        u(0) = u(0) * u(0);
        return weighed(u, x) * old + product;
    }, v);
}
BOOST_AUTO_TEST_CASE(a_reference_is_the_element_and_a_copy_its_value) {
    same([](auto const& x) {
        auto u = copy_of(x);
        auto& r = u(1);
        auto c = u(1);
        r = x(0) * x(3);
        c = c * r;
        u(2) = c;
        u *= 3.0;
        r *= 2.0;
        return weighed(u, x) * c;
    }, v);
}
BOOST_AUTO_TEST_CASE(a_view_reads_what_was_there_when_it_was_made) {
    auto const [g] = xgrad::gradient([](auto const& x) {
        auto last_two = [](auto const& y) {
            xgrad::variable u = y * y;
            auto part = view(u, xt::range(2, 4));
            u(2) = 7.0;
            return part;
        };
        auto part = last_two(x);
        return part(0) * 3.0 + sum(part);
    }, v);
    BOOST_TEST(g(2) == 8.0 * v(2), boost::test_tools::tolerance(1e-14));
    BOOST_TEST(g(3) == 2.0 * v(3), boost::test_tools::tolerance(1e-14));
}
BOOST_AUTO_TEST_CASE(elements_are_swapped_rotated_sorted_and_filled) {
    same([](auto const& x) {
        auto u = copy_of(x);
        std::swap(u(0), u(3));
        std::rotate(u.begin(), u.begin() + 1, u.end());
        u(0) = u(0) * u(1);
        std::sort(u.begin(), u.end());
        return weighed(u, x);
    }, v);
    same([](auto const& x) {
        auto u = copy_of(x);
        for (auto&& e : u) e = e * e;
        std::transform(u.begin(), u.end(), u.begin(), [](auto const& e) { return e * 3.0; });
        std::fill(u.begin(), u.begin() + 1, 1.5);
        auto before = copy_of(u);
        u.fill(2.0);
        u(1) = before(0) * before(2);
        return weighed(u, x) + weighed(before, x);
    }, v);
}
BOOST_AUTO_TEST_CASE(views_are_assigned_to) {
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::noalias(u) = u * x + 1.0;
        xt::noalias(u) *= 0.5;
        xt::noalias(xt::view(u, xt::range(1, 3))) += xt::view(x, xt::range(0, 2));
        xt::view(u, xt::range(1, 4)) += 2.0 * xt::view(u, xt::range(0, 3));
        xt::view(u, xt::range(0, 1)) = 3.0;
        xt::view(u, xt::range(1, 3)) *= xt::view(x, xt::range(0, 2));
        auto tail = xt::view(u, xt::range(2, 4));
        tail *= x(0);
        tail -= 1.0;
        xt::view(u, xt::range(3, 0, -2)) /= 2.0;
        return weighed(u, x);
    }, v);
    same([](auto const& a) {
        auto u = copy_of(a);
        xt::row(u, 0) = xt::view(a, 1, xt::all()) * 2.0;
        xt::view(u, xt::all(), 2) += xt::view(a, 0, xt::all());
        xt::view(u, 1, 1) = a(0, 0);
        xt::view(u, xt::range(0, 2), xt::range(0, 2)) *= xt::view(u, 2, xt::range(1, 3));
        u(2, 0) -= u(0, 2);
        return weighed(u, a);
    }, m);
}
BOOST_AUTO_TEST_CASE(a_transpose_is_assigned_to) {
    agree([](auto const& a) {
        xgrad::variable u = a;
        transpose(u) = a * 2.0;
        view(transpose(u), 0, xt::all()) += 1.0;
        return sum(u * a * a);
    }, [](matrix const& a) {
        matrix u = xt::transpose(a) * 2.0;
        xt::view(u, xt::all(), 0) += 1.0;
        return double(xt::sum(u * a * a)());
    }, m);
}
BOOST_AUTO_TEST_CASE(diagonals_and_what_is_turned_are_assigned_to) {
    agree([](auto const& a) {
        xgrad::variable u = a * a;
        diagonal(u) *= 3.0;
        flip(u, 0) += a;
        view(diagonal(u), xt::range(1, 3)) = 2.0;
        return sum(u * u * a);
    }, [](matrix const& a) {
        matrix u = a * a;
        for (std::size_t i = 0; i < 3; ++i) u(i, i) *= 3.0;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) u(2 - i, j) += a(i, j);
        u(1, 1) = u(2, 2) = 2.0;
        return double(xt::sum(u * u * a)());
    }, m);
}
BOOST_AUTO_TEST_CASE(constants_are_overwritten_by_active_values_and_the_other_way_round) {
    same([](auto const& x) {
        xgrad::array_like<decltype(x), 2> h = matrix(xt::ones<double>({3, 4}));
        xt::view(h, 1, xt::all()) = x * x;
        auto const row = xt::eval(xt::view(h, 1, xt::all()) * 1.0);
        xt::view(h, 2, xt::all()) = xt::view(h, 1, xt::all()) * xt::view(h, 0, xt::all());
        xt::view(h, 1, xt::range(1, 3)) = 0.5;
        h(0, 1) = x(2);
        xt::view(h, 0, xt::all()) *= xt::view(h, 2, xt::all());
        xgrad::number_like<decltype(x)> s = 0.0;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 4; ++j) s += h(i, j) * h(i, j) * row(j);
        return s;
    }, v);
}
BOOST_AUTO_TEST_CASE(what_throws_between_two_writes) {
    same([](auto const& x) {
        auto u = copy_of(x);
        try {
            u(0) = x(1) * x(2);
            xt::view(u, xt::range(1, 3)) *= u(0);
            throw 1;
        } catch (int) { u(3) = u(2) * x(0); }
        return weighed(u, x);
    }, v);
}
BOOST_AUTO_TEST_CASE(rows_take_the_memory_that_they_fill) {
    auto const f = [](auto const& x) {
        xgrad::array_like<decltype(x), 2> h = matrix(xt::zeros<double>({64, 256}));
        xgrad::variable u = x;
        for (std::size_t t = 0; t < 64; ++t) {
            view(h, t, xt::all()) = u;
            u = u * 0.5;
        }
        return sum(h * h);
    };
    auto g = xgrad::prepare_gradient(f, vector(xt::ones<double>({256})));
    g(vector(xt::ones<double>({256})));
    // the array and the states, and their cotangents: a copy for each row would be 64 arrays
    BOOST_TEST(g.workspace_bytes() <= 64 * 256 * sizeof(double) * 4);
    std::size_t const bytes = g.workspace_bytes();
    g(vector(xt::ones<double>({256})));
    BOOST_TEST(g.workspace_bytes() == bytes);
}
BOOST_AUTO_TEST_CASE(algorithms_as_they_are_written) {
    // Thomas' algorithm, with w above and below the diagonal
    same([](auto const& x, auto const& c) {
        auto b = copy_of(x), d = copy_of(c);
        std::size_t const n = b.size();
        for (std::size_t i = 0; i < n; ++i) b(i) += 4.0;
        for (std::size_t i = 1; i < n; ++i) {
            auto const f = c(i) / b(i - 1);
            b(i) -= f * c(i - 1);
            d(i) -= f * d(i - 1);
        }
        d(n - 1) /= b(n - 1);
        for (std::size_t i = n - 1; i-- > 0;) d(i) = (d(i) - c(i) * d(i + 1)) / b(i);
        return weighed(d, x);
    }, v, w);
    // LU without pivots
    same([](auto const& a) {
        auto u = copy_of(a);
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t i = k + 1; i < 3; ++i) {
                u(i, k) /= u(k, k);
                for (std::size_t j = k + 1; j < 3; ++j) u(i, j) -= u(i, k) * u(k, j);
            }
        return weighed(u, a);
    }, m);
    // steps of the heat equation, with a boundary
    same([](auto const& x) {
        auto u = copy_of(x);
        for (int t = 0; t < 3; ++t) {
            xt::view(u, xt::range(1, 3)) += 0.1 * (xt::view(u, xt::range(0, 2)) - 2.0 * xt::view(u, xt::range(1, 3)) + xt::view(u, xt::range(2, 4)));
            u(0) = u(2) * u(1);
        }
        return weighed(u, x);
    }, v);
}
BOOST_AUTO_TEST_CASE(variables_in_containers_and_helpers) {
    same([](auto const& x) {
        std::vector us{copy_of(x), copy_of(x)};
        auto scale = [](auto& u, std::size_t i) { u(i) = u(i) * 2.0; };
        scale(us[0], 1);
        std::swap(us[0], us[1]);
        us[0](1) += us[1](1);
        auto const moved = std::move(us[1]);
        return weighed(us[0], x) * weighed(moved, x);
    }, v);
}
BOOST_AUTO_TEST_CASE(a_write_that_does_not_fit_changes_nothing) {
    auto const f = [](auto const& x) {
        xgrad::variable u = x;
        u(0) = x(1) * x(2);
        BOOST_CHECK_THROW(view(u, xt::range(0, 2)) = x, std::invalid_argument);
        BOOST_CHECK_THROW(u(4) = 1.0, std::out_of_range);
        auto part = view(u, xt::range(0, 2));
        u = xgrad::variable(view(x, xt::range(0, 2)));
        BOOST_CHECK_THROW(part = 1.0, std::logic_error);
        return sum(u * u);
    };
    auto const [g] = xgrad::gradient(f, v);
    BOOST_TEST(g(0) == 2 * v(0));
    BOOST_TEST(g(2) == 0.0);
}
BOOST_AUTO_TEST_CASE(what_is_overwritten_does_not_spread_its_nan) {
    auto const [g] = xgrad::gradient([](auto const& x) {
        xgrad::variable u = xgrad::variable(sqrt(x - x));
        for (std::size_t i = 0; i < u.size(); ++i) u(i) = x(i) * x(i);
        return sum(u);
    }, v);
    BOOST_TEST(g(1) == 2 * v(1));
}
BOOST_AUTO_TEST_CASE(pulled_twice_and_prepared) {
    auto const f = [](auto const& x) {
        xgrad::variable u = x;
        for (std::size_t i = 1; i < u.size(); ++i) u(i) = u(i) * u(i - 1);
        view(u, xt::range(0, 2)) *= 2.0;
        return sum(u * x);
    };
    auto const [g] = xgrad::gradient(f, v);
    auto [y, pullback] = xgrad::vjp(f, v);
    for (double seed : {1.0, 2.0}) {
        auto const [d] = pullback(seed);
        for (std::size_t i = 0; i < v.size(); ++i) BOOST_TEST(d(i) == seed * g(i), boost::test_tools::tolerance(1e-14));
    }
    auto prepared = xgrad::prepare_gradient(f, v);
    for (int k = 0; k < 3; ++k) {
        auto const& p = std::get<0>(prepared(v).gradient);
        for (std::size_t i = 0; i < v.size(); ++i) BOOST_TEST(p(i) == g(i));
    }
}
BOOST_AUTO_TEST_CASE(a_million_writes_need_no_stack) {
    auto const [g] = xgrad::gradient([](auto const& x) {
        xgrad::variable u = x;
        for (int k = 0; k < 1000000; ++k) u(0) = u(0) * 0.999999;
        return sum(u);
    }, v);
    BOOST_TEST(g(0) == 0.36788, boost::test_tools::tolerance(1e-3));
}
BOOST_AUTO_TEST_CASE(column_major_arguments_and_dynamic_ranks) {
    xt::xtensor<double, 2, xt::layout_type::column_major> const a{{1.0, 2.0}, {3.0, 4.0}};
    auto const f = [](auto const& x) {
        xgrad::variable u = x;
        u(0, 1) = u(1, 0) * u(1, 1);
        view(u, 1, xt::all()) += view(u, 0, xt::all());
        return sum(u * u);
    };
    auto const [g] = xgrad::gradient(f, a);
    auto const [h] = xgrad::gradient(f, xt::xarray<double>{{1.0, 2.0}, {3.0, 4.0}});
    // u = {{1, 12}, {4, 16}}, and sum(u u) = x00^2 + (x10 x11)^2 + (x10 + x00)^2 + (x11 + x10 x11)^2
    double const d[2][2] = {{2.0 + 8.0, 0.0}, {2 * 12.0 * 4 + 8.0 + 2 * 16.0 * 4, 2 * 12.0 * 3 + 2 * 16.0 * 4}};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
            BOOST_TEST(g(i, j) == d[i][j]);
            BOOST_TEST(h(i, j) == d[i][j]);
        }
}
// As a plain copy of a column-major array does.
BOOST_AUTO_TEST_CASE(flat_counts_as_the_variable_began) {
    xt::xtensor<double, 2, xt::layout_type::column_major> const a{{1.0, 2.0, 0.5}, {3.0, 4.0, 0.25}};
    same([](auto const& x) {
        auto u = copy_of(x);
        u.flat(1) = 2.0 * u.flat(2);
        u.flat(3) *= u(1, 2);
        auto const& read = u;
        return weighed(u, x) * read.flat(1) + u.flat(4);
    }, a);
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::view(u, xt::all(), 1) = xt::view(x, xt::all(), 0);
        auto const before = weighed(u, x);
        auto w = u;
        u = x * x;
        w.flat(2) += before;
        return weighed(u, x) * before + weighed(w, x);
    }, a);
    same([](auto const& x) {
        xgrad::array_like<decltype(x), 2> u = 2.0 * x;
        u.flat(1) += x(1, 0);
        return u(0, 1) * x(1, 2) + u(1, 0) * x(0, 0);
    }, a);
}
// Of a view without a name they are elements of the variable.
BOOST_AUTO_TEST_CASE(elements_of_views) {
    xt::xtensor<double, 2> const a{{1.0, 2.0, 0.5}, {3.0, 4.0, 0.25}};
    same([](auto const& x) {
        auto u = copy_of(x);
        xt::view(u, 0)(1) = 3.0 * u(0, 0);
        xt::row(u, 1)(0) += u(0, 1);
        xt::view(u, 1)[2] *= 2.0;
        xt::view(u, xt::all(), 1).at(1) = xt::view(u, 0)(2);
        xt::view(u, xt::range(0, 2), xt::range(1, 3))(1, 1) -= u(0, 0) * u(0, 0);
        return weighed(u, x);
    }, a);
    same([](auto const& x) {
        auto u = copy_of(x);
        auto const before = xt::sum(xt::view(u, 0) * xt::view(u, 1))();
        xt::view(u, 0)(1) = before;
        xt::view(u, 0) *= 2.0;
        return weighed(u, x) + before;
    }, a);
    // one that was made before reads what was there, whoever gives it, also after the variable has gone
    auto const row_of = [](auto const& x) {
        xgrad::variable u = x;
        auto const old = xt::view(u, 0);
        auto const get = [&] { return old; };
        u(0, 1) = 100.0 * x(0, 0);
        u(1, 2) = 3.0 * get()(1);
        return xt::view(u, 1);
    };
    auto const [g] = xgrad::gradient([&](auto const& x) { return row_of(x)(2) * x(0, 0); }, a);
    BOOST_TEST((g(0, 0) == 6.0 && g(0, 1) == 3.0 && g(1, 2) == 0.0));
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { xgrad::variable u = x; xt::view(u, 0)(3) = 1.0; return sum(u); }, a), std::out_of_range);
}
// One element by a view copies nothing, and reads what was there.
BOOST_AUTO_TEST_CASE(views_of_one_element) {
    same([](auto const& x) {
        auto u = copy_of(x);
        for (std::size_t i = 0; i + 1 < u.size(); ++i) {
            xt::view(u, i) = u(i + 1) * x(i);
            xt::view(u, i) *= x(0) + u(i);
            xt::view(u, i + 1) += xt::view(u, i) * xt::view(x, 0);
            xt::view(u, i) -= 0.5 * u(0);
        }
        return weighed(u, x);
    }, v);
    auto const bytes = [](std::size_t n) {
        auto p = xgrad::prepare_gradient([n](auto const& x) {
            xgrad::variable<vector> u = vector(xt::zeros<double>({n}));
            for (std::size_t i = 0; i < n; ++i) xt::view(u, i) = x(0) * static_cast<double>(i);
            return sum(u * u);
        }, v);
        p(v);
        return p.workspace_bytes();
    };
    BOOST_TEST(bytes(4000) < 10 * bytes(500));
}
// What was read of it by its elements keeps what it was.
BOOST_AUTO_TEST_CASE(a_view_with_a_name_is_assigned_to_after_its_elements_were_read) {
    same([](auto const& x) {
        auto u = copy_of(x);
        auto r = xt::view(u, 1);
        r = 2.0 * xt::view(x, 0);
        r = r(0) * r(1) + xt::view(x, 2);
        r *= r(2) * 1.0;
        r -= r(0) * x(0, 0);
        return weighed(u, x);
    }, m);
    same([](auto const& x) {
        auto u = copy_of(x);
        auto r = xt::view(u, 1);
        r = 2.0 * xt::view(x, 0);
        auto const a = r(0) * r(0) * 1.0;
        auto const b = r(1);
        r = 3.0 * xt::view(x, 2);
        r += xt::view(x, 0);
        return weighed(u, x) + a * b * x(0, 0) + r(2);
    }, m);
    auto const read_before = [](auto const& x) {
        xgrad::variable u = x;
        auto r = xt::view(u, 1);
        r = 2.0 * xt::view(x, 0);
        xgrad::variable a = r(0) * r(0);
        auto const b = r(1);
        r = 3.0 * xt::view(x, 2);
        return sum(u) + a + b * b;
    };
    auto const [g] = xgrad::gradient(read_before, m);
    BOOST_TEST(std::abs(g(0, 0) - (1.0 + 8.0 * m(0, 0))) < 1e-14);
    BOOST_TEST(std::abs(g(0, 1) - (1.0 + 8.0 * m(0, 1))) < 1e-14);
    BOOST_TEST((g(1, 0) == 0.0 && g(2, 0) == 4.0));
}
BOOST_AUTO_TEST_CASE(from_the_last_to_the_first) {
    same([](auto const& x) {
        auto u = copy_of(x);
        xgrad::number_like<decltype(x)> carry = 0.0;
        for (auto it = u.rbegin(); it != u.rend(); ++it) carry = *it = *it * 0.5 + carry;
        for (auto it = x.rbegin(); it != x.rend(); ++it) carry += *it * *it;
        auto const& read = u;
        carry += *read.rbegin() + *u.crbegin() * *(u.crend() - 1);
        std::reverse_copy(x.begin(), x.end(), u.begin());
        return weighed(u, x) * carry;
    }, xt::xtensor<double, 1>{1.0, 2.0, 3.0, 4.0});
}
