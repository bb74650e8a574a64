// Draws programs of statements that write into arrays, and compares each with the same program on a vector of numbers, in reverse and forward mode, on plain
// arrays by differences, and pulled twice. XGRAD_TEST_PROGRAMS=100000 runs more of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#ifndef XGRAD_TEST_DRAW
#define XGRAD_TEST_DRAW 1
#endif

namespace {
using matrix = xt::xtensor<double, 2>;
constexpr std::ptrdiff_t n = 4;
matrix const constants{{0.5, 0.25, -0.5, 1.0}, {0.1, -0.2, 0.3, 0.4}, {1.0, 0.5, 0.2, -0.7}, {0.3, 0.6, -0.1, 0.9}};

// ---- what a program is

struct range {
    std::ptrdiff_t begin = 0, count = 0, step = 1;
    std::ptrdiff_t at(std::ptrdiff_t k) const { return begin + k * step; }
    auto slice() const { return xt::range(begin, begin + count * step, step); }
};
struct region {
    range i, j;
};
enum class kind {
    element, number_of, region_of_number, region_of_region, product, row, transposed, swap, swap_arrays, copy, whole, helper, walk, hold_number,
    hold_region, use_held, fill, refer, move, each, again, last
};
enum class update { set, add, subtract, multiply, divide };
template <class V, class E>
void set(update how, V&& v, E const& e) {
    switch (how) {
        case update::set: v = e; break;
        case update::add: v += e; break;
        case update::subtract: v -= e; break;
        case update::multiply: v *= e; break;
        case update::divide: v /= e * e + 2.0; break;
    }
}
struct statement {
    kind what;
    update how;
    int a, b, c;
    std::ptrdiff_t i, j, k, l;
    region to, from, other;
    double x;
};
using program = std::vector<statement>;

class draw {
public:
    explicit draw(unsigned seed) : random_(seed) {}
    program operator()() {
        program p;
        for (int k = number(4, 14); k > 0; --k) p.push_back(one());
        return p;
    }

private:
    std::mt19937 random_;
    int number(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
    // of equal or other counts, forward or backward, with steps
    range part(std::ptrdiff_t count) {
        range r;
        r.count = count;
        if (count > 0 && count < n && number(0, 3) == 0) {
            r.begin = number(static_cast<int>(count), n - 1);
            r.step = -1;
            return r;
        }
        bool const wide = (count - 1) * 2 < n && number(0, 3) == 0;
        std::ptrdiff_t const step = wide ? 2 : 1, span = count == 0 ? 0 : (count - 1) * step;
        r.begin = number(0, static_cast<int>(count == 0 ? n - 1 : n - 1 - span));
        r.step = step;
        return r;
    }
    statement one() {
        statement s;
        s.what = static_cast<kind>(number(0, static_cast<int>(kind::last) - 1));
        s.how = static_cast<update>(number(0, 4));
        s.a = number(0, 2), s.b = number(0, 2), s.c = number(0, 2);
        s.i = number(0, n - 1), s.j = number(0, n - 1), s.k = number(0, n - 1), s.l = number(0, n - 1);
        std::ptrdiff_t const h = number(0, 9) == 0 ? 0 : number(1, n), w = number(1, n);
        s.to = {part(h), part(w)};
        s.from = {part(h), part(w)};
        s.other = {part(h), part(w)};
        s.x = number(-8, 8) / 8.0 + 0.0625;
        return s;
    }
};

// ---- how it runs: on arrays, written as it is for plain ones

template <class X>
constexpr bool is_plain = !xgrad::active<X>;

template <class A, class N, class X>
class on_arrays {
public:
    explicit on_arrays(X const& x) : u_{A(x), A(x * 0.5 + 0.25), A(constants)} {}
    N read(int a, std::ptrdiff_t i, std::ptrdiff_t j) { return N(u_[a](i, j)); }
    template <class E>
    void write(update how, int a, std::ptrdiff_t i, std::ptrdiff_t j, E const& e) { set(how, u_[a](i, j), e); }
    void element_of_element(int a, std::ptrdiff_t i, std::ptrdiff_t j, int b, std::ptrdiff_t k, std::ptrdiff_t l) { u_[a](i, j) = u_[b](k, l); }
    void product_of_elements(int a, std::ptrdiff_t i, std::ptrdiff_t j, int b, std::ptrdiff_t k, std::ptrdiff_t l) {
        u_[a](i, j) = u_[a](i, j) * u_[b](k, l) * 0.5;
    }
    void write_number(update how, int a, region const& r, N const& e) {
        auto v = part(a, r);
        set(how, v, e);
    }
    void write_region(update how, int a, region const& r, int b, region const& q) { set(how, part(a, r), part(b, q)); }
    void write_product(update how, int a, region const& r, int b, region const& q, int c, region const& p, double x, bool named) {
        if (named) {
            auto const left = part(b, q), right = part(c, p);
            set(how, part(a, r), left * x + right * right);
        } else set(how, part(a, r), part(b, q) * x + part(c, p) * part(b, q));
    }
    void write_row(update how, int a, range const& r, int b, std::ptrdiff_t i) {
        set(how, xt::view(u_[a], r.slice(), xt::all()), xt::row(u_[b], i));
    }
    void write_transposed(update how, int a, int b) {
        if constexpr (is_plain<A>) {
            matrix const e = u_[b];
            matrix t = xt::transpose(u_[a]);
            set(how, t, e);
            u_[a] = matrix(xt::transpose(t));
        } else set(how, transpose(u_[a]), u_[b] * 1.0);
    }
    void swap(int a, std::ptrdiff_t i, std::ptrdiff_t j, int b, std::ptrdiff_t k, std::ptrdiff_t l) {
        using std::swap;
        swap(u_[a](i, j), u_[b](k, l));
    }
    void swap_arrays(int a, int b) { std::swap(u_[a], u_[b]); }
    void copy(int a, int b) { u_[a] = u_[b]; }
    void whole(int a, int b, double x) { u_[a] = A(u_[a] * x + u_[b] * u_[b]); }
    void fill(int a, double x) { u_[a].fill(x); }
    void fill(int a, region const& r, double x) { part(a, r).fill(x); }
    void each(int a, double x) {
        for (auto&& e : u_[a]) e = e * x;
    }
    void rotate(int a, std::ptrdiff_t by) { std::rotate(u_[a].begin(), u_[a].begin() + by, u_[a].end()); }
    // a reference stays, whatever is written by other names
    void refer(int a, std::ptrdiff_t i, std::ptrdiff_t j, region const& r, double x) {
        auto& e = u_[a](i, j);
        e *= x;
        part(a, r) *= x;
        e += 0.5;
        part(a, r) += e * 0.25;
    }
    // a view with a name, whose elements were read before it is assigned to
    void write_again(int a, region const& r, double x) {
        if (r.i.count == 0) return;
        auto v = part(a, r);
        v *= x;
        auto const e = [&] {
            if constexpr (is_plain<A>) return double(v(0, 0));
            else return v(0, 0);
        }();
        N const d = N(v(0, r.j.count - 1)) * 2.0;
        v = d * 0.5;
        v += e * x;
        v -= v(0, 0) * 0.25;
        u_[a](1, 1) += e * d;
    }
    void hold(int a, region const& r) {
        if constexpr (is_plain<A>) held_.push_back(matrix(part(a, r)));
        else held_.push_back(part(a, r));
    }
    void hold_formula(int a, double x) {
        if constexpr (is_plain<A>) held_sums_.push_back(sum_of(matrix(u_[a] * u_[a] * x)));
        else held_sums_.push_back(sum_of(u_[a] * u_[a] * x));
    }
    N use_held() {
        N s = 0.0;
        for (auto const& h : held_) s += sum_of(h) * 0.5;
        for (auto const& h : held_sums_) s += h;
        return s;
    }
    template <class F>
    void call(int a, int b, F f) { f(u_[a], u_[b]); }
    N result() {
        N s = use_held();
        for (int a = 0; a < 3; ++a) s += sum_of(u_[a] * u_[a]) * (0.25 * (a + 1)) + N(u_[a](1, 2)) * N(u_[a](3, 0));
        return s;
    }

private:
    std::array<A, 3> u_;
    auto part(int a, region const& r) { return xt::view(u_[a], r.i.slice(), r.j.slice()); }
    using part_type = decltype(xt::view(std::declval<A&>(), range().slice(), range().slice()));
    std::vector<std::conditional_t<is_plain<A>, matrix, part_type>> held_;
    std::vector<N> held_sums_;

    template <class E>
    static N sum_of(E const& e) {
        if constexpr (is_plain<A>) return xt::sum(e)();
        else return N(sum(e));
    }
};

// ---- and element by element on numbers

template <class N, class X>
class on_numbers {
public:
    explicit on_numbers(X const& x) : u_(3, std::vector<N>(n * n)) {
        for (std::ptrdiff_t i = 0; i < n; ++i)
            for (std::ptrdiff_t j = 0; j < n; ++j) {
                at(0, i, j) = x(i, j);
                at(1, i, j) = x(i, j) * 0.5 + 0.25;
                at(2, i, j) = constants(i, j);
            }
    }
    N read(int a, std::ptrdiff_t i, std::ptrdiff_t j) { return at(a, i, j); }
    void write(update how, int a, std::ptrdiff_t i, std::ptrdiff_t j, N const& e) { set(how, at(a, i, j), e); }
    void element_of_element(int a, std::ptrdiff_t i, std::ptrdiff_t j, int b, std::ptrdiff_t k, std::ptrdiff_t l) { at(a, i, j) = at(b, k, l); }
    void product_of_elements(int a, std::ptrdiff_t i, std::ptrdiff_t j, int b, std::ptrdiff_t k, std::ptrdiff_t l) {
        at(a, i, j) = at(a, i, j) * at(b, k, l) * 0.5;
    }
    void write_number(update how, int a, region const& r, N const& e) { write_all(how, a, r, std::vector<N>(r.i.count * r.j.count, e)); }
    void write_region(update how, int a, region const& r, int b, region const& q) { write_all(how, a, r, part(b, q)); }
    void write_product(update how, int a, region const& r, int b, region const& q, int c, region const& p, double x, bool named) {
        auto y = part(b, q), z = part(c, p);
        for (std::size_t k = 0; k < y.size(); ++k) y[k] = named ? y[k] * x + z[k] * z[k] : y[k] * x + z[k] * y[k];
        write_all(how, a, r, y);
    }
    void write_row(update how, int a, range const& r, int b, std::ptrdiff_t i) {
        auto const y = part(b, {{i, 1, 1}, {0, n, 1}});
        std::vector<N> e;
        for (std::ptrdiff_t k = 0; k < r.count; ++k) e.insert(e.end(), y.begin(), y.end());
        write_all(how, a, {r, {0, n, 1}}, e);
    }
    void write_transposed(update how, int a, int b) {
        auto const e = u_[b];
        for (std::ptrdiff_t i = 0; i < n; ++i)
            for (std::ptrdiff_t j = 0; j < n; ++j) set(how, at(a, j, i), e[i * n + j]);
    }
    void swap(int a, std::ptrdiff_t i, std::ptrdiff_t j, int b, std::ptrdiff_t k, std::ptrdiff_t l) { std::swap(at(a, i, j), at(b, k, l)); }
    void swap_arrays(int a, int b) { std::swap(u_[a], u_[b]); }
    void copy(int a, int b) { u_[a] = u_[b]; }
    void whole(int a, int b, double x) {
        auto const y = u_[b];
        for (std::size_t k = 0; k < n * n; ++k) u_[a][k] = u_[a][k] * x + y[k] * y[k];
    }
    void fill(int a, double x) { u_[a].assign(n * n, N(x)); }
    void fill(int a, region const& r, double x) { write_all(update::set, a, r, std::vector<N>(r.i.count * r.j.count, N(x))); }
    void each(int a, double x) {
        for (auto& e : u_[a]) e *= x;
    }
    void rotate(int a, std::ptrdiff_t by) { std::rotate(u_[a].begin(), u_[a].begin() + by, u_[a].end()); }
    void refer(int a, std::ptrdiff_t i, std::ptrdiff_t j, region const& r, double x) {
        at(a, i, j) *= x;
        write_all(update::multiply, a, r, std::vector<N>(r.i.count * r.j.count, N(x)));
        at(a, i, j) += 0.5;
        N const e = at(a, i, j);
        write_all(update::add, a, r, std::vector<N>(r.i.count * r.j.count, N(e * 0.25)));
    }
    void write_again(int a, region const& r, double x) {
        if (r.i.count == 0) return;
        auto const all = [&](N const& y) { return std::vector<N>(r.i.count * r.j.count, y); };
        write_all(update::multiply, a, r, all(N(x)));
        N const e = at(a, r.i.at(0), r.j.at(0)), d = at(a, r.i.at(0), r.j.at(r.j.count - 1)) * 2.0;
        write_all(update::set, a, r, all(N(d * 0.5)));
        write_all(update::add, a, r, all(N(e * x)));
        write_all(update::subtract, a, r, all(N(at(a, r.i.at(0), r.j.at(0)) * 0.25)));
        at(a, 1, 1) += e * d;
    }
    void hold(int a, region const& r) { held_.push_back(sum_of(part(a, r)) * 0.5); }
    void hold_formula(int a, double x) {
        N s = 0.0;
        for (auto const& e : u_[a]) s += e * e * x;
        held_.push_back(s);
    }
    N use_held() { return sum_of(held_); }
    template <class F>
    void call(int a, int b, F f) {
        struct view_of {
            std::vector<N>& u;
            N& operator()(std::ptrdiff_t i, std::ptrdiff_t j) { return u[i * n + j]; }
        } y{u_[a]}, z{u_[b]};
        f(y, z);
    }
    N result() {
        N s = use_held();
        for (int a = 0; a < 3; ++a) {
            for (auto const& e : u_[a]) s += e * e * (0.25 * (a + 1));
            s += at(a, 1, 2) * at(a, 3, 0);
        }
        return s;
    }

private:
    std::vector<std::vector<N>> u_;
    std::vector<N> held_;
    N& at(int a, std::ptrdiff_t i, std::ptrdiff_t j) { return u_[a][i * n + j]; }
    std::vector<N> part(int a, region const& r) {
        std::vector<N> e;
        for (std::ptrdiff_t i = 0; i < r.i.count; ++i)
            for (std::ptrdiff_t j = 0; j < r.j.count; ++j) e.push_back(at(a, r.i.at(i), r.j.at(j)));
        return e;
    }
    void write_all(update how, int a, region const& r, std::vector<N> const& e) {
        for (std::ptrdiff_t i = 0; i < r.i.count; ++i)
            for (std::ptrdiff_t j = 0; j < r.j.count; ++j) set(how, at(a, r.i.at(i), r.j.at(j)), e[i * r.j.count + j]);
    }
    static N sum_of(std::vector<N> const& v) {
        N s = 0.0;
        for (auto const& e : v) s += e;
        return s;
    }
};

// One program is one loop over its statements.
template <class N, class Machine>
N run(program const& p, Machine& m) {
    std::vector<N> held;
    for (statement const& s : p) switch (s.what) {
        case kind::element: m.element_of_element(s.a, s.i, s.j, s.b, s.k, s.l); break;
        case kind::number_of: m.write(s.how, s.a, s.i, s.j, N(m.read(s.b, s.k, s.l) * s.x + m.read(s.a, s.i, s.j) * m.read(s.c, s.l, s.k))); break;
        case kind::region_of_number: m.write_number(s.how, s.a, s.to, m.read(s.b, s.k, s.l)); break;
        case kind::region_of_region: m.write_region(s.how, s.a, s.to, s.b, s.from); break;
        case kind::product: m.write_product(s.how, s.a, s.to, s.b, s.from, s.c, s.other, s.x, s.k % 2 == 0); break;
        case kind::row: m.write_row(s.how, s.a, s.to.i, s.b, s.i); break;
        case kind::transposed: m.write_transposed(s.how, s.a, s.b); break;
        case kind::swap: m.swap(s.a, s.i, s.j, s.b, s.k, s.l); break;
        case kind::swap_arrays: m.swap_arrays(s.a, s.b); break;
        case kind::copy: m.copy(s.a, s.b); break;
        case kind::whole: m.whole(s.a, s.b, s.x); break;
        case kind::helper:
            m.call(s.a, s.b, [&](auto& u, auto& w) {
                if (s.x > 0.5) return;
                for (std::ptrdiff_t i = 1; i < n; ++i) u(i, s.j) += u(i - 1, s.j) * w(i, s.l) * 0.5;
                w(s.k, s.l) = u(s.i, s.j) * s.x;
            });
            break;
        case kind::walk:
            for (std::ptrdiff_t i = n - 1; i-- > 0;) {
                m.product_of_elements(s.a, i, s.j, s.b, i + 1, s.l);
                if (i == s.k) break;
            }
            break;
        case kind::hold_number: held.push_back(m.read(s.a, s.i, s.j)); break;
        case kind::hold_region:
            if (s.k % 2 == 0) m.hold(s.a, s.from);
            else m.hold_formula(s.a, s.x);
            break;
        case kind::use_held: m.write(s.how, s.a, s.i, s.j, m.use_held() * s.x); break;
        case kind::fill:
            if (s.k == 0) m.fill(s.a, s.x);
            else m.fill(s.a, s.to, s.x);
            break;
        case kind::refer: m.refer(s.a, s.i, s.j, s.to, s.x); break;
        case kind::move: m.rotate(s.a, s.i * n + s.j); break;
        case kind::each: m.each(s.a, s.x); break;
        case kind::again: m.write_again(s.a, s.to, s.x); break;
        case kind::last: break;
    }
    N r = m.result();
    for (auto const& h : held) r += h * h;
    return r;
}

unsigned from_environment(char const* name, unsigned otherwise) {
    char const* const t = std::getenv(name);
    return t ? static_cast<unsigned>(std::strtoul(t, nullptr, 10)) : otherwise;
}
bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1.0 + std::abs(a) + std::abs(b)); }
bool near(matrix const& a, matrix const& b, double tolerance) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!near(a.data()[i], b.data()[i], tolerance)) return false;
    return true;
}
}

BOOST_AUTO_TEST_CASE(programs_that_write_into_arrays) {
    matrix const x{{0.3, 0.5, 0.9, -0.4}, {1.1, 0.2, 0.4, 0.7}, {-0.6, 0.8, 0.15, 0.35}, {0.45, -0.3, 0.65, 0.25}};
    matrix const d{{1.0, -0.5, 0.25, 0.5}, {0.75, 1.0, -1.0, 0.5}, {0.5, 0.25, 1.0, -0.75}, {-0.5, 1.0, 0.5, 1.0}};
    program p;
    auto const on_places = [&](auto const& y) {
        using X = std::remove_cvref_t<decltype(y)>;
        using N = xgrad::number_like<X>;
        on_arrays<xgrad::array_like<X, 2>, N, X> m(y);
        return run<N>(p, m);
    };
    auto const by_numbers = [&](auto const& y) {
        using X = std::remove_cvref_t<decltype(y)>;
        using N = xgrad::number_like<X>;
        on_numbers<N, X> m(y);
        return run<N>(p, m);
    };
    auto const plain = [&](matrix const& y) {
        on_arrays<matrix, double, matrix> m(y);
        return run<double>(p, m);
    };
    auto places = xgrad::prepare_gradient(on_places, x);
    std::size_t wrong = 0;
    unsigned const first = from_environment("XGRAD_TEST_SEED", 1), count = from_environment("XGRAD_TEST_PROGRAMS", 4000);
    for (unsigned seed = first; seed < first + count; ++seed) {
        p = draw(seed + XGRAD_TEST_DRAW * 1000000u)();
        auto const bad = [&](char const* what) {
            if (++wrong <= 5) BOOST_ERROR("program " + std::to_string(seed) + ": " + what);
        };
        double const y = plain(x);
        if (!(std::abs(y) < 1e8)) continue;  // no digits are left of the differences
        auto const& [value, gradient] = places(x);
        matrix const g = std::get<0>(gradient);
        if (!near(value, y, 1e-10)) bad("the value is not that of the plain program");
        auto const [v, by_number] = xgrad::value_and_gradient(by_numbers, x);
        if (!near(g, std::get<0>(by_number), 1e-9)) bad("the gradient is not that of the program on numbers");
        auto const [f, fdot] = xgrad::jvp(on_places, std::tuple(x), std::tuple(d));
        if (!near(f, y, 1e-10) || !near(fdot, xt::sum(g * d)(), 1e-8)) bad("the forward mode is another");
        if (seed % 16 == 0) {
            double const h = 1e-5;
            if (!near((plain(x + h * d) - plain(x - h * d)) / (2 * h), fdot, 1e-4 * (1.0 + std::abs(y)))) bad("differences are others");
            auto [w, pullback] = xgrad::vjp(on_places, x);
            for (double seed_of_result : {1.0, -2.0}) {
                auto const [twice] = pullback(seed_of_result);
                if (!near(matrix(seed_of_result * g), twice, 1e-9)) bad("the pullback is another");
            }
            auto const [second] = xgrad::hvp(on_places, x, d).product;
            auto const [second_by_number] = xgrad::hvp(by_numbers, x, d).product;
            if (!near(second, second_by_number, 1e-8)) bad("the second derivative is another");
        }
    }
    BOOST_TEST(wrong == 0u);
}
