// Small arrays of fixed shape in the states of a name, as arguments, and temporaries of other expressions: of a scoped function they are on the stack.
#include <iterator>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "fixed_arrays.hpp"

BOOST_AUTO_TEST_CASE(of_temporaries) {
    BOTH(auto y = transpose(xgrad::dot(a, a)); return sum(y * a) + sum(transpose(a * b) * d););
    // lists of extents and of arrays are on the heap, and conditions
    as_of_any_shape(
        IN_BOTH_MODES(auto y = view(a * b, 1, xt::all()); auto z = reshape(a + d, {9}); return sum(y * b) + sum(z * z) + (a * d)(1, 2) * inv(a)(0, 1);), false);
    as_of_any_shape(
        IN_BOTH_MODES(auto y = reshape(transpose(a), {9}); auto z = xt::concatenate(xt::xtuple(b * b, b + 1.0)); return sum(y * y * y) + sum(z * z);), false);
    BOTH(auto y = solve(xgrad::dot(a, a) + a, b * b); auto z = xgrad::dot(inv(a), y); return xgrad::dot(y, z) + det(a * 0.5) * det(xgrad::dot(a, a)););
    // functions that use an operand more than once, or give parts of it
    BOTH(auto p = (a * b).at(0, 1); auto q = (a * d).periodic(-1, -1); auto r = (b * b).front() * (b + b).back(); auto s = (a * a).flat(3);
         return p * q + r * s;);
    as_of_any_shape(IN_BOTH_MODES(auto y = nanmean(a * b); auto z = average(a * b, d * b) + average(b, b * b); auto t = trapz(b * b, b + b);
                                  auto e = (b * 2.0)[1]; return y * z * t * e * e;),
                    false);
    as_of_any_shape(IN_BOTH_MODES(auto y = split(a * b, 3, 0); auto [p, q] = meshgrid(b * b, b + b); return sum(y[0] * y[2]) + sum(p * q);), false);
    as_of_any_shape(IN_BOTH_MODES(auto y = xgrad::matrix_power(a * b, 3); auto z = select(xt::xtuple(a > 0.0), xt::xtuple(a * b), a * d); return sum(y * z);),
                    false);
    BOTH(variable y = inv(a); variable z = a * b; for (auto const& e : z) y = y * e; return sum(y););
    as_of_any_shape(IN_BOTH_MODES(auto y = where(a > 0.0, a * b, d * d); auto z = maximum(y, d); return sum(y * z) + sum(cumsum(b * b));), false);
}
BOOST_AUTO_TEST_CASE(in_the_states_of_a_name) {
    // self-assignment, a use after a move, and a call inside, while the value waits
    BOTH(auto y = a * b; auto& z = y; y = z; return sum(y * y););
    BOOST_CHECK_THROW(xgrad::gradient(
                          [](auto const& a) -> xgrad::real {
                              auto y = inv(a);
                              auto z = std::move(y);
                              auto e = std::move(y)(0, 0);
                              return sum(z) * e;
                          },
                          A),
                      std::logic_error);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) -> xgrad::real { auto y = inv(a); auto z = std::move(y); return sum(z * y); }, A), std::logic_error);
    as_of_any_shape(
        IN_BOTH_MODES(auto y = b * 2.0; double const k = xgrad::value([&](auto const& t) { return t * xgrad::primal(y)(0); }, 1.0); return sum(y * b) * k;),
        false);
    // an exception leaves what waits as it was
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) -> xgrad::real { auto y = a * 0.0; auto z = y + 1.0; return sum(inv(y) * z); }, A), std::runtime_error);
    xgrad::gradient([](auto const& p) -> xgrad::real {
        using iterator = decltype((p * 2.0).begin());
        static_assert(std::random_access_iterator<iterator>);
        auto y = p * 2.0;
        variable s = p(0) * 0.0;
        for (auto const& e : y) s = s + variable(e);
        return s + 0.0;
    }, v);
}
BOOST_AUTO_TEST_CASE(of_arguments_in_their_places) {
    BOTH(variable y = a; variable z = b; y = y * 2.0; return sum(y * a * d) + z(1) * b(2) * a(0, 1););
    as_of_any_shape(IN_BOTH_MODES(auto r = view(a, 1, xt::all()); auto s = transpose(a); return sum(r * b) + sum(s * a) + b.front() * a.flat(5);), false);
    as_of_any_shape(IN_BOTH_MODES(auto s = b(0) * 0.0; variable t = s; for (auto const& e : b) t = t + e * e * a(2, 1); return t + sum(d);), false);
    // one array as two arguments; one that nothing depends on
    auto const twice = xgrad::gradient([](auto const& p, auto const& q, auto const& r) -> xgrad::real { (void)r; return xgrad::dot(p, q) * p(0); }, v, v, v);
    double const vv = xt::sum(v * v)();
    for (std::size_t i = 0; i < 3; ++i) {
        BOOST_CHECK(same(std::get<0>(twice)(i), v(0) * v(i) + (i == 0 ? vv : 0.0)));
        BOOST_CHECK(same(std::get<1>(twice)(i), v(0) * v(i)));
        BOOST_CHECK_EQUAL(std::get<2>(twice)(i), 0.0);
    }
    // beside numbers, constants, arrays of any shape and in structs, and added to what is there
    auto const f = [](auto const& a, auto const& k, auto const& x, auto const& b) -> xgrad::real {
        auto y = xgrad::dot(a, b) * k;
        return sum(y * x) + sum(b * x);
    };
    std::tuple sums{fixed_matrix(A), xgrad::no_tangent{}, vector(v), fixed_vector(v)};
    xgrad::add_gradient(sums, f, A, xgrad::constant(2.0), vector(v), v);
    auto const alone = xgrad::gradient(f, matrix(A), xgrad::constant(2.0), vector(v), vector(v));
    same_elements("added", std::get<0>(sums), matrix(std::get<0>(alone) + A));
    same_elements("added", std::get<2>(sums), vector(std::get<2>(alone) + v));
    same_elements("added", std::get<3>(sums), vector(std::get<3>(alone) + v));
    auto const g = [](auto const& pair, auto t) -> xgrad::real { auto y = xgrad::dot(std::get<0>(pair), std::get<1>(pair)); return sum(y * y) * t; };
    auto const [found, slope] = xgrad::gradient(g, std::tuple(A, v), 0.5);
    auto const [expected, expected_slope] = xgrad::gradient(
        [](auto const& p, auto t) {
            auto y = xgrad::dot(std::get<0>(p), std::get<1>(p));
            return sum(y * y) * t;
        },
        std::tuple(matrix(A), vector(v)), 0.5);
    same_elements("in a tuple", std::get<0>(found), std::get<0>(expected));
    same_elements("in a tuple", std::get<1>(found), std::get<1>(expected));
    BOOST_CHECK(same(slope, expected_slope));
    // a call in a call, each of which is all on the stack
    auto const inner = [](auto const& p) -> xgrad::real { return det(p) * 2.0; };
    auto outer = xgrad::prepare_gradient([&](auto const& p) -> xgrad::real { return det(p) * xgrad::value_and_gradient(inner, A).value; }, A);
    double const scale = 2.0 * xgrad::value([](auto const& p) { return det(p); }, A);
    auto const minors = std::get<0>(xgrad::gradient([](auto const& p) { return det(p); }, matrix(A)));
    for (int i = 0; i < 2; ++i) same_elements("nested", std::get<0>(outer(A).gradient), matrix(minors * scale));
}
namespace {
enum class power { one, two };
struct measured {
    vector data;
    fixed_vector shift;
};
}
BOOST_AUTO_TEST_CASE(beside_constants_of_any_kind) {
    measured const m{v, v};
    vector const data = v * 3.0;
    auto const f = [](auto const& a, auto const& k, auto const& i, auto p, auto const& x, auto const& s) -> xgrad::real {
        auto y = a * k + s.shift;
        auto t = y(0) * k(static_cast<std::size_t>(i)) + x(1) * y(2);
        return sum(y * y * y) + t * t * (p == power::two ? 2.0 : 0.0) + sum(s.data * a(1)) + x(2) * a(0);
    };
    auto const expected = std::get<0>(xgrad::gradient(
        [&](auto const& a) {
            auto y = a * vector(v) + vector(v);
            auto t = y(0) * v(1) + data(1) * y(2);
            return sum(y * y * y) + t * t * 2.0 + sum(m.data * a(1)) + data(2) * a(0);
        },
        vector(v)));
    auto g = xgrad::prepare_gradient(f, v, xgrad::constant(v), xgrad::constant(1), xgrad::constant(power::two), xgrad::constant(data), xgrad::constant(m));
    for (int k = 0; k < 2; ++k)
        same_elements("constants", std::get<0>(g(v, xgrad::constant(v), xgrad::constant(1), xgrad::constant(power::two), xgrad::constant(data),
                                                xgrad::constant(m)).gradient), expected);
    // what is small needs no workspace
    auto small = xgrad::prepare_gradient([](auto const& a, auto const& k, auto w) -> xgrad::real { return sum(a * k) * w; }, v, xgrad::constant(v),
                                         xgrad::constant(2.0));
    same_elements("constants", std::get<0>(small(v, xgrad::constant(v), xgrad::constant(2.0)).gradient), vector(v * 2.0));
    BOOST_CHECK_EQUAL(small.workspace_bytes(), 0u);
    // indices outside are found
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a, auto const& i) -> xgrad::real { return a(i) * 2.0; }, v, xgrad::constant(3)), std::out_of_range);
}
BOOST_AUTO_TEST_CASE(of_matrices_that_cofactors_do_not_serve) {
    fixed_matrix bad = A;
    for (std::size_t i = 0; i < 3; ++i) bad(i, 0) *= 1e-5;
    // of arguments, and of what is on the stack
    std::tuple const both {
        IN_BOTH_MODES(auto a2 = a * 1.0; auto y = inv(a); auto y2 = inv(a2); auto x = solve(a, b); auto x2 = solve(a2, b * 1.0); auto z = solve(a, d);
                      return sum(y * d) * 1e-5 + sum(y2 * y) * 1e-10 + sum(x * x2) * 1e-10 + sum(z) * 1e-5 + det(a) * det(a2);)
    };
    auto const expected = xgrad::value_and_gradient(std::get<0>(both), matrix(bad), vector(v), matrix(c));
    auto found = xgrad::prepare_gradient(std::get<1>(both), bad, v, c);
    for (int i = 0; i < 2; ++i) {
        auto const& r = found(bad, v, c);
        BOOST_CHECK(same(r.value, expected.value));
        same_elements("badly scaled", std::get<0>(r.gradient), std::get<0>(expected.gradient));
        same_elements("badly scaled", std::get<1>(r.gradient), std::get<1>(expected.gradient));
        same_elements("badly scaled", std::get<2>(r.gradient), std::get<2>(expected.gradient));
    }
    // more often than a call could keep, were nothing given back
    auto many = xgrad::prepare_gradient([](auto const& a, auto const& b) -> xgrad::real {
        variable s = b(0) * 0.0;
        for (int i = 0; i < 100; ++i) {
            variable x = solve(a, b);
            s = s + sum(x);
        }
        return s + 0.0;
    }, bad, v);
    many(bad, v);
    auto const bytes = many.workspace_bytes();
    many(bad, v);
    BOOST_CHECK_EQUAL(many.workspace_bytes(), bytes);
    // a determinant that is not finite where the matrix is
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& a) -> xgrad::real { return det(a); }, fixed_matrix(A * std::numeric_limits<double>::infinity())),
                      std::domain_error);
}
