// Defines dot: products of vectors and matrices, active or plain, through BLAS. The umbrella of linear algebra.
#pragma once

#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/ruleset/linalg/dot.hpp>

namespace xgrad {

// a b, for vectors (n,) and matrices (m, n) whose inner sizes agree: vector · vector is a scalar. Operands may be active, plain,
// transposed, views or expressions. Throws std::invalid_argument with both shapes where they do not fit.
template <class E1, class E2>
    requires active_pair<E1, E2>
auto dot(E1&& e1, E2&& e2) {
    return make_formula<op::dot>(std::forward<E1>(e1), std::forward<E2>(e2));
}

template <plain_array E1, plain_array E2>
auto dot(E1 const& a, E2 const& b) {
    using T = std::common_type_t<typename E1::value_type, typename E2::value_type>;
    context& c = plain_context();
    auto const l = capture_array<T>(std::cref(a), c);
    auto const r = capture_array<T>(std::cref(b), c);
    using rule = array_rule<op::dot>;
    auto const s = rule::shape(l.extent(), r.extent());
    constexpr int R = decltype(s)::capacity == max_dynamic_rank ? dynamic_rank : decltype(s)::capacity;
    if constexpr (R == 0) {
        T y{};
        rule::value(array_ref<T, 0>{&y, {}, {}}, l.source(), r.source());
        return y;
    } else {
        auto y = detail::primal_of_shape<T>(s);
        rule::value(array_ref<T, R>{y.data(), s, row_major_strides(s)}, l.source(), r.source());
        return y;
    }
}

}
