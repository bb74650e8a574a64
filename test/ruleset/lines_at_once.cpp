// Rules of lines that take several lines at once, of numbers and of duals: what they give is what they give of each line by itself, however many lines there
// are, of whatever length, and wherever they lie.
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

using xgrad::detail::memory_in;

double const inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

// Element k of line (i, j) of 2 by m lines lies at i a + j b + k c.
struct layout {
    std::ptrdiff_t a, b, c;
    std::size_t at(std::size_t i, std::size_t j, std::size_t k) const {
        return static_cast<std::size_t>(1 + static_cast<std::ptrdiff_t>(i) * a + static_cast<std::ptrdiff_t>(j) * b + static_cast<std::ptrdiff_t>(k) * c);
    }
};
std::vector<layout> layouts(std::size_t lines, std::size_t length) {
    auto const m = static_cast<std::ptrdiff_t>(lines), n = static_cast<std::ptrdiff_t>(length);
    return {{m * n, n, 1}, {m * n, 1, m}, {1, 2, 2 * m}, {4 * m * n, 2 * n, 2}, {n, 2 * n, 1}, {5 * m * n, 4 * n + 1, 3}};
}

template <class T>
struct memory {
    std::vector<T> room;
    xgrad::memory_t<T> data;
    explicit memory(std::size_t n) : room(n), data(memory_in<T>(room.data(), n)) {}
};
// Of several NaN in a line any one gives the tangent.
template <class P>
bool is_same(P const& a, P const& b) {
    if constexpr (xgrad::is_number_dual<P>) {
        bool same = is_same(a.primal, b.primal);
        for (std::size_t k = 0; k < P::count; ++k) same = same && (a != a || is_same(a.direction(k), b.direction(k)));
        return same;
    } else return a == b || (a != a && b != b) || std::abs(a - b) <= 100 * std::numeric_limits<P>::epsilon() * (1 + std::abs(b));
}
// A number between -2 and 2, or one of special ones.
template <class P>
P number(std::size_t i, bool special) {
    auto const x = std::sin(1.0 + 1.3 * static_cast<double>(i)) * 2;
    double const odd[] = {-inf, -inf, -inf, inf, not_a_number, 0.5, 0.0, 0.5};
    if constexpr (xgrad::is_number_dual<P>) {
        P p(number<typename P::primal_type>(i, special));
        for (std::size_t k = 0; k < P::count; ++k) p.direction(k) = number<typename P::primal_type>(7 * i + k, false);
        return p;
    } else return static_cast<P>(special && i % 3 == 0 ? odd[i / 3 % 8] : x);
}

template <class Op, class T>
struct checked {
    using operation = xgrad::along_lines<Op, xgrad::rank_c<3>>;
    using rule = xgrad::array_rule<operation>;
    Op of;

    template <class F>
    static void with_kept(operation const& op, xgrad::extents<3> const& shape, std::vector<std::ptrdiff_t>& kept, F f) {
        if constexpr (rule::has_scratch) {
            kept.resize(rule::template scratch<T>(op, shape) + 1);
            f(kept.data());
        } else f();
    }
    // The lines of the shape from (i, j) on: y, and x̄ beside what is there.
    void run(xgrad::extents<3> const& shape, std::size_t i, std::size_t j, layout const& in, layout const& out, layout const& back, memory<T>& x,
             memory<T>& ybar, memory<T>& y, memory<T>& xbar, bool add) const {
        operation const op{of, 1u << 2, true};
        std::vector<std::ptrdiff_t> kept;
        auto const s = rule::shape(op, shape);
        auto const steps = [](layout const& l) { return xgrad::strides<3>{{l.a, l.b, l.c}}; };
        xgrad::array_ref<T const, 3> const from{x.data + in.at(i, j, 0), shape, steps(in)}, value{y.data + out.at(i, j, 0), s, steps(out)},
            seed{ybar.data + out.at(i, j, 0), s, steps(out)};
        xgrad::array_ref<T, 3> const to{y.data + out.at(i, j, 0), s, steps(out)}, cotangent{xbar.data + back.at(i, j, 0), shape, steps(back)};
        with_kept(op, shape, kept, [&](auto... scratch) {
            rule::value(op, scratch..., to, from);
            rule::template pullback<0>(op, scratch..., cotangent, add, seed, value, from);
        });
    }
    void compare(std::size_t m, std::size_t n, layout const& in, layout const& out, layout const& back, bool add, bool special) const {
        std::size_t const size = 16 * (m + 1) * (n + 1) + 16;
        memory<T> x(size), ybar(size), y(size), xbar(size), expected_y(size), expected(size);
        for (std::size_t k = 0; k < size; ++k) {
            x.data[k] = number<T>(k, special);
            ybar.data[k] = number<T>(3 * k + 1, false);
            xbar.data[k] = expected.data[k] = y.data[k] = expected_y.data[k] = number<T>(5 * k, false);
        }
        run({{2, m, n}}, 0, 0, in, out, back, x, ybar, y, xbar, add);
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < m; ++j) run({{1, 1, n}}, i, j, in, out, back, x, ybar, expected_y, expected, add);
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < size; ++k) wrong += !is_same<T>(y.data[k], expected_y.data[k]) + !is_same<T>(xbar.data[k], expected.data[k]);
        auto const text = [](layout const& l) { return "(" + std::to_string(l.a) + ", " + std::to_string(l.b) + ", " + std::to_string(l.c) + ")"; };
        BOOST_CHECK_MESSAGE(wrong == 0, typeid(Op).name() << " of " << typeid(T).name() << ": " << wrong << " numbers of 2 x " << m << " lines of " << n
                                                          << " are others, in steps " << text(in) << text(out) << text(back) << (add ? ", added" : "")
                                                          << (special ? ", with special ones" : ""));
    }
    void all() const {
        constexpr std::size_t W = xgrad::lanes<T>;
        for (std::size_t const n : {std::size_t(1), std::size_t(2), std::size_t(3), W - 1, W, W + 1, std::size_t(50), 9 * W})
            for (std::size_t m = 1; m <= 2 * W + 1; m += n > 3 ? 3 : 1) {
                if (n == 0) continue;
                auto const l = layouts(m, n);
                for (std::size_t i = 0; i < l.size(); ++i) {
                    compare(m, n, l[i], l[i], l[i], i % 2 == 0, false);
                    compare(m, n, l[i], l[(i + m) % l.size()], l[(i + n) % l.size()], i % 2 != 0, m % 2 == 0);
                }
            }
    }
};
template <class T, class... Op>
void check(Op const&... op) {
    (checked<Op, T>{op}.all(), ...);
}

using dual = xgrad::dual<double, 1, struct tag>;
using duals = xgrad::dual<float, 3, struct tag>;

}

BOOST_AUTO_TEST_CASE(lines_give_numbers) {
    using namespace xgrad::op;
    check<double>(logsumexp{}, amax{}, amin{}, variance{}, stddev{}, trapz{0.5}, prod{});
    check<float>(logsumexp{}, amax{}, variance{});
}
BOOST_AUTO_TEST_CASE(lines_give_lines) {
    using namespace xgrad::op;
    check<double>(softmax{}, log_softmax{}, cumsum{}, cumprod{}, cummax{}, cummin{}, logcumsumexp{}, diff{1});
    check<float>(softmax{}, cumsum{});
}
BOOST_AUTO_TEST_CASE(lines_of_duals) {
    using namespace xgrad::op;
    check<dual>(logsumexp{}, amax{}, stddev{}, prod{}, softmax{}, log_softmax{}, cumsum{}, cumprod{}, cummax{}, logcumsumexp{}, diff{1});
    check<duals>(logsumexp{}, softmax{});
}
// As many as fit into the parts of sums, and more.
BOOST_AUTO_TEST_CASE(long_lines) {
    using namespace xgrad::op;
    for (std::size_t const n : {std::size_t(1024), std::size_t(5000)}) {
        std::size_t const m = xgrad::lanes<double> + 2;
        auto const l = layouts(m, n);
        for (std::size_t i = 0; i < l.size(); ++i) {
            checked<logsumexp, double>{{}}.compare(m, n, l[i], l[i], l[1], false, false);
            checked<softmax, double>{{}}.compare(m, n, l[i], l[0], l[i], true, false);
        }
    }
}
