// The gradients of the programs by xgrad.
#include <perf/peers/xgrad.hpp>

#include <algorithm>
#include <memory>
#include <tuple>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include <perf/cases.hpp>
#include <perf/limits/bundle_adjustment.hpp>
#include <perf/mixture.hpp>

namespace peers {

namespace {

template <class... A>
void copy_all(std::vector<double>& g, A const&... a) {
    g.clear();
    (g.insert(g.end(), a.begin(), a.end()), ...);
}
xt::xtensor<double, 2> matrix_of(std::vector<double> const& v, std::size_t offset, std::size_t rows, std::size_t columns) {
    auto a = xt::xtensor<double, 2>::from_shape({rows, columns});
    std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(offset), rows * columns, a.begin());
    return a;
}

auto const chain_of_arrays = [](auto const& x, auto const& b) { return sum(log(1.0 + exp(tanh(x * b + 0.1) * x - sqrt(x * x + 1.0)))); };

}

mixture make_mixture(char const* name, std::size_t k, std::size_t d) {
    std::size_t const n = 1000;
    auto const p = cases::random_mixture(k, d);
    auto const points = cases::random_points(d, n);
    cases::wishart const prior;
    mixture r{name, k, d, n, prior.gamma, prior.m, cases::constant_of_mixture(k, d, n, prior), {}, {}};
    copy_all(r.x, p.alphas, p.means, p.icf);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j) r.points.push_back(points(j, i));
    return r;
}

gradient_call by_xgrad(residual const& f) {
    limits::camera_and_point x;
    std::copy(f.x.begin(), f.x.end(), x.begin());
    auto const prepare = [&] { return limits::apply([](auto const&... e) { return xgrad::prepare_gradient(cases::scoped_bundle_adjustment, e...); }, x); };
    auto g = std::make_shared<decltype(prepare())>(prepare());
    return [g, x](std::vector<double>* out) mutable {
        auto const& r = limits::apply([&](auto const&... e) -> auto& { return (*g)(e...); }, x);
        if (out) std::apply([&](auto... e) { *out = {e...}; }, r.gradient);
        return r.value;
    };
}
gradient_call by_xgrad(chain const& f) {
    auto const x = matrix_of(f.x, 0, f.rows, f.columns);
    xt::xtensor<double, 1> const b = xt::view(matrix_of(f.x, f.rows * f.columns, 1, f.columns), 0);
    auto const prepare = [&] { return xgrad::prepare_gradient(chain_of_arrays, x, b); };
    auto g = std::make_shared<decltype(prepare())>(prepare());
    return [g, x, b](std::vector<double>* out) {
        auto const& r = (*g)(x, b);
        if (out) copy_all(*out, std::get<0>(r.gradient), std::get<1>(r.gradient));
        return r.value;
    };
}
gradient_call by_xgrad(mixture const& f) {
    auto const p = cases::random_mixture(f.k, f.d);
    auto const points = cases::random_points(f.d, f.n);
    auto const places = cases::places_in_icf(f.k, f.d);
    cases::wishart const prior;
    auto const prepare = [&] { return xgrad::prepare_gradient(cases::posterior, p, xgrad::constant(points), xgrad::constant(places), xgrad::constant(prior)); };
    auto g = std::make_shared<decltype(prepare())>(prepare());
    return [g, p, points, places, prior](std::vector<double>* out) {
        auto const& r = (*g)(p, xgrad::constant(points), xgrad::constant(places), xgrad::constant(prior));
        auto const& of_p = std::get<0>(r.gradient);
        if (out) copy_all(*out, of_p.alphas, of_p.means, of_p.icf);
        return r.value;
    };
}
gradient_call by_xgrad(perceptron const& f) {
    cases::perceptron p;
    std::size_t at = 0, l = 0;
    for (auto* layer : {&p.first, &p.second, &p.output}) {
        auto const in = f.widths[l], out = f.widths[l + 1];
        layer->weight = matrix_of(f.x, at, in, out);
        layer->bias = xt::view(matrix_of(f.x, at + in * out, 1, out), 0);
        at += (in + 1) * out;
        ++l;
    }
    auto const images = matrix_of(f.images, 0, f.batch, f.widths[0]), labels = matrix_of(f.labels, 0, f.batch, f.widths[3]);
    auto const prepare = [&] { return xgrad::prepare_gradient(cases::cross_entropy, p, xgrad::constant(images), xgrad::constant(labels)); };
    auto g = std::make_shared<decltype(prepare())>(prepare());
    return [g, p, images, labels](std::vector<double>* out) {
        auto const& r = (*g)(p, xgrad::constant(images), xgrad::constant(labels));
        auto const& d = std::get<0>(r.gradient);
        if (out) copy_all(*out, d.first.weight, d.first.bias, d.second.weight, d.second.bias, d.output.weight, d.output.bias);
        return r.value;
    };
}

}  // namespace peers
