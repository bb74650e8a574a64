// PyTorch's C++ interface, on tensors.
#include <torch/torch.h>

#include <perf/peers/rows.hpp>

namespace {

using torch::Tensor;

Tensor tensor_of(std::vector<double> const& v) { return torch::tensor(v, torch::kFloat64); }

// What is returned holds x as a leaf, and runs f of it.
template <class F>
auto gradient(std::vector<double> const& at, F f) {
    auto const x = tensor_of(at).requires_grad_();
    return [x, f](std::vector<double>& g) {
        x.mutable_grad() = Tensor();
        auto const y = f(x);
        y.backward();
        double const* p = x.grad().template data_ptr<double>();
        g.assign(p, p + x.numel());
        return y.template item<double>();
    };
}

auto const chain = [](Tensor const& z) {
    auto const n = static_cast<long>(peers::chain::rows * peers::chain::columns), columns = static_cast<long>(peers::chain::columns);
    auto const x = z.slice(0, 0, n).view({-1, columns}), b = z.slice(0, n);
    return torch::log(1.0 + torch::exp(torch::tanh(x * b + 0.1) * x - torch::sqrt(x * x + 1.0))).sum();
};

// The affine maps of all components are one product with the points.
auto mixture(peers::mixture const& f) {
    auto const k = static_cast<long>(f.k), d = static_cast<long>(f.d), n = static_cast<long>(f.n), row = d * (d + 1) / 2;
    auto const points = tensor_of(f.points).view({n, d});
    std::vector<long> places;
    for (long j = 0; j < d; ++j)
        for (long i = j + 1; i < d; ++i) places.push_back(i * d + j);
    auto const lower = torch::tensor(places);
    return [=, gamma = f.gamma, m = f.m, constant = f.constant](Tensor const& z) {
        auto const alphas = z.slice(0, 0, k), means = z.slice(0, k, k + k * d).view({k, d}), icf = z.slice(0, k + k * d).view({k, row});
        auto const logarithms = icf.slice(1, 0, d), below = icf.slice(1, d), diagonals = torch::exp(logarithms);
        auto const q = torch::zeros({k, d * d}, torch::kFloat64).index_add(1, lower, below).view({k, d, d}) + torch::diag_embed(diagonals);
        auto const offsets = torch::matmul(q, means.unsqueeze(2)).squeeze(2);
        auto const y = torch::matmul(points, q.view({k * d, d}).t()).view({n, k, d}) - offsets;
        auto const e = alphas + logarithms.sum(1) - 0.5 * y.square().sum(2);
        auto const squares = diagonals.square().sum() + below.square().sum();
        return torch::logsumexp(e, 1).sum() - static_cast<double>(n) * torch::logsumexp(alphas, 0) + 0.5 * gamma * gamma * squares - m * logarithms.sum() +
               constant;
    };
}

auto cross_entropy(peers::perceptron const& f) {
    auto const images = tensor_of(f.images).view({f.batch, -1}), labels = tensor_of(f.labels).view({f.batch, -1});
    return [images, labels](Tensor const& z) {
        long at = 0;
        auto const affine = [&](Tensor const& a, std::size_t l) {
            auto const in = static_cast<long>(peers::perceptron::widths[l]), out = static_cast<long>(peers::perceptron::widths[l + 1]);
            auto const weight = z.slice(0, at, at + in * out).view({in, out}), bias = z.slice(0, at + in * out, at + (in + 1) * out);
            at += (in + 1) * out;
            return torch::matmul(a, weight) + bias;
        };
        auto const a = torch::tanh(affine(images, 0)), b = torch::tanh(affine(a, 1)), y = affine(b, 2);
        return (torch::logsumexp(y, 1) - (labels * y).sum(1)).mean();
    };
}

}

int main(int, char** argv) {
    perf::settle_blas(argv);
    torch::set_num_threads(1);
    std::printf("libtorch %s\n", TORCH_VERSION);
    peers::head("libtorch");
    auto const by_tensors = [](auto const& f, auto const& t, std::size_t repetitions) {
        peers::row(f.name, "tensors", peers::by_xgrad(f), gradient(f.x, t), repetitions);
    };
    auto const small = peers::make_mixture("mixture, d = 10, K = 25", 25, 10), large = peers::make_mixture("mixture, d = 64, K = 50", 50, 64);
    by_tensors(peers::chain{}, chain, 101);
    by_tensors(small, mixture(small), 11);
    by_tensors(large, mixture(large), 11);
    peers::perceptron const p;
    by_tensors(p, cross_entropy(p), 51);
}
