#include <xgrad/ruleset/linalg/product.hpp>

#include "blas_calls.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <xgrad/host.hpp>

namespace {

using xgrad::matrix_ref;
using xgrad::transposed;
using xgrad::vector_ref;
namespace la = xgrad::linalg;

// A number that BLAS does not know.
struct toy_dual {
    double value = 0, dot = 0;

    friend toy_dual operator*(toy_dual const& a, toy_dual const& b) { return {a.value * b.value, a.dot * b.value + a.value * b.dot}; }
    friend toy_dual operator+(toy_dual const& a, toy_dual const& b) { return {a.value + b.value, a.dot + b.dot}; }
    toy_dual& operator+=(toy_dual const& b) { return *this = *this + b; }
    friend bool operator==(toy_dual const&, toy_dual const&) = default;
};

using element_types = std::tuple<float, double, std::complex<float>, std::complex<double>, long double, toy_dual>;

template <class T>
T poison() {
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    if constexpr (requires(T t) { t.dot; }) return {nan, nan};
    else if constexpr (requires(T t) { t.imag(); }) return T(static_cast<typename T::value_type>(nan), static_cast<typename T::value_type>(nan));
    else return static_cast<T>(nan);
}

// Small integers: every order of summation gives the same answer, exactly.
template <class T>
T draw() {
    static std::mt19937 engine{7};
    auto const one = [] { return static_cast<float>(std::uniform_int_distribution<int>{-4, 4}(engine)); };
    if constexpr (requires(T t) { t.dot; }) return {one(), one()};
    else if constexpr (requires(T t) { t.imag(); }) return T(static_cast<typename T::value_type>(one()), static_cast<typename T::value_type>(one()));
    else return static_cast<T>(one());
}

struct layout {
    std::string name;
    std::ptrdiff_t row_stride, col_stride;
    bool repeats = false;
};

// What views, transposes, slices, flips and broadcasts of an array make of r rows and c columns; the repeating ones last.
std::vector<layout> layouts(std::ptrdiff_t r, std::ptrdiff_t c) {
    std::vector<layout> all{{"row-major", c, 1},
                            {"column-major", 1, r},
                            {"range of row-major", c + 3, 1},
                            {"range of column-major", 1, r + 2},
                            {"step over columns", 2 * c, 2},
                            {"step over columns of column-major", 1, 3 * r},
                            {"inner slice of rank 3", 5 * c, 5},
                            {"inner slice of rank 3, column-major", 5, 5 * r},
                            {"flipped rows", -c, 1},
                            {"flipped columns", c, -1},
                            {"flipped both", -c, -1},
                            {"flipped column-major", 1, -r},
                            {"one row repeated", 0, 1, true},
                            {"one column repeated", 1, 0, true},
                            {"one element repeated", 0, 0, true}};
    // an extent of one may have any stride
    if (r == 1 || c == 1)
        for (std::ptrdiff_t const s : {0, 77}) all.insert(all.begin(), {"free stride " + std::to_string(s), r == 1 ? s : c, c == 1 ? s : 1});
    return all;
}

template <class T>
struct operand {
    std::vector<T> memory;
    matrix_ref<T> ref;

    operand(std::ptrdiff_t r, std::ptrdiff_t c, layout const& l, bool drawn) {
        auto const reach = [](std::ptrdiff_t n, std::ptrdiff_t s) { return n > 0 ? (n - 1) * s : 0; };
        auto const x = reach(r, l.row_stride), y = reach(c, l.col_stride);
        auto const low = std::min<std::ptrdiff_t>(x, 0) + std::min<std::ptrdiff_t>(y, 0);
        auto const high = std::max<std::ptrdiff_t>(x, 0) + std::max<std::ptrdiff_t>(y, 0);
        memory.assign(static_cast<std::size_t>(high - low + 5), poison<T>());
        ref = {memory.data() + 2 - low, r, c, l.row_stride, l.col_stride};
        if (drawn) fill();
    }
    operand(operand const&) = delete;

    void fill() {
        for (std::ptrdiff_t i = 0; i < ref.rows; ++i)
            for (std::ptrdiff_t j = 0; j < ref.cols; ++j) ref(i, j) = draw<T>();
    }

    // Whether the matrix equals `expected` and nothing around it was written.
    bool holds(std::vector<T> const& expected) {
        bool right = true;
        for (std::ptrdiff_t i = 0; i < ref.rows; ++i)
            for (std::ptrdiff_t j = 0; j < ref.cols; ++j) {
                right = right && ref(i, j) == expected[static_cast<std::size_t>(i * ref.cols + j)];
                ref(i, j) = poison<T>();
            }
        for (auto const& e : memory) right = right && !(e == e);
        return right;
    }
};

template <class T>
std::vector<T> naive(matrix_ref<T const> a, matrix_ref<T const> b, matrix_ref<T> y, bool add) {
    std::vector<T> out;
    for (std::ptrdiff_t i = 0; i < a.rows; ++i)
        for (std::ptrdiff_t j = 0; j < b.cols; ++j) {
            T sum = add ? y(i, j) : T{};
            for (std::ptrdiff_t l = 0; l < a.cols; ++l) sum += a(i, l) * b(l, j);
            out.push_back(sum);
        }
    return out;
}

std::string told(std::string what, std::array<std::ptrdiff_t, 3> s, bool add) {
    return what + ", " + std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]) + (add ? ", added" : ", assigned");
}

constexpr std::array<std::array<std::ptrdiff_t, 3>, 14> shapes{{{3, 4, 5},
                                                                {1, 4, 5},
                                                                {3, 1, 5},
                                                                {3, 4, 1},
                                                                {1, 1, 5},
                                                                {1, 4, 1},
                                                                {3, 1, 1},
                                                                {1, 1, 1},
                                                                {6, 6, 6},
                                                                {0, 4, 5},
                                                                {3, 0, 5},
                                                                {3, 4, 0},
                                                                {0, 0, 0},
                                                                {9, 17, 11}}};
// and with a matrix that is not short
std::vector<std::array<std::ptrdiff_t, 3>> and_long_ones() {
    std::vector<std::array<std::ptrdiff_t, 3>> all(shapes.begin(), shapes.end());
    all.push_back({21, 17, 19});
    return all;
}

BOOST_AUTO_TEST_SUITE(linalg_product)

BOOST_AUTO_TEST_CASE_TEMPLATE(matrix_by_matrix_in_every_pair_of_layouts, T, element_types) {
    for (auto const& s : shapes)
        for (auto const& la_ : layouts(s[0], s[1]))
            for (auto const& lb : layouts(s[1], s[2]))
                for (auto const& ly : layouts(s[0], s[2])) {
                    if (ly.repeats) continue;
                    operand<T> a(s[0], s[1], la_, true), b(s[1], s[2], lb, true), y(s[0], s[2], ly, false);
                    for (bool const add : {false, true}) {
                        if (add) y.fill();
                        auto const expected = naive<T>(a.ref, b.ref, y.ref, add);
                        la::product(a.ref, b.ref, y.ref, add);
                        if (!y.holds(expected)) BOOST_ERROR(told(la_.name + " by " + lb.name + " into " + ly.name, s, add));
                    }
                }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(matrix_by_vector_in_every_layout, T, element_types) {
    for (auto const& s : and_long_ones())
        for (auto const& l : layouts(s[0], s[1]))
            for (std::ptrdiff_t const sx : {1, 2, -1, -3, 0})
                for (std::ptrdiff_t const sy : {1, 2, -1, -3})
                    for (bool const add : {false, true}) {
                        operand<T> a(s[0], s[1], l, true), x(s[1], 1, {"", sx, 1}, true), y(s[0], 1, {"", sy, 1}, add);
                        auto const expected = naive<T>(a.ref, x.ref, y.ref, add);
                        la::product(a.ref, x.ref.col(0), y.ref.col(0), add);
                        if (!y.holds(expected))
                            BOOST_ERROR(told(l.name + " by vector of stride " + std::to_string(sx) + " into " + std::to_string(sy), s, add));
                        if (add) y.fill();
                        auto const again = naive<T>(a.ref, x.ref, y.ref, add);
                        la::product(x.ref.col(0), transposed(a.ref), y.ref.col(0), add);
                        if (!y.holds(again)) BOOST_ERROR(told("vector of stride " + std::to_string(sx) + " by transposed " + l.name, s, add));
                    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(outer_in_every_layout, T, element_types) {
    for (auto const& s : and_long_ones())
        for (auto const& l : layouts(s[0], s[2]))
            for (std::ptrdiff_t const su : {1, 3, -2, 0})
                for (std::ptrdiff_t const sv : {1, 3, -2, 0})
                    for (bool const add : {false, true}) {
                        if (l.repeats) continue;
                        operand<T> u(s[0], 1, {"", su, 1}, true), v(1, s[2], {"", 1, sv}, true), y(s[0], s[2], l, add);
                        auto const expected = naive<T>(u.ref, v.ref, y.ref, add);
                        la::outer(u.ref.col(0), v.ref.row(0), y.ref, add);
                        if (!y.holds(expected))
                            BOOST_ERROR(told("outer into " + l.name + " from strides " + std::to_string(su) + ", " + std::to_string(sv), s, add));
                    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(inner_and_axpy_in_every_stride, T, element_types) {
    for (std::ptrdiff_t const n : {0, 1, 2, 7, 40})
        for (std::ptrdiff_t const su : {1, 2, -1, -3, 0})
            for (std::ptrdiff_t const sv : {1, 2, -1, -3, 0}) {
                operand<T> u(n, 1, {"", su, 1}, true), v(n, 1, {"", sv, 1}, true);
                T sum{};
                for (std::ptrdiff_t i = 0; i < n; ++i) sum += u.ref(i, 0) * v.ref(i, 0);
                BOOST_CHECK(la::inner(u.ref.col(0), vector_ref<T const>(v.ref.col(0))) == sum);
                if (sv == 0) continue;
                T const alpha = draw<T>();
                std::vector<T> expected;
                for (std::ptrdiff_t i = 0; i < n; ++i) expected.push_back(v.ref(i, 0) + alpha * u.ref(i, 0));
                la::axpy(alpha, u.ref.col(0), v.ref.col(0));
                BOOST_CHECK(v.holds(expected));
            }
}

BOOST_AUTO_TEST_CASE(a_product_larger_than_any_block) {
    std::ptrdiff_t const m = 201, k = 333, n = 150;
    for (bool const ta : {false, true})
        for (bool const tb : {false, true}) {
            operand<double> a(m, k, layouts(m, k)[ta], true), b(k, n, layouts(k, n)[tb], true), y(m, n, layouts(m, n)[0], true);
            auto const expected = naive<double>(a.ref, b.ref, y.ref, true);
            la::product(a.ref, b.ref, y.ref, true);
            BOOST_CHECK(y.holds(expected));
        }
}

// xtensor's own objects.

struct named {
    std::string name;
    matrix_ref<double const> ref;
};

// The memory of a matrix, once it is known to be told right.
template <class E>
named matrix_of(std::string name, E const& e) {
    auto const extent = [&](std::size_t i) { return static_cast<std::ptrdiff_t>(e.shape()[i]); };
    auto const stride = [&](std::size_t i) { return static_cast<std::ptrdiff_t>(e.strides()[i]); };
    matrix_ref<double const> const ref{e.data() + e.data_offset(), extent(0), extent(1), stride(0), stride(1)};
    xt::xtensor<double, 2> const copy = e;
    bool same = true;
    for (std::size_t i = 0; i < copy.shape()[0]; ++i)
        for (std::size_t j = 0; j < copy.shape()[1]; ++j) same = same && copy(i, j) == ref(static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(j));
    BOOST_TEST(same, name);
    return {std::move(name), ref};
}

using row_major = xt::xtensor<double, 2, xt::layout_type::row_major>;
using column_major = xt::xtensor<double, 2, xt::layout_type::column_major>;

row_major drawn(std::size_t r, std::size_t c) {
    row_major out = row_major::from_shape({r, c});
    for (auto& e : out) e = draw<double>();
    return out;
}

template <class Y>
void check_into(named const& a, named const& b) {
    for (bool const add : {false, true}) {
        Y y = Y::from_shape({static_cast<std::size_t>(a.ref.rows), static_cast<std::size_t>(b.ref.cols)});
        for (auto& e : y) e = add ? draw<double>() : poison<double>();
        matrix_ref<double> const ref{y.data(), a.ref.rows, b.ref.cols, y.strides()[0], y.strides()[1]};
        auto const expected = naive<double>(a.ref, b.ref, ref, add);
        la::product(a.ref, b.ref, ref, add);
        BOOST_TEST(std::equal(expected.begin(), expected.end(), y.template begin<xt::layout_type::row_major>()), a.name << " by " << b.name);
    }
}

void check_pair(named const& a, named const& b) {
    check_into<row_major>(a, b);
    check_into<column_major>(a, b);
}

BOOST_AUTO_TEST_CASE(xtensor_matrices_of_every_kind_by_each_other) {
    using namespace xt;
    row_major const A = drawn(6, 6), B = drawn(6, 6), tall = drawn(8, 6), wide = drawn(6, 8);
    column_major const C = drawn(6, 6);
    xarray<double> const D = drawn(6, 6);
    xtensor<double, 3> R = xtensor<double, 3>::from_shape({4, 6, 6});
    for (auto& e : R) e = draw<double>();
    auto const& T = R;
    named const all_[] = {
        matrix_of("row-major", A),
        matrix_of("another", B),
        matrix_of("column-major", C),
        matrix_of("xarray", D),
        matrix_of("transposed", transpose(A)),
        matrix_of("transposed column-major", transpose(C)),
        matrix_of("rows of a taller", view(tall, range(1, 7), all())),
        matrix_of("columns of a wider", view(wide, all(), range(2, 8))),
        matrix_of("transposed range", transpose(view(wide, all(), range(2, 8)))),
        matrix_of("outer slice of rank 3", view(T, 1, all(), all())),
        matrix_of("inner slice of rank 3", view(T, all(), all(), 2)),
        matrix_of("flipped", flip(A, 0)),
        matrix_of("flipped columns", flip(A, 1)),
        matrix_of("strided view", strided_view(A, {range(0, 6), range(0, 6)})),
        matrix_of("steps", view(A, all(), range(0, 6, 2))),
        matrix_of("steps over rows", view(A, range(0, 6, 2), all())),
        matrix_of("two of its rows, transposed", transpose(view(A, range(0, 2), all()))),
        matrix_of("inner range", view(A, range(1, 4), range(1, 4))),
        matrix_of("a row", view(A, range(2, 3), all())),
        matrix_of("a column", view(A, all(), range(2, 3))),
        matrix_of("a row by new axis", view(view(A, 0, all()), newaxis(), all())),
    };
    int checked = 0;
    for (auto const& a : all_)
        for (auto const& b : all_)
            if (a.ref.cols == b.ref.rows) {
                check_pair(a, b);
                ++checked;
            }
    BOOST_TEST(checked > 200);

    row_major const c = drawn(6, 1), r = drawn(1, 6);
    auto const a = matrix_of("row-major", A), c_ = matrix_of("6x1", c), r_ = matrix_of("1x6", r);
    auto const ct = matrix_of("transposed 6x1", transpose(c)), rt = matrix_of("transposed 1x6", transpose(r));
    check_pair(c_, r_);
    check_pair(r_, c_);
    check_pair(r_, a);
    check_pair(a, c_);
    check_pair(ct, a);
    check_pair(a, rt);
    check_pair(ct, c_);
    check_pair(c_, ct);
    check_pair(rt, ct);
}

// The calls that reach the library.

template <class T>
void check_counts() {
    using xgrad::test::blas_calls_of;
    using xgrad::test::blas_counts;
    auto const expect = [](blas_counts const& got, blas_counts const& wanted) { BOOST_CHECK(got == wanted); };
    auto kinds = layouts(6, 6);
    std::size_t const unit = 4, flips = 8;  // the first four have a unit stride, from the ninth on strides are negative or zero
    for (std::size_t i = 0; i < kinds.size(); ++i)
        for (std::size_t j = 0; j < kinds.size(); ++j)
            for (std::size_t l = 0; l < flips; ++l)
                for (bool const add : {false, true}) {
                    operand<T> a(6, 6, kinds[i], true), b(6, 6, kinds[j], true), y(6, 6, kinds[l], true);
                    auto const one = [&](std::size_t k) { return k < unit || k == 5; };
                    expect(blas_calls_of([&] { la::product(a.ref, b.ref, y.ref, add); }), {.gemm = one(i) && one(j) && one(l)});
                }
    // of a matrix and a vector there is none where there is little to do
    for (std::ptrdiff_t const n : {16, 40}) {
        kinds = layouts(n, n);
        for (std::size_t i = 0; i < kinds.size(); ++i)
            for (std::ptrdiff_t const s : {1, 2, -1, 0}) {
                operand<T> a(n, n, kinds[i], true), x(n, 1, {"", s, 1}, true), y(n, 1, {"", -2, 1}, true);
                auto const one = n > 16 && (i < unit || i == 5);
                expect(blas_calls_of([&] { la::product(a.ref, x.ref.col(0), y.ref.col(0), true); }), {.gemv = one && s != 0});
                expect(blas_calls_of([&] { la::product(x.ref.col(0), a.ref, y.ref.col(0), false); }), {.gemv = one && s != 0});
                expect(blas_calls_of([&] { la::product(a.ref, x.ref, y.ref, false); }), {.gemv = one && s != 0});
                if (kinds[i].repeats) continue;
                expect(blas_calls_of([&] { la::outer(x.ref.col(0), x.ref.col(0), a.ref, true); }), {.ger = one && s != 0});
                expect(blas_calls_of([&] { la::outer(x.ref.col(0), x.ref.col(0), a.ref, false); }), {});
                expect(blas_calls_of([&] { la::axpy(T(2), x.ref.col(0), y.ref.col(0)); }), {.axpy = n > 16 && s != 0});
                expect(blas_calls_of([&] { la::inner(x.ref.col(0), y.ref.col(0)); }), {.dot = n > 16 && s != 0});
            }
    }
}

BOOST_AUTO_TEST_CASE(one_call_wherever_the_layouts_allow_one) {
    if (!xgrad::test::counts_blas_calls) return;
    check_counts<float>();
    check_counts<double>();
    check_counts<std::complex<float>>();
    check_counts<std::complex<double>>();
}

BOOST_AUTO_TEST_CASE(extents_and_strides_beyond_the_librarys_integer_are_left_to_the_loops) {
    if (!xgrad::test::counts_blas_calls) return;
    std::ptrdiff_t const big = std::ptrdiff_t{1} << 31;
    BOOST_CHECK(!la::fits_blas_index(big) && !la::fits_blas_index(-big) && la::fits_blas_index(big - 1));
    BOOST_CHECK(!la::as_blas(matrix_ref<double>{nullptr, 2, 3, big, 1}));
    BOOST_CHECK(!la::as_blas(matrix_ref<double>{nullptr, 2, big, big, 1}));
    BOOST_CHECK(!la::as_blas(matrix_ref<double>{nullptr, big, 2, 2, 1}));
    BOOST_CHECK(!la::as_blas(vector_ref<double>{nullptr, big, 1}));
    BOOST_CHECK(la::as_blas(matrix_ref<double>{nullptr, 1, 3, big, 1}));
}

static_assert(std::is_trivially_copyable_v<matrix_ref<double>> && std::is_trivially_copyable_v<vector_ref<double>>);
static_assert(noexcept(la::product(matrix_ref<double const>{}, matrix_ref<double const>{}, matrix_ref<double>{}, true)));
static_assert(noexcept(la::product(matrix_ref<double>{}, vector_ref<double const>{}, vector_ref<double>{}, true)));
static_assert(transposed(matrix_ref<double>{nullptr, 2, 3, 4, 5}).rows == 3 && transposed(matrix_ref<double>{nullptr, 2, 3, 4, 5}).row_stride == 5);

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
