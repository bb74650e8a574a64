// Factorisations in functions of map that declare their result: of each item of a register in turn, in every mode; and where one of the items cannot be.
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/count_allocations.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::each;
using vector = xt::xtensor<double, 1>;
using matrices = xt::xtensor<double, 3>;
using few = xt::xtensor_fixed<double, xt::xshape<2, 2>>;

namespace {

matrices waves(std::size_t items, std::size_t n) {
    matrices a = matrices::from_shape({items, n, n});
    for (std::size_t k = 0; k < a.size(); ++k) a.data()[k] = std::sin(1.3 * static_cast<double>(k) + 0.2);
    for (std::size_t i = 0; i < items; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j, j) += 3.0 + 0.3 * static_cast<double>(j);
    return a;
}

// The same as of items one by one: values, derivatives, a pushforward, second derivatives. Prepared calls allocate nothing, and no pack is split.
template <class F>
void as_one_by_one(F const& f, std::size_t n) {
    auto const declared = [&f](auto const& a, auto const& b) -> xgrad::real { return f(a, b); };
    auto of = [](auto const& g) {
        return [g](auto const& a, auto const& b) {
            auto y = xgrad::map(g, each(a), b);
            return sum(y * y) + sum(xgrad::map(g, each(a), b));
        };
    };
    auto const packs = of(declared);
    auto const items = of(f);
    matrices const a = waves(2 * xgrad::lanes<double> + 1, n), along = xt::cos(waves(2 * xgrad::lanes<double> + 1, n));
    vector const b = 0.5 + xt::arange<double>(static_cast<double>(n)), beside = xt::sin(b);
    auto const before = xgrad::packs_of_maps();
    auto const x = xgrad::hvp(packs, std::tuple(a, b), std::tuple(along, beside));
    auto const after = xgrad::packs_of_maps();
    BOOST_TEST((after.split == before.split && (xgrad::lanes<double> == 1 || after.run != before.run)));
    auto const y = xgrad::hvp(items, std::tuple(a, b), std::tuple(along, beside));
    auto near = [](auto const& p, auto const& q) {
        double const size = 1.0 + xt::amax(xt::abs(q))();
        BOOST_TEST(xt::amax(xt::abs(p - q))() < 1e-11 * size);
    };
    BOOST_TEST(std::abs(x.value - y.value) < 1e-12 * (1.0 + std::abs(y.value)));
    near(std::get<0>(x.gradient), std::get<0>(y.gradient));
    near(std::get<1>(x.gradient), std::get<1>(y.gradient));
    near(std::get<0>(x.product), std::get<0>(y.product));
    near(std::get<1>(x.product), std::get<1>(y.product));
    double const slope = xt::sum(std::get<0>(y.gradient) * along)() + xt::sum(std::get<1>(y.gradient) * beside)();
    BOOST_TEST(std::abs(xgrad::jvp(packs, std::tuple(a, b), std::tuple(along, beside)).tangent - slope) < 1e-11 * (1.0 + std::abs(slope)));
    auto g = xgrad::prepare_gradient(packs, a, b);
    auto const first = g(a, b).gradient;
    near(std::get<0>(first), std::get<0>(y.gradient));
    auto const allocated = allocations;
    (void)g(a, b);
    BOOST_TEST(allocations == allocated);
}

}

BOOST_AUTO_TEST_CASE(as_one_by_one_of_every_size) {
    auto const f = [](auto const& a, auto const& b) { return sum(xgrad::solve(a, b) * b) + sum(xgrad::inv(a)) * xgrad::det(a); };
    for (std::size_t const n : {1, 3, 5}) as_one_by_one(f, n);
}
// The operation holds something; its result is a struct of parts.
BOOST_AUTO_TEST_CASE(eigenvectors) {
    as_one_by_one(
        [](auto const& a, auto const& b) {
            auto [w, v] = xgrad::eigh(a + transpose(a));
            return sum(w * w * square(dot(transpose(v), b)));
        },
        3);
}
// A constant matrix, items of a fixed shape, and a matrix that all share.
BOOST_AUTO_TEST_CASE(other_operands) {
    std::vector<few> const items(xgrad::lanes<double> + 2, few{{2.0, 1.0}, {0.5, 3.0}});
    few const constant{{1.0, 0.25}, {0.0, 2.0}};
    auto const f = [](auto const& m, auto const& k, auto const& c) -> xgrad::real {
        return xgrad::det(m) * sum(xgrad::inv(k)) + sum(xgrad::solve(c, diagonal(m)));
    };
    auto const total = [&](auto const& k) { return sum(xgrad::map(f, each(items), k, constant)); };
    few const k{{1.0, 0.5}, {0.25, 2.0}};
    auto const [value, g] = xgrad::value_and_gradient(total, k);
    auto const inverse = xgrad::value([](auto const& x) { return sum(xgrad::inv(x)); }, k);
    auto const [dk] = xgrad::gradient([](auto const& x) { return sum(xgrad::inv(x)); }, k);
    double const n = static_cast<double>(items.size()), solved = xt::sum(xgrad::solve(constant, vector{2.0, 3.0}))();
    BOOST_TEST(std::abs(value - n * (5.5 * inverse + solved)) < 1e-12 * value);
    BOOST_TEST(xt::amax(xt::abs(std::get<0>(g) - n * 5.5 * dk))() < 1e-12);
}
// A matrix that has no inverse is told of only where its own item asks.
BOOST_AUTO_TEST_CASE(an_item_without_an_inverse) {
    auto const f = [](auto const& a, auto const& b) -> xgrad::real {
        if (a(0, 0) > 0.0) return sum(xgrad::inv(a)) * b(0);
        return b(0) * a(1, 1);
    };
    auto const total = [&](auto const& a, auto const& b) { return sum(xgrad::map(f, each(a), b)); };
    matrices a = waves(2 * xgrad::lanes<double>, 2);
    vector const b{2.0, 1.0};
    auto const good = xgrad::gradient(total, a, b);
    xt::view(a, 1, xt::all(), xt::all()) = 0.0;
    a(1, 1, 1) = 7.0;
    auto const [value, g] = xgrad::value_and_gradient(total, a, b);
    BOOST_TEST(std::isfinite(value));
    BOOST_TEST((std::get<0>(g)(1, 1, 1) == 2.0 && std::get<0>(g)(1, 0, 0) == 0.0));
    BOOST_TEST(std::abs(std::get<0>(g)(0, 1, 0) - std::get<0>(good)(0, 1, 0)) < 1e-14);
    a(1, 0, 0) = 1.0;
    a(1, 1, 1) = 0.0;
    BOOST_CHECK_THROW(xgrad::gradient(total, a, b), std::runtime_error);
}
// A loop on values ends, where it would not if what a lane has not computed were 0.
BOOST_AUTO_TEST_CASE(a_loop_around_it_ends) {
    auto const f = [](auto const& a, auto const& b) -> xgrad::real {
        xgrad::number_like<decltype(a)> x = b(0) + 0.0 * a(0, 0);
        while (abs(x - 1.0) > 1e-3) x = 1.0 + (x - 1.0) * 0.5 * det(dot(a, xgrad::inv(a)));
        return x * a(1, 1);
    };
    auto const total = [&](auto const& a, auto const& b) { return sum(xgrad::map(f, each(a), b)); };
    matrices a = waves(2 * xgrad::lanes<double>, 2);
    vector const b{2.0, 1.0};
    BOOST_TEST(std::isfinite(xgrad::value(total, a, b)));
    for (std::size_t const i : {0, 1}) {
        matrices c = a;
        xt::view(c, i, xt::all(), xt::all()) = 0.0;
        BOOST_CHECK_THROW(xgrad::gradient(total, c, b), std::runtime_error);
    }
}
