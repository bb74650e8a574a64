// A container of one's own as an argument: the last N values of a sequence, numbers or arrays or structs, made known by one specialisation of parts.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include <xgrad/check_tangent.hpp>
#include <xgrad/xgrad.hpp>

template <class T, std::size_t N>
struct history {
    T place[N]{};
    std::size_t count = 0;  // how many there have been

    std::size_t size() const { return count < N ? count : N; }
    T& operator[](std::size_t age) { return place[(count - 1 - age) % N]; }  // 0 is the latest
    T const& operator[](std::size_t age) const { return place[(count - 1 - age) % N]; }
    void push(T x) { place[count++ % N] = std::move(x); }
};

// What its parts are, how it is called when they have other types, and how to visit and to make them. The gradient of a history<T, N> is a history of
// gradients, and a differentiated function sees a history of active values: both by this alone.
template <class T, std::size_t N>
struct xgrad::parts<history<T, N>> {
    using types = type_list<T>;
    template <class Fn>
    using rebind = history<typename Fn::template type<T>, N>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;

    template <class F, class X, class... Rest>
    static void each(F&& f, X&& x, Rest&&... rest) {
        if ((... || (rest.count != x.count))) throw std::invalid_argument("histories of different lengths");
        for (std::size_t age = x.size(); age-- > 0;) f(x[age], rest[age]...);
    }
    template <class M, class F, class X, class... Rest>
    static M make(F&& f, X&& x, Rest&&... rest) {
        M m;
        m.count = x.count;
        for (std::size_t age = x.size(); age-- > 0;) m[age] = f(x[age], rest[age]...);
        return m;
    }
};
static_assert(xgrad::check_tangent_types<history<double, 3>>() && xgrad::check_tangent_types<history<xt::xtensor<double, 1>, 3>>());

int main() {
    // 0.5 of the latest, 0.25 of the one before, ...
    auto forgetful = [](auto const& h) {
        xgrad::number_like<decltype(h[0])> s = 0.0;
        double weight = 0.5;
        for (std::size_t age = 0; age < h.size(); ++age, weight /= 2) s = s + weight * sum(h[age] * h[age]);
        return s;
    };
    history<xt::xtensor<double, 1>, 3> h;
    for (double x : {1.0, 2.0, 3.0, 4.0}) h.push({x, -x});
    auto [value, gradient] = xgrad::value_and_gradient(forgetful, h);
    auto const& [dh] = gradient;
    std::printf("%g; gradients, the latest first:", value);
    for (std::size_t age = 0; age < dh.size(); ++age) std::printf("  (%g, %g)", dh[age](0), dh[age](1));
    std::puts("");

    auto report = xgrad::check_tangent(h);
    if (!report) std::puts(report.text().c_str());
    return report && value == 16.0 + 4.5 + 1.0 && dh[0](1) == -4.0 && dh[2](0) == 0.5 ? 0 : 1;
}
