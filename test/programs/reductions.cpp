// sum and mean along every set of axes of an array of rank 3, with the axes kept and not.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "against_differences.hpp"

using programs::agree;

namespace {

using cube = xt::xtensor<double, 3>;

cube filled(std::size_t i, std::size_t j, std::size_t k) {
    cube a({i, j, k});
    double v = 0.1;
    for (auto& e : a) e = v += 0.03125;
    return a;
}
cube const small = filled(2, 3, 5), wide = filled(3, 1, 9);

// xtensor's own mean along axes that it keeps is wrong.
template <class A, class Axes>
auto plain_mean(A const& a, Axes const& at) {
    A s = xt::sum(a, at, xt::keep_dims);
    double const count = static_cast<double>(a.size()) / static_cast<double>(s.size());
    s /= count;
    return s;
}

// A kernel before the reduction, and one after it in which the result has a weight for each element.
template <class Reduce, class Plain>
void check(Reduce reduce, Plain plain_reduce) {
    auto weights = [](auto const& s) {
        auto const shape = s.shape();
        xt::xarray<double> w(std::vector<std::size_t>(shape.begin(), shape.end()));
        double v = 0;
        for (auto& e : w) e = v += 0.25;
        return w;
    };
    for (cube const& x : {small, wide})
        agree([&](auto const& a) { auto r = reduce(a * a); auto h = r * weights(r); return sum(h * r); },
              [&](cube const& a) { xt::xarray<double> r = plain_reduce(xt::xarray<double>(a * a)); return xt::sum(r * weights(r) * r)(); }, x);
}
template <class... I>
void axes(I... i) {
    std::array<std::size_t, sizeof...(I)> const at{std::size_t(i)...};
    check([&](auto&& a) { return sum(std::move(a), at); }, [&](auto const& a) { return xt::sum(a, at); });
    check([&](auto&& a) { return mean(std::move(a), at, xt::keep_dims); }, [&](auto const& a) { return plain_mean(a, at); });
}

}

BOOST_AUTO_TEST_CASE(one_axis) {
    for (std::size_t i = 0; i < 3; ++i) axes(i);
}
BOOST_AUTO_TEST_CASE(two_axes) {
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            if (i < j) axes(i, j);
}

BOOST_AUTO_TEST_CASE(all_axes_and_none) {
    agree([](auto const& a) { auto r = sum(a * a, {0, 1, 2}); return r * r; }, [](cube const& a) { double r = xt::sum(a * a)(); return r * r; }, small);
    agree(
        [](auto const& a) {
            auto r = mean(a * a, {0, 1, 2}, xt::keep_dims);
            return sum(r * a);
        },
        [](cube const& a) { return xt::mean(a * a)() * xt::sum(a)(); }, small);
    agree([](auto const& a) { auto r = sum(a * a, std::array<int, 0>{}); return sum(r * a); }, [](cube const& a) { return xt::sum(a * a * a)(); }, small);
    agree(
        [](auto const& a) {
            auto r = mean(a * a);
            return r * sum(a) + sum(a, xt::keep_dims)(0, 0, 0);
        },
        [](cube const& a) { return xt::mean(a * a)() * xt::sum(a)() + xt::sum(a)(); }, wide);
}

BOOST_AUTO_TEST_CASE(axes_that_only_the_call_knows) {
    for (auto const& at : {std::vector<int>{}, {0}, {2}, {-2}, {0, 2}, {1, 0}, {0, 1, 2}}) {
        agree([&](auto const& a) { auto r = sum(a * a, at); return sum(r * r); },
              [&](cube const& a) {
                  xt::xarray<double> r = a * a;
                  std::vector<std::size_t> positive;
                  for (int i : at) positive.push_back(std::size_t(i < 0 ? i + 3 : i));
                  std::sort(positive.begin(), positive.end());
                  if (!at.empty()) r = xt::eval(xt::sum(xt::xarray<double>(r), positive));
                  return xt::sum(r * r)();
              }, small);
    }
}

BOOST_AUTO_TEST_CASE(reductions_of_reductions) {
    agree(
        XGRAD_BOTH_MODES((auto const& a), auto s = sum(a, 0); auto t = mean(s * s, 1); auto u = sum(t * t); return u * mean(a);),
        [](cube const& a) {
            xt::xtensor<double, 2> s = xt::sum(a, {0});
            xt::xtensor<double, 1> t = xt::mean(s * s, {1});
            return xt::sum(t * t)() * xt::mean(a)();
        },
        small);
    agree(
        XGRAD_BOTH_MODES((auto const& a), auto c = a - mean(a, {0, 2}, xt::keep_dims); return sum(c * c) / 7 - 2.0 * sum(a) + mean(c * a);),
        [](cube const& a) {
            cube c = a - plain_mean(a, std::array<std::size_t, 2>{0, 2});
            return xt::sum(c * c)() / 7 - 2 * xt::sum(a)() + xt::mean(c * a)();
        },
        small);
}
