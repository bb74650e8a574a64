// error: xgrad[E072]
#include <utility>

#include <xgrad/xgrad.hpp>

namespace test {
struct copied {
    static constexpr char const* name = "copied(x)";
};
}

template <class A>
struct xgrad::node<test::copied, A> {
    using value_type = typename A::value_type;
    using lifetime = typename A::lifetime;
    static constexpr int rank = A::rank;
#ifdef XGRAD_MUST_FAIL
    static constexpr bool is_batch = A::is_batch, takes_one_pass = false;
#else
    static constexpr bool is_batch = A::is_batch, takes_one_pass = false, is_found_by_prepare = false;
#endif

    A x;

    explicit node(A a) : x(std::move(a)) {}
    xgrad::context* owner() const { return x.owner(); }
    void check() const {}
    void prepare() const { x.prepare(); }
    xgrad::extents<rank> extent() const { return x.extent(); }
    template <class Slot>
    void evaluate(Slot& y) const {
        xgrad::evaluate(x, y.shape, y.value);
    }
    template <class Slot>
    void pull(Slot const& y) const noexcept {
        xgrad::pull_back(x, y.shape, y.value, y.cotangent);
    }
};

auto copy_of = [](auto const& x) {
    auto a = xgrad::as_operand(x);
    return sum(xgrad::formula<test::copied, decltype(a)>(std::in_place, std::move(a)));
};

int main() { (void)xgrad::gradient(copy_of, xt::xtensor<double, 1>{1.0, 2.0}); }
