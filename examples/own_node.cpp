// A node of one's own: reverse_gradient(x, strength) is x, and what comes back for it is turned round, as domain-adversarial training does.
#include <cstdio>
#include <utility>

#include <xgrad/xgrad.hpp>

struct reversal {
    static constexpr char const* name = "reverse_gradient(x, strength)";
};

// The value is a copy of the operand; the cotangent that came for it is scaled where it lies, and goes on to the operand. A is what the formula holds
// of x: anything of which xgrad/scope/operand/operand.hpp speaks.
template <class A>
struct xgrad::node<reversal, A> {
    using value_type = typename A::value_type;
    using lifetime = typename A::lifetime;
    static constexpr int rank = A::rank;
    static constexpr bool is_batch = A::is_batch, takes_one_pass = false, is_found_by_prepare = false;

    node(double s, A a) : strength(s), x(std::move(a)) {}
    context* owner() const { return x.owner(); }
    void check() const {}
    void prepare() const { x.prepare(); }
    extents<rank> extent() const { return x.extent(); }

    template <class Slot>
    void evaluate(Slot& y) const {
        xgrad::evaluate(x, y.shape, y.value);
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        for (std::size_t i = 0; i < y.size; ++i) y.cotangent[i] = value_type(-strength) * y.cotangent[i];
        xgrad::pull_back(x, y.shape, y.value, y.cotangent);
    }

    // the same of a number
    value_type value() const {
        typename A::frame f;
        x.forward(f);
        return value_of(f);
    }
    void pull(value_type const& g, value_type const&) const noexcept {
        typename A::frame f;
        x.forward(f);
        x.backward(f, value_type(-strength) * g);
    }
    value_type value_and_pull(value_type const& g) const {
        value_type const y = value();
        pull(g, y);
        return y;
    }

    double strength;
    A x;
};

template <xgrad::active X>
auto reverse_gradient(X&& x, double strength) {
    auto a = xgrad::as_operand(std::forward<X>(x));
    return xgrad::formula<reversal, decltype(a)>(std::in_place, strength, std::move(a));
}

int main() {
    xt::xtensor<double, 1> const x{1.0, 2.0};
    auto of_array = [](auto const& a) { return sum(reverse_gradient(a * a, 0.5)); };
    auto of_number = [](auto const& a) { return reverse_gradient(a(0) * a(1), 2.0) + a(0); };
    auto const [value, grad] = xgrad::value_and_gradient(of_array, x);
    auto const [product, by_number] = xgrad::value_and_gradient(of_number, x);
    auto const& [dx] = grad;
    auto const& [dn] = by_number;
    std::printf("%g, gradient %g %g; %g, gradient %g %g\n", value, dx(0), dx(1), product, dn(0), dn(1));
    return value == 5 && dx(0) == -1 && dx(1) == -2 && product == 3 && dn(0) == -3 && dn(1) == -2 ? 0 : 1;
}
