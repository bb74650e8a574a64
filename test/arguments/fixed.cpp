// Arguments of fixed form: arrays of fixed shape, std::array and C arrays of anything, tuples, structs with base classes, structs without a macro.
#include <array>
#include <complex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "along_directions.hpp"

using arguments::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using fixed = xt::xtensor_fixed<double, xt::xshape<2, 3>>;

struct camera {
    double focal;
    double rotation[3][3];
    vector distortion[2];
    fixed pose;
    int id;
    int pixels[2];
};
XGRAD_REFLECT(camera, focal, rotation, distortion, pose, id, pixels)

struct stereo : camera {
    std::array<camera, 2> others;
};
XGRAD_REFLECT_DERIVED(stereo, (camera), others)

// Known by its fields alone.
struct plain_point {
    double x;
    std::string name;
    vector path;
    double corner[3];
    std::pair<double, int> more;
};
struct plain_shape {
    plain_point from, to;
    std::optional<plain_point> center;
};

// Its fields are nobody's business.
template <class T>
class dense {
public:
    explicit dense(T w, std::vector<T> more) : W_(std::move(w)), more_(std::move(more)) {}
    template <class Self>
    static auto sum_of_squares(Self const& self) {
        return sum(self.W_ * self.W_) + sum(self.more_[1]);
    }
    T const& W() const { return W_; }

private:
    T W_;
    std::vector<T> more_;
    XGRAD_REFLECT_INSIDE(dense, W_, more_)
};

camera const c0{2.0, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, {{1, 2}, {3}}, {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, 3, {4, 5}};

// For plain arrays and for active ones.
template <class E>
auto total(E const& e) {
    if constexpr (xgrad::active<E>) return sum(e);
    else return xt::sum(e)();
}
auto const project = [](auto const& c) {
    return total(c.distortion[0]) * c.focal * c.rotation[1][2] + total(c.pose) * c.distortion[1](0) * c.id * c.pixels[1] + c.pose(1, 2) * c.pose(0, 1);
};
}

BOOST_AUTO_TEST_CASE(arrays_of_fixed_shape) {
    auto const f =
        ARGUMENTS_BOTH_MODES((auto const& x, auto const& y), auto h = sin(x) * y; auto s = sum(h * h, 0); return sum(s * y) + x(1, 2) * double(x.shape(1)););
    auto const plain = [](auto const& x, auto const& y) {
        xt::xtensor<double, 2> h = xt::sin(x) * y;
        vector s = xt::sum(h * h, {0});
        return xt::sum(s * y)() + x(1, 2) * double(x.shape(1));
    };
    fixed const x{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
    agree(f, plain, x, xt::xtensor_fixed<double, xt::xshape<3>>{1, 2, 3});
    agree(f, plain, x, vector{1, 2, 3});
    agree(f, plain, xt::xtensor_fixed<double, xt::xshape<2, 3>, xt::layout_type::column_major>(x), vector{1, 2, 3});
    agree([](auto const& p, auto const& q) { return p * p * sum(q); }, [](auto const& p, auto const& q) { return p() * p() * q(0, 0); },
          xt::xtensor_fixed<double, xt::xshape<>>(0.5), xt::xtensor_fixed<double, xt::xshape<1, 1>>{{3}});
    auto const [g] = xgrad::gradient([](auto const& a) { return sum(a * a); }, x);
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, fixed>);
    BOOST_CHECK(g == 2 * x);
    std::tuple twice{fixed(xt::ones<double>({2, 3}))};
    xgrad::add_gradient(twice, [](auto const& a) { return a(0, 1) * 3.0; }, x);
    BOOST_CHECK(std::get<0>(twice) == (fixed{{1, 4, 1}, {1, 1, 1}}));
}

BOOST_AUTO_TEST_CASE(std_arrays) {
    auto const f = ARGUMENTS_BOTH_MODES((auto const& a), auto h = a[0] * a[1]; return h * a[2] + h;);
    agree(f, [](auto const& a) { return a[0] * a[1] * a[2] + a[0] * a[1]; }, std::array{0.1, 0.2, 0.3});
    agree(
        [](auto const& a) {
            variable s = 0.0;
            for (auto const& e : a) s = s * e + e;
            return s;
        },
        [](auto const& a) {
            double s = 0;
            for (auto const& e : a) s = s * e + e;
            return s;
        },
        [] {
            std::array<double, 40> a;
            a.fill(0.5);
            return a;
        }());
    agree([](auto const& a) { return sum(*a[1]) * sum(*a[2]) * double(a.size()); },
          [](auto const& a) { return xt::sum(*a[1])() * xt::sum(*a[2])() * double(a.size()); },
          std::array<std::optional<vector>, 3>{std::nullopt, vector{1, 2}, vector{3}});
    agree([](auto const& a) { return a[0][1][0] * a[1][0][2]; }, [](auto const& a) { return a[0][1][0] * a[1][0][2]; },
          std::array<std::array<std::array<double, 3>, 2>, 2>{{{{{1, 2, 3}, {4, 5, 6}}}, {{{7, 8, 9}, {1, 2, 3}}}}});
}

BOOST_AUTO_TEST_CASE(structs_with_c_arrays) {
    agree(project, project, c0);
    agree([](auto const& c) -> xgrad::real { return sum(c.pose * c.focal) * c.rotation[1][2]; },
          [](camera const& c) { return total(c.pose) * c.focal * c.rotation[1][2]; }, c0);
    agree([](auto const& s) { return project(s) * project(s.others[1]); }, [](stereo const& s) { return project(s) * project(s.others[1]); },
          stereo{c0, {c0, c0}});
    auto const [g] = xgrad::gradient([](auto const& c) { return c.rotation[2][1] * c.focal; }, c0);
    BOOST_CHECK_EQUAL(g.rotation[2][1], 2.0);
    BOOST_CHECK_EQUAL(g.distortion[0].size(), 2u);
}

BOOST_AUTO_TEST_CASE(tuples) {
    std::tuple<double, std::tuple<vector, int, std::string>, std::vector<double>, std::tuple<>> const t{0.5, {{1, 2}, 3, "text"}, {4, 5}, {}};
    auto const f = [](auto const& x) {
        auto const& [a, b, v, none] = x;
        auto const& [w, n, s] = b;
        return a * total(w) * total(w) * n * v[1] * double(s.size());
    };
    agree(f, f, t);
}

BOOST_AUTO_TEST_CASE(structs_without_a_macro) {
    plain_point const p{0.5, "p", {1, 2}, {3, 4, 5}, {6, 7}};
    // seen as tuples: by structured binding
    auto const f = [](auto const& x) {
        auto const& [from, to, center] = x;
        auto const& [a, name, path, corner, more] = from;
        auto const& [b, name2, path2, corner2, more2] = to;
        auto s = a * b * double(name.size() * name2.size()) * corner[1] * more.first * more2.second;
        auto const& [d, name3, path3, corner3, more3] = *center;
        return s * total(path2) * d * double(name3.size()) * total(path) * total(path3) * corner2[0] * corner3[2] * std::get<1>(more3);
    };
    agree(f, f, plain_shape{p, {0.25, "qq", {4}, {5, 6, 7}, {8, 9}}, p});
    auto const [g] = xgrad::gradient([](auto const& x) { auto const& [a, n, path, corner, more] = x; return a * a * corner[2] * std::get<0>(more); }, p);
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>,
                                 std::tuple<double, xgrad::no_tangent, vector, std::array<double, 3>, std::pair<double, xgrad::no_tangent>>>);
    BOOST_CHECK_EQUAL(std::get<0>(g), 30.0);
}

BOOST_AUTO_TEST_CASE(private_fields_of_a_class_template) {
    dense<vector> const d({1, 2}, {{3}, {4, 5}});
    auto const f = [](auto const& x) { return dense<vector>::sum_of_squares(x); };
    auto const [value, g] = xgrad::value_and_gradient(f, d);
    BOOST_CHECK_EQUAL(value, 14.0);
    BOOST_CHECK(std::get<0>(g).W_ == 2 * d.W());
    BOOST_CHECK(std::get<0>(g).more_[1] == (vector{1, 1}));
}

BOOST_AUTO_TEST_CASE(assigned_to) {
    fixed const x{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
    auto const [g] = xgrad::gradient([](auto const& a) { auto h = a * a; auto w = assign(a, h * 3.0); return sum(w * a); }, x);
    BOOST_CHECK(xt::allclose(g, 36 * x * x * x));
    BOOST_CHECK(x == (fixed{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}));
}
