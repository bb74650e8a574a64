// The programs of docs/linear_algebra.md. Without a BLAS library only the products are here.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "check.hpp"

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

namespace {

void products() {
    auto bilinear = [](auto const& a, auto const& m, auto const& b) { return xgrad::dot(a, xgrad::dot(m, b)); };
    vector const a{1, 2}, b{3, 4};
    auto [da, dm, db] = xgrad::gradient(bilinear, a, matrix{{1, 0}, {0, 1}}, b);  // dm is the outer product of a and b
    check(dm(1, 0) == 6 && da(0) == 3 && db(1) == 2);

    auto batched = [](auto const& x, auto const& y) { return sum(xgrad::einsum<"bij,bjk->bik">(x, y)); };
    auto [dx, dy] = xgrad::gradient(batched, xt::xtensor<double, 3>(xt::ones<double>({5, 2, 3})), xt::xtensor<double, 3>(xt::ones<double>({5, 3, 4})));
    check(dx(4, 1, 2) == 4 && dy(0, 0, 0) == 2);
}

}

#ifndef XTENSOR_USE_FLENS_BLAS

// The log-density of y under a Gaussian process with the squared-exponential kernel.
auto log_evidence = [](auto const& length, auto const& noise, auto const& t, auto const& y) {
    auto distance = (view(t, xt::all(), xt::newaxis()) - t) / length;
    auto K = exp(-0.5 * distance * distance) + noise * noise * xt::eye<double>(t.size());
    auto [square, log_det] = xgrad::gaussian_quadratic(K, y);  // y' K^-1 y and log det K, by one Cholesky factorisation
    return -0.5 * (square + log_det + static_cast<double>(t.size()) * std::log(2 * xt::numeric_constants<double>::PI));
};

namespace {

void gaussian_process() {
    vector const t{0.0, 0.5, 1.0, 1.7}, y{0.1, 0.6, 0.9, 0.4};
    auto value = [&](double length) { return xgrad::value(log_evidence, length, 0.2, xgrad::constant(t), xgrad::constant(y)); };
    auto [dlength, dnoise, dt, dy] = xgrad::gradient(log_evidence, 0.8, 0.2, xgrad::constant(t), xgrad::constant(y));
    check(near(dlength, (value(0.8 + 1e-6) - value(0.8 - 1e-6)) / 2e-6, 1e-7));
}

void symmetric_matrices() {
    matrix const a{{4, 1}, {1, 3}};
    auto [da] = xgrad::gradient([](auto const& m) { return xgrad::logdet(m); }, a);  // the inverse of a, symmetric
    check(near(da(0, 1), -1.0 / 11) && da(0, 1) == da(1, 0));
}

void degenerate_cases() {
    auto largest = [](auto const& m) { return xgrad::eigvalsh(m)(1); };
    auto total = [](auto const& m) { return sum(log(xgrad::eigvalsh(m))); };
    auto of_vectors = [](auto const& m) {
        auto [w, V] = xgrad::eigh(m);
        return sum(V * V * V);
    };
    matrix const identity{{1, 0}, {0, 1}}, singular{{1, 2}, {2, 4}};
    auto [dtotal] = xgrad::gradient(total, identity);  // right: the function treats equal eigenvalues alike
    check(near(dtotal(0, 0), 1) && near(dtotal(0, 1), 0));

    auto refused = [](auto f) {
        try {
            f();
        } catch (std::domain_error const&) {
            return 1;
        } catch (std::runtime_error const&) {
            return 2;
        }
        return 0;
    };
    check(refused([&] { xgrad::gradient(of_vectors, identity); }) == 1);                                                // no derivative
    check(refused([&] { xgrad::gradient([](auto const& m) { return sum(xgrad::inv(m)); }, singular); }) == 2);          // no inverse
    check(refused([&] { xgrad::gradient([](auto const& m) { return xgrad::logdet(m); }, matrix{{1, 2}, {2, 1}}); }) == 2);  // not positive definite
    auto [ddet] = xgrad::gradient([](auto const& m) { return xgrad::det(m); }, singular);                               // the cofactors
    check(near(ddet(0, 0), 4) && near(ddet(0, 1), -2));
    auto [dlargest] = xgrad::gradient(largest, matrix{{2, 0}, {0, 1}});
    check(near(dlargest(0, 0), 1) && near(dlargest(1, 1), 0));
}

void least_squares() {
    matrix const x{{1, 0}, {1, 1}, {1, 2}};
    vector const y{1, 3, 4};
    auto intercept = [](auto const& data) { return xgrad::lstsq(data, vector{1, 3, 4})(0); };
    vector const plain = xgrad::lstsq(x, y);  // the same functions of plain arrays
    auto [value, gradient] = xgrad::value_and_gradient(intercept, x);
    check(near(value, plain(0)) && std::get<0>(gradient).shape(0) == 3);
}

void complex_numbers() {
    auto damping = [](auto const& a) { return xgrad::amax(xt::real(xgrad::eigvals(a))); };  // the spectral abscissa of a real matrix
    auto [da] = xgrad::gradient(damping, matrix{{-1, 3}, {-2, -0.5}});
    check(near(da(0, 0), 0.5) && near(da(1, 1), 0.5));  // of a pair of conjugates: half of the trace
}

void triangles() {
    auto whitened = [](auto const& a, auto const& b) {
        auto L = xgrad::cholesky(a);
        return sum(square(xgrad::solve_triangular(L, b)));  // the triangle is solved, not inverted
    };
    auto [da, db] = xgrad::gradient(whitened, matrix{{4, 1}, {1, 3}}, vector{1, 2});
    vector const solution = xgrad::solve(matrix{{4, 1}, {1, 3}}, vector{1, 2});
    check(near(db(0), 2 * solution(0)) && near(da(0, 0), -solution(0) * solution(0)));
}

}

#endif

int main() {
    products();
#ifndef XTENSOR_USE_FLENS_BLAS
    gaussian_process();
    symmetric_matrices();
    degenerate_cases();
    least_squares();
    complex_numbers();
    triangles();
#endif
    std::puts("linear algebra is right");
}
