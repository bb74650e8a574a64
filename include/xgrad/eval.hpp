// Defines eval(x), after which an active value is in memory, and the plain arrays of an active one's shape: zeros_like, ones_like, full_like, empty_like.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>

namespace xt {

// xtensor's own eval names the type of a value before anyone asks whether it is meant.
template <class T>
    requires(xgrad::active<T> || xgrad::perturbable_number<std::remove_cvref_t<T>>)
struct temporary_type_from_tag<xtensor_expression_tag, T> {
    using type = std::remove_cvref_t<T>;
};

}

namespace xgrad {

namespace detail {

template <class E>
auto evaluated(E&& e) {
    std::remove_cvref_t<E> r(std::forward<E>(e));
    (void)r.share();
    return r;
}
// The plain array of e's shape that has v everywhere; of a number a number.
template <class E>
auto filled_like(E const& e, double v) {
    using T = scalar_of_t<typename E::value_type>;
    if constexpr (E::rank == 0) return static_cast<T>(v);
    else {
        auto y = primal_of_shape<T>(e.extent());
        y.fill(static_cast<T>(v));
        return y;
    }
}

}

// eval(x): the same value, of the same shape, computed now: what uses it reads it from memory, and a temporary is not made part of a bigger loop.
// zeros_like(x), ones_like(x), full_like(x, value), empty_like(x): plain arrays of x's shape, of a number a number.
XGRAD_DETAIL_ACTIVE(eval, (), detail::evaluated(XGRAD_DETAIL_E))
XGRAD_DETAIL_ACTIVE(zeros_like, (), detail::filled_like(e, 0))
XGRAD_DETAIL_ACTIVE(ones_like, (), detail::filled_like(e, 1))
XGRAD_DETAIL_ACTIVE(full_like, (double value), detail::filled_like(e, value))
XGRAD_DETAIL_ACTIVE(empty_like, (), detail::filled_like(e, 0))

}

namespace xt {
using xgrad::empty_like, xgrad::eval, xgrad::full_like, xgrad::ones_like, xgrad::zeros_like;
}
namespace xgrad {
using xt::empty_like, xt::eval, xt::full_like, xt::ones_like, xt::zeros_like;
// Of plain numbers.
template <class X>
    requires perturbable_number<X>
constexpr X zeros_like(X) { return X(0); }
template <class X>
    requires perturbable_number<X>
constexpr X ones_like(X) { return X(1); }
template <class X>
    requires perturbable_number<X>
constexpr X full_like(X, double value) { return X(static_cast<real_type_t<X>>(value)); }
template <class X>
    requires perturbable_number<X>
constexpr X empty_like(X) { return X(0); }
}
