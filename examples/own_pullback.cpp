// A verb of one's own that evaluates: the value of a function and the pullback of one cotangent, in one call that keeps its memory.
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include <xgrad/xgrad.hpp>

// Like vjp(f, x...), where the cotangent is known beforehand: nothing is kept for a second one. f gives a number, an array, or a tuple of them.
template <class F, class... X>
class one_pullback {
public:
    explicit one_pullback(F f) : f_(std::move(f)) {}
    // The value; afterwards gradient() has the pullback of ybar.
    template <class Y>
    auto operator()(Y const& ybar, X const&... x) {
        auto body = [&](auto const&... h) {
            auto y = f_(h...);
            xgrad::pull(y, ybar);
            return xgrad::primal(y);
        };
        return call_.run(body, x...);
    }
    auto const& gradient() const { return call_.gradient(); }

private:
    F f_;
    xgrad::active_call<X...> call_;
};

int main() {
    using vector = xt::xtensor<double, 1>;
    auto f = [](auto const& x, auto const& rate) { return exp(-rate * x); };
    one_pullback<decltype(f), vector, double> g(f);
    vector const x{0.0, 1.0, 2.0}, ybar{1.0, 10.0, 100.0};
    auto const y = g(ybar, x, 0.5);
    auto const& [dx, drate] = g.gradient();
    std::printf("y %g %g %g, dx %g %g %g, drate %g\n", y(0), y(1), y(2), dx(0), dx(1), dx(2), drate);

    double expected = 0;
    bool right = true;
    for (std::size_t i = 0; i < 3; ++i) {
        right = right && std::abs(y(i) - std::exp(-0.5 * x(i))) < 1e-15 && std::abs(dx(i) + 0.5 * ybar(i) * y(i)) < 1e-13;
        expected -= ybar(i) * x(i) * y(i);
    }
    return right && std::abs(drate - expected) < 1e-13 ? 0 : 1;
}
