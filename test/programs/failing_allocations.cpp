// Every allocation fails, once and from then on: a call that throws has changed nothing and left nothing behind, and the next one is right.
#include <cstddef>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <valarray>
#include <variant>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

namespace {
// The allocation, counted from now, that fails; those behind it fail, too, if it is for good. Blocks that are alive are counted.
bool watches = false, fails_for_good = false;
std::size_t count = 0, failing = 0;
long alive = 0;
bool fails() {
    if (!watches) return false;
    ++count;
    return fails_for_good ? count >= failing : count == failing;
}
void* taken(void* p) {
    if (!p) throw std::bad_alloc();
    ++alive;
    return p;
}
void freed(void* p) noexcept {
    if (p) --alive;
    std::free(p);
}
}

[[gnu::noinline]] void* operator new(std::size_t n) {
    if (fails()) throw std::bad_alloc();
    return taken(std::malloc(n ? n : 1));
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
    if (fails()) throw std::bad_alloc();
    std::size_t const alignment = static_cast<std::size_t>(a);
    return taken(std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { freed(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { freed(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { freed(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { freed(p); }

using namespace xgrad;

namespace faults {
struct layer {
    xt::xtensor<double, 2> W;
    std::vector<double> b;
};
XGRAD_REFLECT(layer, W, b)
}

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using dynamic = xt::xarray<double>;
using list_of_arrays = std::list<vector>;

// All numbers in a value, a gradient, a tuple of them.
template <class T>
void collect(T const& t, std::vector<double>& r) {
    if constexpr (std::is_same_v<T, double>) r.push_back(t);
    else if constexpr (differentiable<T>) parts<T>::each([&](auto const& part) { collect(part, r); }, t);
}
template <class... T>
std::vector<double> numbers(T const&... t) {
    std::vector<double> r;
    (collect(t, r), ...);
    return r;
}

// call() as often as it takes until no allocation fails: each time it throws std::bad_alloc, or it is done. What it gives is checked by the caller.
template <class Prepare>
void survives(char const* what, Prepare prepare) {
    auto const expected = prepare()();
    for (bool const for_good : {false, true}) {
        std::size_t n = 1;
        for (bool done = false; !done; ++n) {
            BOOST_REQUIRE(n < 2000u);
            auto call = prepare();
            release_workspaces();
            count = 0;
            failing = n;
            fails_for_good = for_good;
            long const before = alive;
            watches = true;
            try {
                auto const y = call();
                watches = false;
                done = count < n;
                BOOST_TEST((y == expected), what << " is wrong where allocation " << n << " fails");
            } catch (std::bad_alloc const&) {
                watches = false;
                release_workspaces();
                // a prepared call may keep what it had made
                BOOST_TEST(alive - before < 200, what << " leaves " << alive - before << " blocks behind allocation " << n);
                auto const y = call();
                BOOST_TEST((y == expected), what << " is wrong after allocation " << n << " has failed");
            }
        }
        BOOST_TEST(n > 1u);
    }
}

// By gradient, which keeps nothing, and prepared, at first with arguments of other forms.
template <class F, class... X>
void check(char const* what, F f, X... x) {
    auto const given = numbers(x...);
    survives(what, [&] {
        return [&] {
            auto r = value_and_gradient(f, x...);
            BOOST_TEST(numbers(x...) == given, boost::test_tools::per_element());
            return numbers(r.value, r.gradient);
        };
    });
}
template <class F, class X, class... Y>
void check_prepared(char const* what, F f, std::tuple<X, Y...> const& other, X const& x, Y const&... y) {
    survives(what, [&] {
        auto g = std::make_shared<decltype(prepare_gradient(f, x, y...))>(prepare_gradient(f, x, y...));
        std::apply([&](auto const&... o) { (*g)(o...); }, other);
        return [&, g] {
            auto const& r = (*g)(x, y...);
            return numbers(r.value, r.gradient);
        };
    });
}

vector const v{1, 2, 3};
matrix const m{{4, 1, 0}, {1, 5, 2}, {0, 2, 6}};

}

BOOST_AUTO_TEST_CASE(arrays) {
    auto const f = [](auto const& x) { auto y = exp(x); auto z = y * x; return sum(z * y); };
    check("a vector", f, v);
    check("an array of dynamic rank", f, dynamic(m));
    check("a column-major one", f, xt::xtensor<double, 2, xt::layout_type::column_major>(m));
    check_prepared("a vector, prepared", f, std::tuple(vector{1, 2}), v);
    check_prepared("an array of dynamic rank, prepared", f, std::tuple(dynamic{{1.0, 2.0}}), dynamic(m));
    check_prepared("a dynamic layout, prepared", f, std::tuple(xt::xarray<double, xt::layout_type::dynamic>{{1.0, 2.0}}),
                   xt::xarray<double, xt::layout_type::dynamic>(m));
    check_prepared("a bigger workspace", f, std::tuple(vector{1, 2}), vector(xt::ones<double>({5000})));
}

BOOST_AUTO_TEST_CASE(other_arguments) {
    check("a struct", [](auto const& l) { return sum(l.W * l.W) * l.b[1]; }, faults::layer{m, {1, 2}});
    check_prepared("vectors", [](auto const& x) { return x[0] * x[0]; }, std::tuple(std::vector<double>{1}), std::vector<double>{2, 3, 4});
    check_prepared("a list of arrays", [](auto const& x) { variable s = 0.0; for (auto const& a : x) s = s + sum(a * a); return s; },
                   std::tuple(list_of_arrays{{1, 2}}), list_of_arrays{{1, 2, 3}, {4}});
    check_prepared("a valarray", [](auto const& x) { return x[0] * x[1]; }, std::tuple(std::valarray<double>{1, 2}), std::valarray<double>{2, 3, 4});
    check_prepared("a map", [](auto const& x) { return x.at("a") * x.at("a"); }, std::tuple(std::map<std::string, double>{{"a", 1}}),
                   std::map<std::string, double>{{"a", 2}, {"b", 3}});
    check_prepared("an optional array", [](auto const& x) { return x ? variable(sum(*x * *x)) : variable(0.0); }, std::tuple(std::optional<vector>{vector{1}}),
                   std::optional<vector>{v});
    check("shared pointers", [](auto const& x, auto const& y) { return *x * *y; }, std::make_shared<double>(2.0), std::make_shared<double>(3.0));
}

BOOST_AUTO_TEST_CASE(functions) {
    check("constants", [](auto const& x) { auto y = x * v; return sum(y * m); }, v);
    check("shapes", [](auto const& x) { return sum(concatenate(xt::xtuple(pad(x, 2), roll(x, 1))) * 2.0); }, v);
    check("order", [](auto const& x) { auto y = sort(x * x); return sum(y * cumsum(y)) + prod(x) + logsumexp(x); }, v);
    check("products", [](auto const& a, auto const& x) { auto y = dot(a, x); return sum(y * y); }, m, v);
    check("solve", [](auto const& a, auto const& x) { auto y = solve(a, x); return sum(y * y) + logdet(a); }, m, v);
    check("eigh", [](auto const& a) { return sum(eigvalsh(a)); }, m);
    check("a loop", [](auto const& x) { variable s = x; for (int i = 0; i < 40; ++i) s = s * x + 0.1; return s; }, 0.5);
    check("a declared result", [](auto const& x) -> real { variable s = sum(x * x); s = s * s; return s; }, v);
    check("stacked", [](auto const& x) { std::vector<variable<double>> s; for (int i = 0; i < 9; ++i) s.push_back(x(0) * i); return sum(stack(s)); }, v);
}

BOOST_AUTO_TEST_CASE(more_functions) {
    xt::xtensor<double, 3> const two{{{4, 1}, {1, 5}}, {{3, 0}, {0, 6}}};
    check("stacks", [](auto const& a) { auto [w, u] = eigh(a); return sum(w * w) + sum(u * u * u) + sum(inv(a)); }, two);
    check("svd and qr", [](auto const& a) { auto [u, s, w] = svd(a); auto [q, r] = qr(a); return sum(s * s) + sum(u * w) + sum(q * r); }, m);
    check("expm and cholesky", [](auto const& a) { return sum(expm(a * 0.1)) + sum(cholesky(a)) + det(a); }, m);
    check("lines", [](auto const& x) { return sum(logcumsumexp(x)) + norm_lp(x, 3.0) + nanmax(x) + sum(softmax(x)) + median(x); }, v);
    check("choices", [](auto const& x) { return sum(where(x > 1.5, sqrt(x), x)) + sum(filter(x, x > 1.5)) + sum(take(x, {0, 0, 2})); }, v);
    check("written elements", [](auto const& x) { variable u = x; u(0) = u(1) * u(2); view(u, xt::range(1, 3)) *= 2.0; return sum(u * u); }, v);
    check("einsum", [](auto const& a, auto const& x) { return sum(einsum<"ij,j->i">(a, x) * x) + sum(tile(x, 2)) + interp(x(0), v, v); }, m, v);
    check("a vector of arrays", [](auto const& x) { return sum(x[0] * x[1]) + sum(concatenate(xt::xtuple(x[0], x[1]))); }, std::vector<vector>{v, v});
    check("numbers", [](auto const& x, auto const& y) { auto z = stack(xt::xtuple(x, y)); return sum(z * z) + number_like<decltype(x)>(2.0) * x; }, 2.0, 3.0);
    check("a caught exception", [](auto const& x) {
        auto y = x * x;
        try {
            return variable(sum(y * vector{1, 2}));
        } catch (std::invalid_argument const&) {
            return variable(sum(y));
        }
    }, v);
}

BOOST_AUTO_TEST_CASE(other_verbs) {
    auto const f = [](auto const& x) { auto y = exp(x); return sum(y * y); };
    auto const g = [](auto const& x) { return exp(x) * sum(x); };
    survives("jvp", [&] { return [&] { auto [y, ydot] = jvp(g, std::tuple(v), std::tuple(v)); return std::tuple(y, ydot); }; });
    survives("hvp", [&] { return [&] { return hvp(f, std::tuple(v), std::tuple(v)).product; }; });
    survives("hessian", [&] { return [&] { return hessian(f, v); }; });
    survives("jacobian", [&] { return [&] { return jacobian(g, v); }; });
    survives("vjp", [&] {
        return [&] {
            auto [y, pullback] = vjp(g, v);
            return std::tuple(y, pullback(v), pullback(y));
        };
    });
    survives("add_gradient", [&] {
        return [&] {
            std::tuple<vector> total{v};
            try {
                add_gradient(total, f, v);
            } catch (std::bad_alloc const&) {
                watches = false;
                BOOST_TEST(std::get<0>(total) == v);
                throw;
            }
            return total;
        };
    });
}
